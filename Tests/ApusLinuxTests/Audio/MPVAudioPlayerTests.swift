import ApusBackground
import ApusTimers
import Foundation
import Logging
import Testing

@testable import ApusLinux

/// A player with its files, its log and its processes.
private final class Studio: Sendable {
    static let fake = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures/fake_mpv.py").standardizedFileURL.path

    let processes = MarkedProcesses()
    let log = Record<String>()
    let host: LinuxHost

    init(grace: Duration = .seconds(30), margin: Duration = .seconds(4)) {
        host = LinuxHost(configuration: .init(gracePeriod: grace, expirationMargin: margin), logger: silent)
    }

    /// A player of the real mpv, whose sound goes nowhere.
    func player() -> MPVAudioPlayer {
        player(.init(arguments: ["--ao=null", "--user-agent=\(processes.mark)"], answerTimeout: .seconds(60)))
    }

    /// A player that talks to a program of this test.
    func fakePlayer(_ mode: String, answerTimeout: Duration = .seconds(60)) -> MPVAudioPlayer {
        player(
            .init(
                executable: Self.fake, arguments: ["--fake=\(mode)", "--user-agent=\(processes.mark)"],
                answerTimeout: answerTimeout))
    }

    func player(_ configuration: MPVAudioPlayer.Configuration) -> MPVAudioPlayer {
        let log = log
        return MPVAudioPlayer(
            host: host, configuration: configuration, logger: Logger(label: "test") { _ in LineLog(lines: log) })
    }

    /// The names of what holds the process.
    var claims: [String] { host.registry.openNames }
}

private func item(_ id: String, _ source: String = "/nowhere") -> AudioItem {
    AudioItem(id: id, title: "Number \(id)", source: source)
}

/// The next state of which this is true.
private func wait(for changes: Changes<AudioState>, until condition: (AudioState) -> Bool) async {
    for await state in changes where condition(state) { return }
}

/// Real processes and real time: what is tested is the way through them. Nothing here says how fast anything is; the
/// limit is for a machine that never gets there.
@Suite("A player that uses mpv", .timeLimit(.minutes(5)))
struct MPVAudioPlayerTests {
    private let root: FakeRoot

    init() throws {
        root = try FakeRoot()
        try root.write(silentSound(milliseconds: 300), to: "short.wav")
        try root.write(silentSound(milliseconds: 300), to: "short2.wav")
        try root.write(silentSound(milliseconds: 600_000), to: "long.wav")
        try root.write("this is no sound", to: "broken.wav")
        try root.write("short.wav\nshort2.wav\n", to: "list.m3u")
    }

    // MARK: The real mpv

