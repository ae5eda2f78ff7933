#if os(Linux)
    import AVFoundation
    import ApusBackground
    import ApusDevice
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// Plays one file, and speaks.
    private final class SoundDelegate: UIResponder, UIApplicationDelegate, AVAudioPlayerDelegate,
        AVSpeechSynthesizerDelegate
    {
        private let voice = AVSpeechSynthesizer()
        var player: AVAudioPlayer?
        var isChaining = false

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            try? AVAudioSession.sharedInstance().setCategory(.playAndRecord, options: .defaultToSpeaker)
            voice.delegate = self
            player = try? AVAudioPlayer(contentsOf: URL(fileURLWithPath: "/sounds/gong.m4a"))
            player?.delegate = self
            return true
        }

        func say(_ text: String) { voice.speak(AVSpeechUtterance(string: text)) }

        func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
            SimulatedPhone.note("finished \(flag)")
        }

        func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) {
            SimulatedPhone.note("said \(utterance.speechString)")
            if isChaining {
                isChaining = false
                say("next")
            }
        }

        func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) {
            SimulatedPhone.note("stopped \(utterance.speechString)")
        }
    }

    /// Plays two files at once, and notes where the other one is when one of them has ended.
    private final class MixingApp: UIResponder, UIApplicationDelegate, AVAudioPlayerDelegate {
        private var players: [AVAudioPlayer] = []

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            try? AVAudioSession.sharedInstance().setCategory(.playback)
            for name in ["gong.m4a", "bell.m4a"] {
                guard let player = try? AVAudioPlayer(contentsOf: URL(fileURLWithPath: "/sounds/\(name)")) else {
                    continue
                }
                player.delegate = self
                player.play()
                players.append(player)
            }
            return true
        }

        func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
            let other = players.first { $0 !== player }
            SimulatedPhone.note(
                "\(player.url?.lastPathComponent ?? ""), \(other?.url?.lastPathComponent ?? "") at "
                    + "\(other?.currentTime ?? -1)")
        }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/avfaudio/avaudioplayer.
        @MainActor
        @Suite("AVAudioPlayer and AVSpeechSynthesizer")
        struct AudioPlayers {
            private func run(_ body: (SimulatedDevice, SoundDelegate) throws -> Void) throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device, manifest: AppManifest(backgroundModes: [.audio]),
                        trackDurations: ["gong.m4a": .seconds(10), "bell.m4a": .seconds(4)],
                        delegate: SoundDelegate())
                    device.launch()
                    try body(device, try #require(device.app as? SoundDelegate))
                }
            }

            private func notes(_ device: SimulatedDevice) -> [String] {
                device.log.compactMap { if case .note(let text) = $0.what { text } else { nil } }
            }

            @Test("the player keeps the app running until the file has ended, and then notifies its delegate")
            func background() throws {
                try run { device, app in
                    let player = try #require(app.player)
                    #expect(player.duration == 10)
                    #expect(player.play())
                    device.pressHome()
                    device.advance(by: .seconds(9))
                    #expect(player.isPlaying && player.currentTime == 9)
                    #expect(device.host?.phase == .background)
                    #expect(notes(device).isEmpty)
                    device.advance(by: .seconds(2))
                    #expect(notes(device) == ["finished true"])
                    #expect(!player.isPlaying && player.currentTime == 0)
                    device.advance(by: .seconds(30))
                    #expect(device.host?.phase == .suspended)
                }
            }

            @Test("a file with two repetitions is played three times; a stopped one keeps its position")
            func loops() throws {
                try run { device, app in
                    let player = try #require(app.player)
                    player.numberOfLoops = 2
                    player.play()
                    device.advance(by: .seconds(29))
                    #expect(player.isPlaying && notes(device).isEmpty)
                    device.advance(by: .seconds(2))
                    #expect(!player.isPlaying && notes(device) == ["finished true"])
                    player.play()
                    device.advance(by: .seconds(4))
                    player.stop()
                    device.advance(by: .seconds(60))
                    #expect(player.currentTime == 4 && notes(device).count == 1)
                }
            }

            @Test("a player that the app releases is silent")
            func released() throws {
                try run { device, app in
                    app.player?.play()
                    #expect(device.audio.state.isPlaying)
                    app.player = nil
                    device.advance(by: .seconds(1))
                    #expect(!device.audio.state.isPlaying)
                }
            }

            @Test("texts are spoken one after another, as lines of the log")
            func speech() throws {
                try run { device, app in
                    app.say("one")
                    app.say("two")
                    device.advance(by: .milliseconds(200))
                    #expect(notes(device) == ["said one"])
                    device.advance(by: .milliseconds(200))
                    #expect(notes(device) == ["said one", "said two"])
                    #expect(device.logText.contains("speech “one”"))
                }
            }

            @Test("a delegate that speaks the next text when one has ended has it spoken once")
            func chain() throws {
                try run { device, app in
                    app.isChaining = true
                    app.say("first")
                    app.say("later")
                    device.advance(by: .seconds(5))
                    #expect(notes(device) == ["said first", "said later", "said next"])
                    #expect(device.logText.components(separatedBy: "speech “next”").count == 2)
                }
            }

            @Test("a text that is stopped and spoken again takes its whole time")
            func spokenAgain() throws {
                try run { device, _ in
                    let (voice, text) = (AVSpeechSynthesizer(), AVSpeechUtterance(string: "0123456789"))
                    voice.speak(text)
                    device.advance(by: .milliseconds(500))
                    #expect(voice.stopSpeaking(at: .immediate))
                    voice.speak(text)
                    device.advance(by: .milliseconds(500))
                    #expect(voice.isSpeaking)
                    device.advance(by: .milliseconds(100))
                    #expect(!voice.isSpeaking)
                }
            }

            @Test("a text that is spoken or waits, and is passed to the voice again, ends the app")
            func queuedTwice() throws {
                for isFirst in [true, false] {
                    try run { device, _ in
                        device.expect(.utteranceQueuedTwice)
                        let (voice, text) = (AVSpeechSynthesizer(), AVSpeechUtterance(string: "again"))
                        if !isFirst { voice.speak(AVSpeechUtterance(string: "first")) }
                        voice.speak(text)
                        voice.speak(text)
                        device.advance(by: .zero)
                        #expect(device.host == nil && device.faults.map(\.rule) == [.utteranceQueuedTwice])
                    }
                }
            }

            @Test("a voice keeps the app running in the background until its last text has ended")
            func speechInBackground() throws {
                try run { device, app in
                    app.say(String(repeating: "a", count: 500))
                    app.say(String(repeating: "b", count: 500))
                    device.pressHome()
                    device.advance(by: .seconds(59))
                    #expect(device.host?.phase == .background)
                    device.advance(by: .seconds(31))
                    #expect(notes(device).count == 2)
                    #expect(device.host?.phase == .suspended)
                }
            }

            @Test("a voice that the app releases is silent, and does not keep it running")
            func releasedVoice() throws {
                try run { device, app in
                    var voice: AVSpeechSynthesizer? = AVSpeechSynthesizer()
                    voice?.speak(AVSpeechUtterance(string: String(repeating: "a", count: 1_000)))
                    voice = nil
                    _ = voice
                    device.pressHome()
                    device.advance(by: .seconds(31))
                    #expect(device.host?.phase == .suspended)
                }
            }

            @Test("two players of an app are mixed: each has its own position and end, and a call pauses both")
            func twoPlayers() throws {
                try run { device, app in
                    let music = try #require(app.player)
                    let bell = try AVAudioPlayer(contentsOf: URL(fileURLWithPath: "/sounds/bell.m4a"))
                    #expect(music.play())
                    device.advance(by: .seconds(3))
                    #expect(bell.play())
                    device.advance(by: .seconds(2))
                    #expect(music.isPlaying && bell.isPlaying && device.warnings.isEmpty)
                    #expect(music.currentTime == 5 && bell.currentTime == 2)
                    bell.pause()
                    device.advance(by: .seconds(1))
                    #expect(music.currentTime == 6 && bell.currentTime == 2)
                    bell.play()
                    device.advance(by: .seconds(3))
                    #expect(!bell.isPlaying && music.isPlaying && notes(device).isEmpty)
                    bell.play()
                    device.receiveCall()
                    #expect(!bell.isPlaying && !music.isPlaying)
                    device.endCall()
                    music.play()
                    device.advance(by: .seconds(2))
                    #expect(notes(device) == ["finished true"])
                }
            }

            @Test("an app is kept running by each of its players, and suspended after the last one has ended")
            func twoPlayersInBackground() throws {
                try run { device, app in
                    app.player?.play()
                    let stream = AVPlayer(url: URL(fileURLWithPath: "/sounds/bell.m4a"))
                    stream.play()
                    device.pressHome()
                    device.advance(by: .seconds(8))
                    // The player that was asked last has ended, and the other one continues.
                    #expect(stream.rate == 0 && device.host?.phase == .background)
                    device.advance(by: .seconds(8))
                    #expect(device.host?.phase == .suspended)
                }
            }

            @Test("a player without a queue is not in front of one that is paused")
            func emptyPlayer() throws {
                try run { device, app in
                    let player = try #require(app.player)
                    player.play()
                    player.pause()
                    let state = device.audio.state
                    #expect(state.current != nil)
                    device.audio.seek(to: .zero, of: 99)
                    device.audio.pausePlaying(99)
                    device.audio.startPlaying(99)
                    #expect(device.audio.state == state)
                }
            }

            @Test("an app in its own process mixes players too")
            func mixedInProcess() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device, manifest: AppManifest(backgroundModes: [.audio], usesScenes: false),
                        trackDurations: ["gong.m4a": .seconds(10), "bell.m4a": .seconds(4)],
                        program: { SimulatedPhone.run(MixingApp()) })
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(30))
                    #expect(device.notes == ["bell.m4a, gong.m4a at 4.0", "gong.m4a, bell.m4a at 0.0"])
                    #expect(device.warnings.isEmpty)
                }
            }

            @Test("a call stops the voice, and a text during the call is not spoken, with a warning")
            func speechDuringCall() throws {
                try run { device, app in
                    app.say(String(repeating: "a", count: 100))
                    app.say("waiting")
                    device.advance(by: .seconds(1))
                    device.receiveCall()
                    device.advance(by: .seconds(30))
                    #expect(notes(device) == ["stopped \(String(repeating: "a", count: 100))"])
                    app.say("during")
                    device.advance(by: .seconds(30))
                    #expect(notes(device).count == 1 && !device.logText.contains("speech “during”"))
                    #expect(device.warnings.contains { $0.contains("“during” is not spoken") })
                    device.endCall()
                    app.say("after")
                    device.advance(by: .seconds(1))
                    #expect(notes(device).last == "said after")
                }
            }

            @Test("a player begins at the position that is set before it plays, or after its end")
            func position() throws {
                try run { device, app in
                    let player = try #require(app.player)
                    player.currentTime = 4
                    #expect(player.currentTime == 4)
                    player.play()
                    device.advance(by: .seconds(1))
                    #expect(player.currentTime == 5)
                    device.advance(by: .seconds(10))
                    #expect(!player.isPlaying)
                    player.currentTime = 7
                    player.play()
                    device.advance(by: .seconds(2))
                    #expect(player.currentTime == 9)
                }
            }

            @Test("a camera is refused, with a warning")
            func camera() throws {
                try run { device, _ in
                    #expect(AVCaptureDevice.authorizationStatus(for: .video) == .restricted)
                    AVCaptureDevice.requestAccess(for: .video) { SimulatedPhone.note("camera \($0)") }
                    device.advance(by: .seconds(1))
                    #expect(notes(device) == ["camera false"])
                    #expect(device.warnings.contains { $0.contains("no camera") })
                }
            }
        }
    }
#endif
