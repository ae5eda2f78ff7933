import ApusApple
import ApusBackground
import ApusDevice
import ApusTestTraits
import ApusVirtualTime
import SimulatedAppleCore
import Testing
import UIKit

@testable import ApusTimers

/// The tests of ApusApple that need a phone.
@MainActor
@Suite("ApusApple on a simulated phone", .serialized, .simulatedPhone())
struct ApusAppleTests {}

/// Records an app's notes in order, with the seconds of uptime since the test began.
///
/// A test retains the journal instead of the app, because a retained app would count as a leak.
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

    /// Returns the notes since the previous call.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// An app delegate that holds the objects that a test builds in `didFinishLaunching`.
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
    /// Installs an app whose objects `build` creates at its launch, and launches it.
    func launchPort(
        _ manifest: AppManifest = AppManifest(), trackDurations: [AudioItem.ID: Duration] = [:],
        build: @escaping @MainActor (AppleHost) throws -> Any
    ) {
        SimulatedPhone.install(
            on: self, manifest: manifest, trackDurations: trackDurations, delegate: PortDelegate(build))
        launch()
    }

    /// The running app's host.
    var port: AppleHost {
        get throws { try #require((app as? PortDelegate)?.host) }
    }

    /// Returns the object of this type that the running app has built.
    func built<Value>(_: Value.Type = Value.self) throws -> Value {
        try #require((app as? PortDelegate)?.built as? Value)
    }

    /// Runs asynchronous work of the app to its end and returns its result.
    func perform<Success: Sendable>(_ work: @escaping @Sendable () async throws -> Success) throws -> Success {
        try time.perform(work)
    }

    var ends: [String] {
        log.compactMap { if case .terminated(let text) = $0.what { text } else { nil } }
    }

    /// The names of the background tasks that began, and of those that ended, each list in order.
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

    /// Returns the time from the app's entry into the background to the first event `what`.
    func delay(of what: DeviceEvent.What) throws -> Duration {
        let background = try #require(log.first { $0.what == .phase(.background) })
        return background.uptime.duration(to: try #require(log.first { $0.what == what }).uptime)
    }
}
