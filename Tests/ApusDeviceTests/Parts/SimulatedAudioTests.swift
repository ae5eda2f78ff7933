import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusDevice

@MainActor
@Suite("Audio on a simulated phone")
struct SimulatedAudioTests {
    let device = PartsHarness()
    let items = ["a", "b", "c"].map { AudioItem(id: $0, title: $0, source: $0) }

    private func audio(isModeDeclared: Bool = true) -> SimulatedAudio {
        SimulatedAudio(
            device.surroundings, durations: ["a": .seconds(10), "b": .seconds(20)], isModeDeclared: isModeDeclared)
    }

    private func playing(isModeDeclared: Bool = true) throws -> SimulatedAudio {
        let audio = audio(isModeDeclared: isModeDeclared)
        let items = items
        try device.run {
            await audio.setQueue(items)
            try await audio.play()
        }
        return audio
    }

    /// The lines of the log about audio, without their actors.
    private var lines: [String] {
        device.log.filter { $0.contains(" audio: ") }.map { $0.split(separator: " ", maxSplits: 3) }
            .map { "\($0[0]) \($0[3])" }
    }

    @Test("items play one after the other for their durations, which are three minutes by default")
    func queue() throws {
        let audio = try playing()
        #expect(audio.state == AudioState(current: items[0], isPlaying: true, upcoming: [items[1], items[2]]))
        device.time.advance(by: .seconds(1000))
        #expect(lines == ["0 ready a", "0 playing a", "10 playing b", "30 playing c", "210 end of the queue"])
        #expect(audio.state == AudioState())
        #expect(audio.position == .zero)
        #expect(device.time.pendingTimerCount == 0)
    }

    @Test("the position follows the clock during playback, stays in a pause, and is zero at the next item")
    func position() throws {
        let audio = try playing()
        device.time.advance(by: .seconds(4))
        #expect(audio.position == .seconds(4))
        try device.run { await audio.pause() }
        device.time.advance(by: .seconds(100))
        #expect(audio.position == .seconds(4))
        try device.run { try await audio.play() }
        device.time.advance(by: .milliseconds(5999))
        #expect(audio.state.current == items[0])
        device.time.advance(by: .milliseconds(2))
        #expect(audio.state.current == items[1])
        #expect(audio.position == .milliseconds(1))
        try device.run { await audio.skipToNext() }
        #expect(audio.state == AudioState(current: items[2], isPlaying: true))
        #expect(audio.position == .zero)
    }

    @Test("setting the wall clock does not move the position")
    func wallClock() throws {
        let audio = try playing()
        device.time.advance(by: .seconds(4))
        device.time.moveWallClock(by: .seconds(3600))
        #expect(audio.position == .seconds(4))
    }

    @Test("the sequence of changes has every state, and ends with the process")
    func changes() throws {
        let audio = audio()
        let seen = Log<String>()
        let changes = audio.stateChanges()
        device.time.start {
            for await state in changes { seen.add("\(state.current?.id ?? "-") \(state.isPlaying)") }
            seen.add("over")
        }
        let items = items
        try device.run {
            await audio.setQueue(items)
            try await audio.play()
        }
        device.time.advance(by: .seconds(10))
        try device.run { await audio.pause() }
        audio.processEnded()
        device.time.settle()
        #expect(seen.all == ["a false", "a true", "b true", "b false", "- false", "over"])
        // A process that starts later has sequences of its own.
        let later = audio.stateChanges()
        device.time.start { for await state in later { seen.add("new \(state.current?.id ?? "-")") } }
        try device.run { await audio.setQueue(items) }
        device.time.settle()
        #expect(seen.all.last == "new a")
        audio.processEnded()
        device.time.settle()
    }

    @Test("a new queue plays only after play(), and playing an empty queue does nothing")
    func newQueue() throws {
        let audio = audio()
        try device.run { try await audio.play() }
        #expect(!audio.state.isPlaying)
        let playing = try playing()
        let items = items
        try device.run { await playing.setQueue([items[2]]) }
        #expect(playing.state == AudioState(current: items[2]))
    }

    @Test("the app may be suspended when audio stops: at the end of the queue, by a pause, by an interruption")
    func keepsAwake() throws {
        let audio = try playing()
        #expect(device.keptAwake == [true])
        device.time.advance(by: .seconds(100))
        #expect(device.keptAwake == [true])
        device.time.advance(by: .seconds(200))
        #expect(device.keptAwake == [true, false])
        let items = items
        try device.run {
            await audio.setQueue(items)
            try await audio.play()
            await audio.pause()
            try await audio.play()
        }
        #expect(device.keptAwake == [true, false, true, false, true])
        audio.beginInterruption()
        #expect(device.keptAwake.suffix(2) == [true, false])
    }

    @Test("without the mode declared, or with a category for the foreground, playing does not keep the app awake")
    func notKeptAwake() throws {
        let undeclared = try playing(isModeDeclared: false)
        #expect(undeclared.state.isPlaying)
        let ambient = audio()
        let items = items
        try device.run { await ambient.setQueue(items) }
        #expect(ambient.activateSession(.soloAmbient))
        ambient.startPlaying()
        #expect(ambient.state.isPlaying)
        #expect(device.keptAwake == [])
    }

