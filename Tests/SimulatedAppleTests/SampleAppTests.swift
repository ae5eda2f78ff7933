import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore
import Testing
import UIKit

@testable import SampleAppsSwift5
@testable import SampleAppsSwift6

extension SimulatedDevice {
    /// Runs the device in real time while the condition holds, for at most ten seconds.
    ///
    /// The apps of these tests sleep on threads of Dispatch.
    fileprivate func runInRealTime(while condition: () -> Bool) async {
        for _ in 1...500 where condition() { await runInRealTime(for: .milliseconds(20)) }
    }
}

extension SimulatedAppleTests {
    /// Tests ordinary code of iOS apps, compiled in Swift 5 mode and in Swift 6 mode.
    @MainActor
    @Suite("Sample apps")
    struct SampleApps {
        // MARK: Work after a delay, on Dispatch's threads: in real time

        /// The calls that the tests make on the two classes with the name `DelayedWork`.
        struct DelayedWorkDriver {
            let name: String
            let makeApp: @MainActor () -> any UIApplicationDelegate
            let execute: @MainActor (Double, Bool, Journal) -> Int
            let cancel: @MainActor (Set<Int>) -> Void
            let pending: @MainActor () -> Set<Int>
        }

        nonisolated static let delayedWork = [
            DelayedWorkDriver(
                name: "Swift 5", makeApp: { SampleAppsSwift5.DelayedWorkAppDelegate() },
                execute: { delay, repeating, journal in
                    SampleAppsSwift5.DelayedWork.shared.executeAfterDelay(delay: delay, repeating: repeating) {
                        MainActor.assumeIsolated { journal.lines.append("done") }
                    }
                },
                cancel: { SampleAppsSwift5.DelayedWork.shared.cancelExecution(tasks: $0) },
                pending: { SampleAppsSwift5.DelayedWork.shared.pendingTasks }),
            DelayedWorkDriver(
                name: "Swift 6", makeApp: { SampleAppsSwift6.DelayedWorkAppDelegate() },
                execute: { delay, repeating, journal in
                    SampleAppsSwift6.DelayedWork.shared.executeAfterDelay(delay: delay, repeating: repeating) {
                        journal.lines.append("done")
                    }
                },
                cancel: { SampleAppsSwift6.DelayedWork.shared.cancelExecution(tasks: $0) },
                pending: { SampleAppsSwift6.DelayedWork.shared.pendingTasks }),
        ]

