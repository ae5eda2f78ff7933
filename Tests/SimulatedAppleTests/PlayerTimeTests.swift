import AVFoundation
import ApusBackground
import ApusDevice
import ApusTimers
import SimulatedAppleCore
import Testing
import UIKit

private final class QuietDelegate: UIResponder, UIApplicationDelegate {}

extension SimulatedAppleTests {
    @MainActor
    @Suite("Times of AVPlayer, and system sounds")
    struct PlayerTimes {
        /// Runs a launched app with an active session; the body gets the device, the journal, and a player of 10 s.
        private func run(
            policy: SystemPolicy = SystemPolicy(), _ body: (SimulatedDevice, Journal, AVPlayer) throws -> Void
        ) throws {
            try SimulatedDevice.run(policy: policy) { device in
                SimulatedPhone.install(
                    on: device, manifest: AppManifest(backgroundModes: [.audio]),
                    trackDurations: ["ten.m4a": .seconds(10), "next.m4a": .seconds(10)], delegate: QuietDelegate())
                device.launch()
                try AVAudioSession.sharedInstance().setCategory(.playback)
                try AVAudioSession.sharedInstance().setActive(true)
                let asset = AVURLAsset(url: URL(fileURLWithPath: "/music/ten.m4a"))
                try body(device, Journal(), AVPlayer(playerItem: AVPlayerItem(asset: asset)))
            }
        }

        private func observe(_ player: AVPlayer, every seconds: Double, _ journal: Journal) -> Any {
            let interval = CMTime(seconds: seconds, preferredTimescale: CMTimeScale(NSEC_PER_SEC))
            return player.addPeriodicTimeObserver(forInterval: interval, queue: .main) { time in
                MainActor.assumeIsolated { journal.lines.append("\(time.seconds)") }
            }
        }

        @Test("a periodic observer is called at the multiples of its interval, and when playback begins and stops")
        func periodic() throws {
            try run { device, journal, player in
                let observer = observe(player, every: 2, journal)
                device.advance(by: .seconds(5))
                #expect(journal.take().isEmpty)
                player.play()
                device.advance(by: .seconds(5))
                #expect(journal.take() == ["0.0", "2.0", "4.0"])
                player.pause()
                device.advance(by: .seconds(30))
                #expect(journal.take() == ["5.0"])
                // The player calls its observer in the background too.
                player.play()
                device.pressHome()
                device.advance(by: .seconds(4))
                #expect(journal.take() == ["5.0", "6.0", "8.0"])
                player.removeTimeObserver(observer)
                device.advance(by: .seconds(4))
                #expect(journal.take().isEmpty)
            }
        }

        @Test("a call stops a time observer, which gets the duration at the end of the item")
        func interruption() throws {
            try run { device, journal, player in
                let observer = observe(player, every: 4, journal)
                player.play()
                device.advance(by: .seconds(5))
                device.receiveCall()
                device.advance(by: .seconds(60))
                #expect(journal.take() == ["0.0", "4.0", "5.0"])
                device.endCall()
                try AVAudioSession.sharedInstance().setActive(true)
                player.play()
                device.advance(by: .seconds(60))
                #expect(journal.take() == ["5.0", "8.0", "10.0"])
                #expect(player.currentItem?.duration.seconds == 10)
                player.removeTimeObserver(observer)
            }
        }

        @Test("a boundary observer is called when its times are passed, on its queue")
        func boundaries() throws {
            try run { device, _, player in
                let notes = Notes()
                let times = [8.0, 3].map { NSValue(time: CMTime(seconds: $0, preferredTimescale: 600)) }
                let queue = DispatchQueue(label: "boundaries")
                let observer = player.addBoundaryTimeObserver(forTimes: times, queue: queue) {
                    notes.add("passed, main: \(MainThread.isCurrent)")
                }
                player.play()
                device.advance(by: .milliseconds(2_999))
                #expect(notes.all.isEmpty)
                device.advance(by: .milliseconds(1))
                #expect(notes.all == ["passed, main: false"])
                player.seek(to: CMTime(seconds: 7, preferredTimescale: 1))
                device.advance(by: .seconds(1))
                #expect(notes.all.count == 2)
                player.removeTimeObserver(observer)
            }
        }

        @Test("an observer of another player, and one without an interval or times, are faults")
        func faults() throws {
            var policy = SystemPolicy()
            policy.endsAppAtExceptions = false
            let error = #expect(throws: DeviceError.self) {
                try run(policy: policy) { _, journal, player in
                    let observer = observe(player, every: 0, journal)
                    _ = player.addBoundaryTimeObserver(forTimes: [], queue: nil) {}
                    AVPlayer().removeTimeObserver(observer)
                }
            }
            let text = error?.description ?? ""
            #expect(text.contains("the interval 0.0 s of a periodic time observer is not positive"))
            #expect(text.contains("a boundary time observer has no times; pass at least one"))
            #expect(text.contains("this player does not have the time observer; remove it once"))
        }

        @Test("a time observer for which a phone raises an exception ends the app")
        func exception() throws {
            try SimulatedDevice.run { device in
                device.expect(.timeObserver)
                SimulatedPhone.install(on: device, delegate: QuietDelegate())
                device.launch()
                _ = observe(AVPlayer(), every: 0, Journal())
                device.advance(by: .seconds(1))
                #expect(device.host == nil)
            }
        }

        @Test("a player that does not advance keeps its item at the end")
        func actionAtItemEnd() throws {
            try run { device, _, _ in
                let items = ["ten", "next"].map { AVPlayerItem(url: URL(fileURLWithPath: "/music/\($0).m4a")) }
                let player = AVQueuePlayer(items: items)
                #expect(player.actionAtItemEnd == .advance)
                #expect(AVPlayer().actionAtItemEnd == .pause)
                player.actionAtItemEnd = .pause
                player.play()
                device.advance(by: .seconds(15))
                #expect(player.items().count == 2)
                #expect(player.rate == 0)
                #expect(player.currentTime().seconds == 10)
                player.advanceToNextItem()
                player.actionAtItemEnd = .advance
                player.play()
                device.advance(by: .seconds(15))
                #expect(player.items().isEmpty)
                #expect((items[0].asset as? AVURLAsset)?.url.lastPathComponent == "ten.m4a")
            }
        }

        @Test("system sounds and vibrations are in the device's log, once in an instant")
        func systemSounds() throws {
            try run { device, journal, _ in
                AudioServicesPlaySystemSound(1_007)
                AudioServicesPlaySystemSound(1_007)
                AudioServicesPlayAlertSound(1_005)
                AudioServicesPlaySystemSound(kSystemSoundID_Vibrate)
                device.advance(by: .seconds(1))
                AudioServicesPlaySystemSoundWithCompletion(1_007) { journal.lines.append("over") }
                #expect(journal.take().isEmpty)
                device.advance(by: .zero)
                #expect(journal.take() == ["over"])
                let sounds = device.log.compactMap { event in
                    if case .audio(let text) = event.what { text } else { nil }
                }
                #expect(sounds == ["system sound 1007", "alert sound 1005", "vibration", "system sound 1007"])
            }
        }
    }
}
