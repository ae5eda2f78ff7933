import ApusBackground
import ApusTesting
import ApusTimers
import Foundation
import SleeplessApp
import Testing

@testable import Sleepless

/// The exploration of Sleepless by a random user, with more seeds if `APUS_SEEDS` is set.
@MainActor
@Suite("Exploration of Sleepless")
struct ExplorationTests {
    private static let seeds: ClosedRange<UInt64> =
        1...(ProcessInfo.processInfo.environment["APUS_SEEDS"].flatMap(UInt64.init) ?? 500)

    /// The taps that the user chooses from, whatever the app shows; refused taps have no effect.
    private static let actions: [AppAction] = [
        AppAction("try device.sleepless.timer.go(delay: 3, repeat: nil)") {
            _ = try app($0).timer.go(delay: 3, repeat: nil)
        },
        AppAction("try device.sleepless.timer.go(delay: 5, repeat: 7)") {
            _ = try app($0).timer.go(delay: 5, repeat: 7)
        },
        AppAction("try device.sleepless.timer.cancelAll()") { try app($0).timer.cancelAll() },
        AppAction("try device.sleepless.countdown.start(seconds: 1500)") {
            try app($0).countdown.start(seconds: 1_500)
        },
        AppAction("try device.sleepless.countdown.pause()") { try app($0).countdown.pause() },
        AppAction("try device.sleepless.countdown.resume()") { try app($0).countdown.resume() },
        AppAction("try device.sleepless.countdown.add(seconds: 60)") { try app($0).countdown.add(seconds: 60) },
        AppAction("try device.sleepless.countdown.cancel()") { try app($0).countdown.cancel() },
        AppAction("try device.sleepless.countdown.acknowledge()") { try app($0).countdown.acknowledge() },
        AppAction(#"try device.sleepless.toDo.add("tea")"#) { _ = try app($0).toDo.add("tea") },
        AppAction("try device.sleepless.toDo.complete(1)") { try app($0).toDo.complete(1) },
        AppAction("try device.sleepless.toDo.remove(1)") { try app($0).toDo.remove(1) },
        AppAction("try device.sleepless.audio?.play()") { try app($0).audio?.play() },
        AppAction("try device.sleepless.audio?.pause()") { try app($0).audio?.pause() },
        AppAction("try device.sleepless.audio?.next()") { try app($0).audio?.next() },
        AppAction("try device.sleepless.location?.authorize(.always)") { try app($0).location?.authorize(.always) },
        AppAction("try device.sleepless.location?.start(inBackground: true)") {
            try app($0).location?.start(inBackground: true)
        },
        AppAction("try device.sleepless.location?.stop()") { try app($0).location?.stop() },
        AppAction("try device.sleepless.completion.start()") { try app($0).completion.start() },
        AppAction("try device.sleepless.completion.stop()") { try app($0).completion.stop() },
        AppAction("try device.sleepless.refresh.schedule(.refresh, earliest: 0, network: false, power: false)") {
            try app($0).refresh.schedule(.refresh, earliest: 0, network: false, power: false)
        },
        AppAction("try device.sleepless.refresh.schedule(.processing, earliest: 60, network: true, power: true)") {
            try app($0).refresh.schedule(.processing, earliest: 60, network: true, power: true)
        },
        AppAction(#"try device.sleepless.refresh.simulateLaunch("sleepless.refresh")"#) {
            try app($0).refresh.simulateLaunch("sleepless.refresh")
        },
    ]

    private struct NoApp: Error {}

    private static func app(_ device: SimulatedDevice) throws -> App {
        guard let app = device.app as? App else { throw NoApp() }
        return app
    }

    /// Returns a description of the first inconsistency that the app shows; `nil` if there is none, or if no app runs.
    private static func inconsistency(_ device: SimulatedDevice) -> String? {
        guard let shown = (device.app as? App)?.snapshot() else { return nil }
        let countdown = shown.countdown
        // After a restart of the device, only the wall clock shows how much time has passed, and it may have been set.
        let controls = device.log.compactMap { if case .control(let name) = $0.what { name } else { nil } }
        let knowsTime = !controls.contains("reboot") || !controls.contains { $0.contains("wall clock") }
        if countdown.remaining < 0 || knowsTime && countdown.remaining > countdown.total + 0.001 {
            return "\(countdown.remaining) s of \(countdown.total) s are left of the countdown"
        }
        let rows = shown.timer.rows.map(\.id)
        let tasks = shown.todo.tasks.map(\.id)
        if Set(rows).count != rows.count { return "two timers have one identifier: \(rows)" }
        if Set(tasks).count != tasks.count { return "two tasks have one identifier: \(tasks)" }
        let pending = shown.refresh.pending.map(\.id)
        if Set(pending).count != pending.count { return "a job is shown twice: \(pending)" }
        if shown.completion.isRunning, device.appPhase == .suspended, shown.completion.remaining ?? 0 > 30 {
            return "suspended with \(shown.completion.remaining ?? 0) s left"
        }
        return nil
    }

    @Test("Sleepless withstands the random user")
    func randomUser() throws {
        let report = try SimulatedDevice.explore(seeds: Self.seeds, Exploration { _ in Self.actions }) { device in
            device.installSleepless()
        } check: {
            Self.inconsistency($0)
        }
        print("Sleepless: \(report)")
        #expect(report.seedCount == Self.seeds.count)
        #expect(report.launchCount > Self.seeds.count && report.suspensionCount > 0 && report.expirationCount > 0)
        #expect(report.jobCount > 0 && report.notificationCount > 0)
    }
}