    @Test(
        "an interruption makes the session inactive and pauses the player, which resumes only if it should",
        arguments: [true, false])
    func interruption(shouldResume: Bool) throws {
        let audio = try playing()
        let heard = Log<AudioSessionEvent>()
        audio.onSessionEvent = { heard.add($0) }
        device.time.advance(by: .seconds(4))
        audio.beginInterruption()
        #expect(!audio.isSessionActive)
        #expect(!audio.state.isPlaying)
        device.time.advance(by: .seconds(60))
        audio.endInterruption(shouldResume: shouldResume)
        #expect(audio.state.isPlaying == shouldResume)
        #expect(audio.isSessionActive == shouldResume)
        #expect(audio.position == .seconds(4))
        device.mainLoop.drain()
        #expect(
            heard.all == [
                .interruptionBegan(appWasSuspended: false), .interruptionEnded(shouldResume: shouldResume),
            ])
    }

    @Test("a player that was paused before or during an interruption does not resume at its end")
    func pausedInInterruption() throws {
        let before = try playing()
        try device.run { await before.pause() }
        before.beginInterruption()
        before.endInterruption(shouldResume: true)
        #expect(!before.state.isPlaying)
        let during = try playing()
        during.beginInterruption()
        try device.run { await during.pause() }
        during.endInterruption(shouldResume: true)
        #expect(!during.state.isPlaying)
    }

    @Test("playing during an interruption throws an error")
    func playInInterruption() throws {
        let audio = try playing()
        audio.beginInterruption()
        let error = #expect(throws: BackgroundError.self) { try device.run { try await audio.play() } }
        #expect(error?.code == .modeUnavailable)
        #expect(!audio.activateSession(.playback))
    }

    @Test("the raw player needs an active session, and does not resume by itself")
    func rawPlayer() throws {
        let audio = audio()
        let items = items
        try device.run { await audio.setQueue(items) }
        audio.startPlaying()
        #expect(!audio.state.isPlaying)
        #expect(device.log.last?.contains("warning: nothing plays while the audio session is inactive") == true)
        #expect(audio.activateSession(.playback))
        audio.startPlaying()
        #expect(audio.state.isPlaying)
        audio.beginInterruption()
        audio.endInterruption(shouldResume: true)
        #expect(!audio.state.isPlaying)
        #expect(audio.activateSession(.playback))
        audio.startPlaying()
        audio.deactivateSession()
        #expect(!audio.state.isPlaying)
        #expect(device.keptAwake == [true, false, true, false])
    }

    @Test("a suspension makes the session inactive and stops the player; the app is notified when it runs again")
    func suspension() throws {
        let audio = try playing(isModeDeclared: false)
        let heard = Log<AudioSessionEvent>()
        audio.onSessionEvent = { heard.add($0) }
        device.time.advance(by: .seconds(4))
        audio.appSuspended()
        #expect(!audio.isSessionActive)
        device.time.advance(by: .seconds(600))
        #expect(audio.position == .seconds(4))
        #expect(device.mainLoop.count == 0)
        audio.appResumed()
        device.mainLoop.drain()
        #expect(heard.all == [.interruptionBegan(appWasSuspended: true)])
        #expect(!audio.state.isPlaying)
        // Another suspension and resumption cause no second event.
        audio.appSuspended()
        audio.appResumed()
        #expect(device.mainLoop.count == 0)
    }

    @Test("the player does not resume if an interruption ends during a suspension, and the app is notified late")
    func suspendedInInterruption() throws {
        let audio = try playing()
        let heard = Log<AudioSessionEvent>()
        audio.onSessionEvent = { heard.add($0) }
        audio.beginInterruption()
        device.mainLoop.drain()
        audio.appSuspended()
        audio.endInterruption(shouldResume: true)
        #expect(
            device.log.last == "0 system audio: interruption ended while the app is suspended; it should not resume")
        #expect(!audio.state.isPlaying)
        #expect(device.mainLoop.count == 0)
        audio.appResumed()
        device.mainLoop.drain()
        #expect(heard.all.last == .interruptionEnded(shouldResume: false))
        try device.run { try await audio.play() }
        #expect(audio.state.isPlaying)
    }

    /// Apple, documentation/avfaudio/handling-audio-interruptions: the system interrupts active sessions.
    @Test("an interruption of an inactive session is neither reported to the app nor logged")
    func inactiveSession() throws {
        let audio = audio()
        let heard = Log<AudioSessionEvent>()
        audio.onSessionEvent = { heard.add($0) }
        audio.beginInterruption()
        #expect(!audio.activateSession(.playback))
        audio.endInterruption(shouldResume: true)
        device.mainLoop.drain()
        #expect(heard.all == [])
        #expect(device.log == [])
        #expect(audio.activateSession(.playback))
        audio.beginInterruption()
        audio.endInterruption(shouldResume: true)
        device.mainLoop.drain()
        #expect(heard.all.count == 2)
        #expect(
            device.log == ["0 system audio: interruption began", "0 system audio: interruption ended, should resume"])
    }

    @Test("the player does not resume by itself if the app was suspended during an interruption")
    func suspendedDuringInterruption() throws {
        let audio = try playing()
        let heard = Log<AudioSessionEvent>()
        audio.onSessionEvent = { heard.add($0) }
        audio.beginInterruption()
        audio.appSuspended()
        audio.appResumed()
        audio.endInterruption(shouldResume: true)
        device.mainLoop.drain()
        #expect(!audio.state.isPlaying)
        #expect(heard.all.last == .interruptionEnded(shouldResume: true))
    }

    @Test("the sound ends with its process and no longer keeps it running, while an interruption continues")
    func processEnded() throws {
        let audio = try playing()
        audio.processEnded()
        #expect(device.keptAwake == [true, false])
        #expect(audio.state == AudioState())
        #expect(!audio.isSessionActive)
        #expect(device.time.pendingTimerCount == 0)
        audio.beginInterruption()
        audio.processEnded()
        #expect(!audio.activateSession(.playback))
        audio.endInterruption(shouldResume: true)
        #expect(audio.activateSession(.playback))
    }
}
