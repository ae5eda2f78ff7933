import AVFoundation
import ApusBackground
import ApusDevice
import ApusTimers
import MediaPlayer
import SimulatedAppleCore
import Testing
import UIKit

private final class PlayerDelegate: UIResponder, UIApplicationDelegate {
    private let journal: Journal
    let player: AVQueuePlayer

    init(_ journal: Journal) {
        self.journal = journal
        let names = ["one.m4a", "two.m4a", "three.m4a"]
        player = AVQueuePlayer(items: names.map { AVPlayerItem(url: URL(fileURLWithPath: "/music/\($0)")) })
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let session = AVAudioSession.sharedInstance()
        do {
            try session.setCategory(.playback, mode: .default)
            try session.setActive(true)
        } catch {
            journal.lines.append("\(error)")
        }
        let center = NotificationCenter.default
        _ = center.addObserver(
            forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: .main
        ) { [journal] _ in MainActor.assumeIsolated { journal.lines.append("ended") } }
        _ = center.addObserver(
            forName: AVAudioSession.interruptionNotification, object: nil, queue: .main
        ) { [weak self] notification in
            let type = (notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt)
                .flatMap(AVAudioSession.InterruptionType.init)
            let options = (notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt)
                .map(AVAudioSession.InterruptionOptions.init)
            MainActor.assumeIsolated { self?.interrupted(type, options) }
        }
        MPRemoteCommandCenter.shared().pauseCommand.addTarget { [weak self] _ in
            MainActor.assumeIsolated {
                self?.player.pause()
                return .success
            }
        }
        MPNowPlayingInfoCenter.default().nowPlayingInfo = [MPMediaItemPropertyTitle: "One"]
        return true
    }

    private func interrupted(_ type: AVAudioSession.InterruptionType?, _ options: AVAudioSession.InterruptionOptions?) {
        switch type {
        case .began: journal.lines.append("began")
        case .ended:
            journal.lines.append("ended, resume: \(options?.contains(.shouldResume) ?? false)")
            if options?.contains(.shouldResume) == true {
                try? AVAudioSession.sharedInstance().setActive(true)
                player.play()
            }
        case nil: journal.lines.append("?")
        }
    }
}

/// Sets a category, and does not activate its session.
private final class CategoryDelegate: UIResponder, UIApplicationDelegate {
    private let category: AVAudioSession.Category
    let player = AVPlayer(url: URL(fileURLWithPath: "/music/one.m4a"))

    init(_ category: AVAudioSession.Category) { self.category = category }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        try? AVAudioSession.sharedInstance().setCategory(category)
        return true
    }
}

extension SimulatedAppleTests {
    @MainActor
    @Suite("AVQueuePlayer and the remote commands")
    struct Audio {
        private func run(_ body: (SimulatedDevice, Journal, AVQueuePlayer) throws -> Void) throws {
            try SimulatedDevice.run { device in
                let journal = Journal()
                SimulatedPhone.install(
                    on: device, manifest: AppManifest(backgroundModes: [.audio]),
                    trackDurations: ["one.m4a": .seconds(100), "two.m4a": .seconds(200)],
                    delegate: PlayerDelegate(journal))
                device.launch()
                let player = try #require((device.app as? PlayerDelegate)?.player)
                try body(device, journal, player)
            }
        }

        @Test("an app is not suspended while it plays, and is suspended when it stops")
        func background() throws {
            try run { device, journal, player in
                player.play()
                #expect(player.timeControlStatus == .playing)
                device.pressHome()
                device.advance(by: .seconds(150))
                #expect(device.host?.phase == .background)
                #expect(journal.take() == ["ended"])
                #expect(player.items().count == 2)
                #expect(player.currentTime().seconds == 50)
                SimulatedPhone.give(\.pauseCommand, on: device)
                #expect(player.rate == 0)
                device.advance(by: .seconds(10))
                #expect(device.host?.phase == .suspended)
            }
        }

        /// Apple, Audio Session Programming Guide, "Activating an Audio Session": the playback classes activate it.
        @Test(
            "play() activates the session of an app that has only set a category, and the category decides",
            arguments: [(AVAudioSession.Category.playback, true), (.soloAmbient, false)])
        func activation(category: AVAudioSession.Category, continues: Bool) throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(
                    on: device, manifest: AppManifest(backgroundModes: [.audio]),
                    trackDurations: ["one.m4a": .seconds(100)], delegate: CategoryDelegate(category))
                device.launch()
                let player = try #require((device.app as? CategoryDelegate)?.player)
                #expect(!device.audio.isSessionActive)
                player.play()
                #expect(device.audio.isSessionActive)
                #expect(player.timeControlStatus == .playing)
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect((device.host?.phase == .background) == continues)
                #expect((player.currentTime().seconds == 60) == continues)
            }
        }

        @Test("a player that is asked to play during a call stays paused, and the log has the reason")
        func playDuringCall() throws {
            try run { device, journal, player in
                device.receiveCall()
                player.play()
                #expect(player.timeControlStatus == .paused)
                #expect(!device.audio.isSessionActive)
                #expect(device.logText.contains("nothing plays while the audio session is inactive"))
            }
        }

        @Test("a call interrupts the player, and the app resumes when the notification says that it should")
        func interruption() throws {
            try run { device, journal, player in
                player.play()
                device.receiveCall()
                #expect(player.timeControlStatus == .paused)
                #expect(throws: (any Error).self) { try AVAudioSession.sharedInstance().setActive(true) }
                device.endCall()
                #expect(journal.take() == ["began", "ended, resume: true"])
                #expect(player.timeControlStatus == .playing)
            }
        }

        @Test("items are skipped, inserted and removed")
        func queue() throws {
            try run { device, journal, player in
                player.play()
                player.advanceToNextItem()
                #expect(device.audio.state.current?.id == "two.m4a")
                #expect(player.rate == 1)
                let extra = AVPlayerItem(url: URL(fileURLWithPath: "/music/extra.m4a"))
                player.insert(extra, after: player.currentItem)
                #expect(!player.canInsert(extra, after: nil))
                #expect(device.audio.state.upcoming.map(\.id) == ["extra.m4a", "three.m4a"])
                player.remove(extra)
                #expect(device.audio.state.upcoming.map(\.id) == ["three.m4a"])
                #expect(journal.take().isEmpty)
                player.removeAllItems()
                #expect(device.audio.state.current == nil)
            }
        }

        @Test("the now-playing information can be read, and is new in each process")
        func nowPlaying() throws {
            try run { device, _, _ in
                #expect(MPNowPlayingInfoCenter.default().nowPlayingInfo?[MPMediaItemPropertyTitle] as? String == "One")
                MPNowPlayingInfoCenter.default().playbackState = .playing
                device.kill()
                device.launch()
                #expect(MPNowPlayingInfoCenter.default().playbackState == .unknown)
            }
        }
    }
}
