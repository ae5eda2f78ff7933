import ApusBackground
import ApusDevice
import ApusTimers
import MediaPlayer
import SimulatedAppleCore
import Testing
import UIKit

@testable import ApusApple

extension ApusAppleTests {
    @MainActor
    @Suite("AppleAudioPlayer")
    struct Audio {
        private static let tracks = ["one", "two", "three"].map {
            AudioItem(id: $0, title: "Track \($0)", source: "music/\($0).m4a")
        }

        /// Runs an app with tracks of 20 s, and plays the first track if `plays` is set.
        private func run(
            declared: Bool = true, plays: Bool = true, _ body: (SimulatedDevice, AppleAudioPlayer) throws -> Void
        ) throws {
            try SimulatedDevice.run { device in
                let durations = ["one.m4a", "two.m4a", "three.m4a"].map { ($0, Duration.seconds(20)) }
                device.launchPort(
                    AppManifest(backgroundModes: declared ? [.audio] : []),
                    trackDurations: Dictionary(uniqueKeysWithValues: durations)
                ) { host in
                    AppleAudioPlayer(host: host)
                }
                let player: AppleAudioPlayer = try device.built()
                try device.perform { [tracks = Self.tracks] in
                    try await player.setQueue(tracks)
                    if plays { try await player.play() }
                }
                try body(device, player)
            }
        }

        @Test(
            "an app that plays continues in the background, one item after another, and is suspended afterwards"
        )
        func background() throws {
            try run { device, player in
                #expect(
                    player.state
                        == AudioState(
                            current: Self.tracks[0], isPlaying: true, upcoming: Array(Self.tracks[1...])))
                device.pressHome()
                device.advance(by: .seconds(45))
                #expect(device.host?.phase == .background)
                #expect(player.state == AudioState(current: Self.tracks[2], isPlaying: true))
                #expect(player.position == .seconds(5))
                device.advance(by: .seconds(20))
                #expect(player.state == AudioState())
                #expect(device.host?.phase == .suspended)
            }
        }

        @Test("without the declared mode, playing does not keep the app running")
        func undeclared() throws {
            try run(declared: false) { device, _ in
                device.pressHome()
                device.advance(by: .seconds(10))
                #expect(device.host?.phase == .suspended)
            }
        }

        @Test("a pause keeps the position, `next` advances to the next item, and `play` without an item does nothing")
        func controls() throws {
            try run { device, player in
                device.advance(by: .seconds(5))
                try device.perform { await player.pause() }
                device.advance(by: .seconds(60))
                #expect(player.position == .seconds(5))
                #expect(!player.state.isPlaying)
                try device.perform { try await player.play() }
                device.advance(by: .seconds(1))
                #expect(player.position == .seconds(6))
                try device.perform { await player.skipToNext() }
                #expect(player.state.current == Self.tracks[1] && player.state.isPlaying)
                #expect(player.position == .zero)
                try device.perform {
                    for _ in 0..<3 { await player.skipToNext() }
                    try await player.play()
                }
                #expect(player.state == AudioState())
            }
        }

        @Test("each change of the player's state reaches its observers")
        func changes() throws {
            try run(plays: false) { device, player in
                let journal = Journal(device)
                let changes = player.stateChanges()
                try device.port.start {
                    for await state in changes {
                        journal.note("\(state.current?.id ?? "-") \(state.isPlaying)")
                    }
                }
                try device.perform { try await player.play() }
                device.advance(by: .seconds(30))
                try device.perform { await player.pause() }
                device.advance(by: .seconds(1))
                #expect(journal.all == ["0 one true", "20 two true", "30 two false"])
            }
        }

        @Test("unplugging headphones pauses the player until it is played again")
        func headphones() throws {
            try run { device, player in
                device.advance(by: .seconds(5))
                device.audio.unplugHeadphones()
                device.advance(by: .seconds(60))
                #expect(!player.state.isPlaying)
                #expect(player.position == .seconds(5))
                try device.perform { try await player.play() }
                device.advance(by: .seconds(1))
                #expect(player.position == .seconds(6))
            }
        }

        @Test("the headphones' button pauses and plays, and the lock screen shows the length")
        func toggle() throws {
            try run { device, player in
                let center = MPNowPlayingInfoCenter.default()
                #expect(center.nowPlayingInfo?[MPMediaItemPropertyPlaybackDuration] as? Double == 20)
                SimulatedPhone.give(\.togglePlayPauseCommand, on: device)
                device.advance(by: .seconds(1))
                #expect(!player.state.isPlaying)
                SimulatedPhone.give(\.togglePlayPauseCommand, on: device)
                device.advance(by: .seconds(1))
                #expect(player.state.isPlaying)
            }
        }

        // MARK: Interruptions

        @Test("a call pauses the player, which continues when the system says that it should")
        func interruption() throws {
            try run { device, player in
                device.advance(by: .seconds(5))
                device.receiveCall()
                #expect(!player.state.isPlaying)
                device.advance(by: .seconds(60))
                #expect(player.position == .seconds(5))
                device.endCall()
                device.advance(by: .seconds(1))
                #expect(player.state.isPlaying)
                #expect(player.position == .seconds(6))
            }
        }