        @Test(
            "work after a delay is done in the background under a background task, then the app is suspended",
            arguments: delayedWork)
        func delayed(_ app: DelayedWorkDriver) async throws {
            try await SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: app.makeApp())
                device.launch()
                let journal = Journal()
                _ = app.execute(0.1, false, journal)
                device.pressHome()
                #expect(app.pending().count == 1)
                await device.runInRealTime(while: { !app.pending().isEmpty })
                #expect(journal.lines == ["done"])
                #expect(app.pending().isEmpty)
                #expect(device.has(.backgroundTaskEnded("delayed work")))
                await device.advance(by: .seconds(3))
                #expect(device.host?.phase == .suspended)
            }
        }

        @Test("cancelled work is not done, and gives its background task back", arguments: delayedWork)
        func cancelled(_ app: DelayedWorkDriver) async throws {
            try await SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: app.makeApp())
                device.launch()
                let journal = Journal()
                let cancelled = app.execute(0.1, false, journal)
                _ = app.execute(0.1, false, journal)
                app.cancel([cancelled, 4_711])
                device.pressHome()
                await device.runInRealTime(while: { !app.pending().isEmpty })
                #expect(journal.lines == ["done"])
                #expect(app.pending().isEmpty)
            }
        }

        @Test("repeated work continues until the time is over, and then ends by itself", arguments: delayedWork)
        func repeated(_ app: DelayedWorkDriver) async throws {
            var policy = SystemPolicy()
            // The budget is short, so that the test does not take half a minute of real time.
            policy.backgroundBudget = .seconds(2)
            policy.expirationLead = .seconds(1)
            try await SimulatedDevice.run(policy: policy) { device in
                SimulatedPhone.install(on: device, delegate: app.makeApp())
                device.launch()
                let journal = Journal()
                _ = app.execute(0.1, true, journal)
                device.pressHome()
                await device.runInRealTime(while: { !app.pending().isEmpty })
                #expect(journal.lines.count >= 2)
                #expect(app.pending().isEmpty)
                #expect(device.has(.backgroundTasksExpired(1)))
            }
        }

        // MARK: Refreshes for a month: in virtual time

        struct NewsApp {
            let name: String
            let makeApp: @MainActor () -> any UIApplicationDelegate
        }

        nonisolated static let newsApps = [
            NewsApp(name: "Swift 5", makeApp: { SampleAppsSwift5.NewsAppDelegate() }),
            NewsApp(name: "Swift 6", makeApp: { SampleAppsSwift6.NewsAppDelegate() }),
        ]

        @Test(
            "a news app is refreshed for thirty days, and the report says when, and why not more often",
            arguments: newsApps)
        func month(_ app: NewsApp) throws {
            let identifier = "com.example.news.refresh"
            let defaults = UserDefaults.standard
            let keys = ["nextRefresh", "refreshCount", "refreshError"]
            defer { keys.forEach(defaults.removeObject) }
            keys.forEach(defaults.removeObject)
            var logs: [String] = []
            for _ in 1...2 {
                keys.forEach(defaults.removeObject)
                try SimulatedDevice.run(seed: 7) { device in
                    SimulatedPhone.install(
                        on: device,
                        manifest: AppManifest(backgroundModes: [.fetch], permittedTaskIdentifiers: [identifier]),
                        delegate: app.makeApp())
                    let begin = device.time.wall()
                    for day in 1...30 {
                        // The user is at home for ten days, on the road with the low-power mode for three days, and
                        // then at home again.
                        if day == 11 || day == 14 { device.setLowPowerMode(day == 11) }
                        liveADay(on: device)
                    }
                    let report = device.jobs.report
                    let runs = report.count(of: identifier)
                    #expect(runs >= 30, "\(report)")
                    #expect(runs <= 12 * 30, "at most every two hours")
                    #expect(report.runs.allSatisfy { $0.outcome == .succeeded })
                    for (run, next) in zip(report.runs, report.runs.dropFirst()) {
                        #expect(run.launched.duration(to: next.launched) >= .seconds(2 * 3_600))
                    }
                    let saving = begin.advanced(by: .seconds(10 * 86_400))...begin.advanced(by: .seconds(13 * 86_400))
                    #expect(!report.runs.contains { saving.contains($0.launched) })
                    #expect(report.deferrals[identifier]?["low-power mode"] ?? 0 > 0, "\(report)")
                    #expect(report.deferrals[identifier]?["not expected to be used soon"] ?? 0 > 0, "\(report)")
                    #expect(report.waiting.count == 1)
                    #expect(defaults.integer(forKey: "refreshCount") == runs)
                    #expect(defaults.object(forKey: "nextRefresh") is Date)
                    #expect(defaults.string(forKey: "refreshError") == nil)
                    // The report is printed once, for people.
                    if logs.isEmpty { print("\(app.name): \(report)") }
                    logs.append(device.logText)
                }
            }
            #expect(logs[0] == logs[1], "the same seed gives the same month")
        }

        /// Uses the device for a day on which the user reads the news twice, for five minutes each time.
        private func liveADay(on device: SimulatedDevice) {
            for hours in [8, 12] {
                device.advance(by: .seconds(hours * 3_600))
                device.open()
                device.advance(by: .seconds(300))
                device.pressHome()
                device.lock()
            }
            device.advance(by: .seconds(4 * 3_600 - 600))
        }

        // MARK: Computing under a background task: in virtual time

        struct PrimeApp {
            let name: String
            let makeApp: @MainActor () -> any UIApplicationDelegate
            /// Returns the state of the search: the number of primes, whether it runs, whether it was cut short, and
            /// the remaining times that it has read.
            let look: @MainActor (SimulatedDevice) -> (count: Int, isRunning: Bool, wasCutShort: Bool, times: [Double])
        }

        nonisolated static let primeApps = [
            PrimeApp(
                name: "Swift 5", makeApp: { SampleAppsSwift5.PrimeAppDelegate() },
                look: { device in
                    let search = (device.app as? SampleAppsSwift5.PrimeAppDelegate)?.search
                    return (
                        search?.primes.count ?? -1, search?.isRunning ?? false, search?.wasCutShort ?? false,
                        search?.remainingTimes ?? []
                    )
                }),
            PrimeApp(
                name: "Swift 6", makeApp: { SampleAppsSwift6.PrimeAppDelegate() },
                look: { device in
                    let search = (device.app as? SampleAppsSwift6.PrimeAppDelegate)?.search
                    return (
                        search?.primes.count ?? -1, search?.isRunning ?? false, search?.wasCutShort ?? false,
                        search?.remainingTimes ?? []
                    )
                }),
        ]

        @Test(
            "a search continues in the background, stops when its time is over, and ends when the user is back",
            arguments: primeApps)
        func primes(_ app: PrimeApp) async throws {
            try await SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: app.makeApp())
                device.launch()
                await device.advance(by: .seconds(1))
                let inFront = app.look(device)
                #expect(inFront.count > 0)
                #expect(inFront.isRunning)
                device.pressHome()
                // The search yields to the executor of another thread, so the test waits for its first turn.
                for _ in 1...10_000 where app.look(device).times.isEmpty { await device.advance(by: .zero) }
                // Time advances in small steps, so that the app's task has a turn at each of them.
                for _ in 1...40 { await device.advance(by: .seconds(1)) }
                let inBackground = app.look(device)
                #expect(inBackground.count > inFront.count)
                #expect(inBackground.wasCutShort)
                #expect(!inBackground.isRunning)
                #expect(inBackground.times.first == 30)
                #expect(zip(inBackground.times, inBackground.times.dropFirst()).allSatisfy { $0 >= $1 })
                #expect(device.host?.phase == .suspended)
                device.open()
                for _ in 1...10_000 where app.look(device).isRunning || app.look(device).count < 400 {
                    await device.advance(by: .milliseconds(100))
                }
                #expect(app.look(device).count == 400)
                #expect(device.ends.isEmpty)
            }
        }
    }
}