    @Test("a queue plays to its end, without what cannot be played, and holds the process meanwhile")
    func plays() async throws {
        let studio = Studio()
        let player = studio.player()
        let first = item("1", root.path + "/short.wav")
        let broken = item("2", root.path + "/broken.wav")
        let missing = item("3", root.path + "/missing.wav")
        let last = item("4", root.path + "/list.m3u")
        try await player.setQueue([first, broken, missing, last])
        #expect(player.state == AudioState(current: first, upcoming: [broken, missing, last]))
        #expect(studio.processes.numbers == [])
        let changes = player.stateChanges
        try await player.play()

        var seen: [AudioState] = []
        for await state in changes {
            seen.append(state)
            if !state.isPlaying { break }
        }
        #expect(
            seen == [
                AudioState(current: first, isPlaying: true, upcoming: [broken, missing, last]),
                AudioState(current: broken, isPlaying: true, upcoming: [missing, last]),
                AudioState(current: missing, isPlaying: true, upcoming: [last]),
                AudioState(current: last, isPlaying: true),
                AudioState(),
            ])
        // The order is not fixed: the state is reported before its consequences are done.
        try await eventually { studio.claims.isEmpty }
        #expect(studio.log.all.filter { $0.contains("skipped") }.count == 2)
    }

    @Test("a pause keeps the position, and next continues from there")
    func pauses() async throws {
        let studio = Studio()
        let player = studio.player()
        let first = item("1", root.path + "/long.wav")
        let second = item("2", root.path + "/long.wav")
        try await player.setQueue([first, second])
        try await player.play()
        // Between mpv's reports the position is estimated, and on a busy machine mpv may lag far below the estimate.
        try await eventually { player.position >= .seconds(1) }
        await player.pause()
        #expect(!player.state.isPlaying)
        #expect(studio.claims == [])
        #expect(player.position >= .milliseconds(100))
        try await player.play()
        #expect(studio.claims == ["audio"])
        await player.next()
        #expect(player.state == AudioState(current: second, isPlaying: true))
        try await eventually { player.position > .zero }
        await player.next()
        #expect(player.state == AudioState())
        #expect(studio.claims == [])
    }

    @Test("when mpv is killed the player is paused and says so, and the next play starts another one at the position")
    func killed() async throws {
        let studio = Studio()
        let player = studio.player()
        let song = item("1", root.path + "/long.wav")
        try await player.setQueue([song])
        try await player.play()
        try await eventually { player.position >= .milliseconds(200) }
        let changes = player.stateChanges
        kill(try #require(studio.processes.numbers.first), SIGKILL)
        await wait(for: changes) { !$0.isPlaying }
        #expect(player.state == AudioState(current: song))
        let position = player.position
        #expect(position >= .milliseconds(200))

        try await player.play()
        #expect(studio.log.all.contains { $0.contains("mpv has ended") && $0.contains("package mpv") })
        #expect(studio.processes.numbers.count == 1)
        // Past where it was, and not from the beginning.
        #expect(player.position >= position)
        try await eventually { player.position >= position + .milliseconds(200) }
        #expect(studio.claims == ["audio"])
    }

    @Test("mpv ends with the player")
    func ends() async throws {
        let studio = Studio()
        var player: MPVAudioPlayer? = studio.player()
        try await player?.setQueue([item("1", root.path + "/long.wav")])
        try await player?.play()
        #expect(studio.processes.numbers.count == 1)
        player = nil
        try await studio.processes.waitUntilGone()
        #expect(studio.claims == [])
    }

    @Test("a host that is asked to stop waits for the end of the sound")
    func playsOn() async throws {
        let studio = Studio(grace: .seconds(60), margin: .seconds(1))
        let player = studio.player()
        try await player.setQueue([item("1", root.path + "/short.wav"), item("2", root.path + "/short.wav")])
        try await player.play()
        studio.host.requestStop()
        let outcome = await studio.host.run(signals: AsyncStream<TerminationSignal> { _ in })
        #expect(outcome == .completed)
        #expect(player.state == AudioState())
    }

    @Test("a host whose time is nearly over pauses the sound, and nothing plays any more")
    func expires() async throws {
        // A second of background, and then plenty of time for a busy machine to wind up.
        let studio = Studio(grace: .seconds(60), margin: .seconds(59))
        let player = studio.player()
        try await player.setQueue([item("1", root.path + "/long.wav")])
        try await player.play()
        let changes = player.stateChanges
        studio.host.requestStop()
        let outcome = await studio.host.run(signals: AsyncStream<TerminationSignal> { _ in })
        #expect(outcome == .completed)
        await wait(for: changes) { !$0.isPlaying }
        let error = await #expect(throws: BackgroundError.self) { try await player.play() }
        #expect(error?.code == .modeUnavailable)
        #expect((error?.cause as? BackgroundError)?.code == .tooLate)
        #expect(!player.state.isPlaying)
    }

    @Test("an mpv that does not take its arguments is an error that says what to do")
    func badArguments() async throws {
        let studio = Studio()
        let player = studio.player(.init(arguments: ["--no-such-option=\(studio.processes.mark)"]))
        try await player.setQueue([item("1")])
        let error = await #expect(throws: BackgroundError.self) { try await player.play() }
        #expect(error?.code == .modeUnavailable)
        #expect(error?.message.contains("mpv has ended") == true)
        #expect(!player.state.isPlaying)
        #expect(studio.claims == [])
    }

    @Test("without a sound device the item stays, paused, and the log says what to do")
    func noOutput() async throws {
        let studio = Studio()
        let player = studio.player(
            .init(arguments: ["--ao=pcm", "--ao-pcm-file=/nonexistent/sound", "--user-agent=\(studio.processes.mark)"]))
        let song = item("1", root.path + "/long.wav")
        try await player.setQueue([song])
        let changes = player.stateChanges
        try await player.play()
        await wait(for: changes) { !$0.isPlaying }
        #expect(player.state == AudioState(current: song))
        try await eventually { studio.log.all.contains(where: { $0.contains("sound device") }) }
    }

    // MARK: What stands for mpv

    @Test("without mpv, the error names the Debian package")
    func missing() async throws {
        let studio = Studio()
        for name in ["apus-no-such-program", "/nonexistent/mpv", root.path + "/short.wav"] {
            let player = studio.player(.init(executable: name))
            let error = await #expect(throws: BackgroundError.self) { try await player.setQueue([item("1")]) }
            #expect(error?.code == .modeUnavailable)
            #expect(error?.message == "\(name) is not installed; on Debian it is in the package mpv")
            #expect(player.state == AudioState())
            // Without an item there is nothing that could fail.
            try await player.play()
        }
    }

    @Test("a program that cannot be run is an error, not a crash")
    func unrunnable() async throws {
        try root.write("#!/nonexistent/interpreter\n", to: "mpv")
        chmod(root.path + "/mpv", 0o755)
        let studio = Studio()
        let player = studio.player(.init(executable: root.path + "/mpv"))
        try await player.setQueue([item("1")])
        let error = await #expect(throws: BackgroundError.self) { try await player.play() }
        #expect(error?.message.contains("cannot be started") == true)
        #expect(player.state == AudioState(current: item("1")))
        #expect(studio.claims == [])
    }

    @Test("torn lines, garbage and lines without end change nothing")
    func torn() async throws {
        let studio = Studio()
        let player = studio.fakePlayer("torn")
        try await player.setQueue([item("1"), item("2"), item("3")])
        let changes = player.stateChanges
        try await player.play()
        await wait(for: changes) { $0 == AudioState() }
        #expect(studio.log.all.contains { $0.contains("no JSON") })
        #expect(studio.log.all.contains { $0.contains("too long") })
    }

    @Test("a program that ends at once, or while it plays, is a clear error each time", arguments: ["ends", "dies"])
    func dies(mode: String) async throws {
        let studio = Studio()
        let player = studio.fakePlayer(mode)
        try await player.setQueue([item("1")])
        for _ in 1...3 {
            let changes = player.stateChanges
            do {
                try await player.play()
                await wait(for: changes) { !$0.isPlaying }
            } catch let error as BackgroundError {
                #expect(error.code == .modeUnavailable)
                #expect(error.message.contains("mpv has ended"))
            }
            #expect(player.state == AudioState(current: item("1")))
        }
        try await studio.processes.waitUntilGone()
        #expect(studio.claims == [])
    }

    @Test("a program that does not answer is given up, and ends")
    func silentProgram() async throws {
        let studio = Studio()
        // Real time: it is this timeout that is looked at, so it is short.
        let player = studio.fakePlayer("silent", answerTimeout: .milliseconds(200))
        try await player.setQueue([item("1")])
        let error = await #expect(throws: BackgroundError.self) { try await player.play() }
        #expect(error?.code == .modeUnavailable)
        #expect(error?.message.contains("did not answer") == true)
        #expect(!player.state.isPlaying)
        try await studio.processes.waitUntilGone()
    }

    @Test("many calls from many tasks leave a player that works")
    func manyCalls() async throws {
        let studio = Studio()
        let player = studio.fakePlayer("")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    switch number % 4 {
                    case 0: try await player.setQueue((0..<5).map { item("\(number).\($0)") })
                    case 1: try await player.play()
                    case 2: await player.pause()
                    default: await player.next()
                    }
                }
            }
            try await group.waitForAll()
        }
        try await player.setQueue([item("a"), item("b")])
        let changes = player.stateChanges
        try await player.play()
        await wait(for: changes) { $0 == AudioState() }
    }
}