        @Test(
            "the player stays paused after a call that does not ask to resume, or if it was paused before or during it"
        )
        func staysPaused() throws {
            try run { device, player in
                device.audio.beginInterruption()
                device.audio.endInterruption(shouldResume: false)
                device.advance(by: .seconds(1))
                #expect(!player.state.isPlaying)
                device.receiveCall()
                device.endCall()
                device.advance(by: .seconds(1))
                #expect(!player.state.isPlaying)
                try device.perform { try await player.play() }
                device.receiveCall()
                try device.perform { await player.pause() }
                device.endCall()
                device.advance(by: .seconds(1))
                #expect(!player.state.isPlaying)
            }
        }

        @Test("the player cannot be started during a call")
        func unavailable() throws {
            try run { device, player in
                device.receiveCall()
                #expect {
                    try device.perform { try await player.play() }
                } throws: { error in
                    (error as? BackgroundError)?.code == .modeUnavailable
                }
                device.endCall()
                try device.perform { try await player.play() }
                #expect(player.state.isPlaying)
            }
        }

        @Test("the player is paused after a suspension and can be played again")
        func suspension() throws {
            try run(declared: false) { device, player in
                device.advance(by: .seconds(5))
                device.pressHome()
                device.advance(by: .seconds(10))
                device.open()
                device.advance(by: .seconds(1))
                #expect(!player.state.isPlaying)
                try device.perform { try await player.play() }
                #expect(
                    player.state
                        == AudioState(
                            current: Self.tracks[0], isPlaying: true, upcoming: Array(Self.tracks[1...])))
            }
        }

        @Test("a player with an empty source is an error")
        func emptySource() throws {
            try run { device, player in
                #expect {
                    try device.perform { try await player.setQueue([AudioItem(id: "x", title: "", source: "")]) }
                } throws: { error in
                    (error as? BackgroundError)?.code == .invalidArgument
                }
                #expect(player.state.current == Self.tracks[0], "nothing has changed")
            }
        }

        // MARK: The lock screen

        @Test("the lock screen's commands control the player, and it shows the playing item")
        func lockScreen() throws {
            try run { device, player in
                device.advance(by: .seconds(5))
                SimulatedPhone.give(\.pauseCommand, on: device)
                #expect(!player.state.isPlaying)
                let info = try #require(MPNowPlayingInfoCenter.default().nowPlayingInfo)
                #expect(info[MPMediaItemPropertyTitle] as? String == "Track one")
                #expect(info[MPNowPlayingInfoPropertyElapsedPlaybackTime] as? Double == 5)
                #expect(info[MPNowPlayingInfoPropertyPlaybackRate] as? Double == 0)
                SimulatedPhone.give(\.playCommand, on: device)
                #expect(player.state.isPlaying)
                SimulatedPhone.give(\.nextTrackCommand, on: device)
                #expect(player.state.current == Self.tracks[1])
                #expect(
                    MPNowPlayingInfoCenter.default().nowPlayingInfo?[MPMediaItemPropertyTitle] as? String == "Track two"
                )
                try device.perform { try await player.setQueue([]) }
                #expect(MPNowPlayingInfoCenter.default().nowPlayingInfo == nil)
            }
        }
    }
}

@Suite("What an audio player has to play")
struct AppleAudioMachineTests {
    private let items = ["a", "b"].map { AudioItem(id: $0, title: $0, source: $0) }
    private func at(_ seconds: UInt64) -> UptimeInstant { UptimeInstant(nanoseconds: seconds * 1_000_000_000) }

    @Test(
        "the end of an interruption resumes only a player that had played, once, unless it was paused or started since")
    func interruptions() {
        var machine = AppleAudioMachine()
        machine.setQueue(items)
        machine.interruptionBegan(at: .zero)
        #expect(machine.interruptionEnded(shouldResume: true) == false, "it had not played")
        #expect(machine.play(now: at(1)) == .play)
        #expect(machine.play(now: at(1)) == .none)
        machine.interruptionBegan(at: .seconds(3))
        #expect(machine.position(now: at(100)) == .seconds(3))
        #expect(machine.interruptionEnded(shouldResume: true) == true)
        #expect(machine.interruptionEnded(shouldResume: true) == false)
        _ = machine.play(now: at(5))
        machine.interruptionBegan(at: .seconds(4))
        machine.pause(at: .seconds(4))
        #expect(machine.interruptionEnded(shouldResume: true) == false)
    }

    @Test("nothing plays at the end of the queue, and a new item begins at its start")
    func items_() {
        var machine = AppleAudioMachine()
        machine.setQueue(items)
        _ = machine.play(now: at(0))
        machine.itemEnded(now: at(10))
        #expect(machine.position(now: at(12)) == .seconds(2))
        #expect(machine.next(now: at(12)) == .advance)
        #expect(machine.state == AudioState())
        #expect(machine.position(now: at(20)) == .zero)
        #expect(machine.next(now: at(20)) == .none)
        #expect(machine.play(now: at(20)) == .none)
    }
}
