import ApusBackground
import ApusTesting
import ApusTimers
import SleeplessApp
import Testing

@testable import Sleepless

extension SimulatedDevice {
    /// Runs a test with the app installed, and fails it if the device reports a fault.
    static func withSleepless(_ body: (SimulatedDevice) throws -> Void) throws {
        try SimulatedDevice.run { device in
            device.installSleepless()
            device.open()
            try body(device)
        }
    }

    func installSleepless() {
        let lengths = Dictionary(uniqueKeysWithValues: Tracks.all.map { ($0.id, Duration.seconds($0.seconds)) })
        install(PhoneStage.manifest, trackDurations: lengths) { host in
            host.notifications.onForegroundDelivery = { _ in .shown }
            return try App(
                Services(
                    host: host, store: host.storage, notifications: host.notifications, audio: host.audio,
                    location: host.location, jobs: host.jobs, tracks: Tracks.all,
                    askToNotify: { _ = await host.notifications.requestAuthorization() },
                    block: { host.work(for: $0) }))
        }
    }

    /// The app of the running process.
    var sleepless: App { get throws { try #require(app as? App) } }

    /// The visible state of the app.
    var shown: AppSnapshot { get throws { try sleepless.snapshot() } }

    /// The models and screens that a host without sound or positions does not have.
    var audioModel: AudioModel { get throws { try #require(sleepless.audio) } }
    var locationModel: LocationModel { get throws { try #require(sleepless.location) } }
    var shownAudio: AudioSnapshot { get throws { try #require(shown.audio) } }
    var shownLocation: LocationSnapshot { get throws { try #require(shown.location) } }

    func advance(seconds: Double) { advance(by: .seconds(seconds)) }
}

@MainActor
final class Counter {
    var count = 0
}
