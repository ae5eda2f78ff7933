import ApusApple
import ApusBackground
import ApusDevice
import ApusTestTraits
import ApusVirtualTime
import SimulatedAppleCore
import Testing
import UIKit

@testable import ApusTimers

/// Everything of ApusApple that needs a phone.
@MainActor
@Suite("ApusApple on a simulated phone", .serialized, .simulatedPhone())
struct ApusAppleTests {}

/// What an app has noted, in order, with the seconds of uptime since the test began. A test holds this instead of the
/// app.
final class Journal: Sendable {
    private let lines = Locked<[String]>([])
    private let time: VirtualTime
    private let start: UptimeInstant

    @MainActor
    init(_ device: SimulatedDevice) {
        time = device.time
        start = device.time.uptime()
    }

    func note(_ text: String) {
        let seconds = start.duration(to: time.uptime()).wholeNanoseconds / 1_000_000_000
        lines.withLock { $0.append("\(seconds) \(text)") }
    }

    var all: [String] { lines.withLock { $0 } }

    /// What came since it was last asked.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// An app that consists of what a test builds in `didFinishLaunching`.
final class PortDelegate: UIResponder, UIApplicationDelegate {
    private let build: @MainActor (AppleHost) throws -> Any
    private(set) var host: AppleHost?
    private(set) var built: Any?

    init(_ build: @escaping @MainActor (AppleHost) throws -> Any) {
        self.build = build
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let host = AppleHost()
        self.host = host
        do {
            built = try build(host)
        } catch {
            Issue.record(error)
        }
        return true
    }
}

extension SimulatedDevice {
    /// Installs an app that `build` makes when it launches, and launches it.
    func launchPort(
        _ manifest: AppManifest = AppManifest(), trackDurations: [AudioItem.ID: Duration] = [:],
        build: @escaping @MainActor (AppleHost) throws -> Any
    ) {
        SimulatedPhone.install(
            on: self, manifest: manifest, trackDurations: trackDurations, delegate: PortDelegate(build))
        launch()
    }

    /// The host of the running app.
    var port: AppleHost {
        get throws { try #require((app as? PortDelegate)?.host) }
    }

    /// What the running app has built.
    func built<Value>(_: Value.Type = Value.self) throws -> Value {
        try #require((app as? PortDelegate)?.built as? Value)
    }

    /// Runs asynchronous work of the app to its end.
    func perform<Success: Sendable>(_ work: @escaping @Sendable () async throws -> Success) throws -> Success {
        try time.perform(work)
    }

    var ends: [String] {
        log.compactMap { if case .terminated(let text) = $0.what { text } else { nil } }
    }

    /// The names of the background tasks that were begun, and of those that were ended, each in order.
    var claims: (began: [String], ended: [String]) {
        var claims: (began: [String], ended: [String]) = ([], [])
        for event in log {
            switch event.what {
            case .backgroundTaskBegan(let name): claims.began.append(name)
            case .backgroundTaskEnded(let name): claims.ended.append(name)
            default: break
            }
        }
        return claims
    }

    /// When that first happened, after the app entered the background.
    func delay(of what: DeviceEvent.What) throws -> Duration {
        let background = try #require(log.first { $0.what == .phase(.background) })
        return background.uptime.duration(to: try #require(log.first { $0.what == what }).uptime)
    }
}
