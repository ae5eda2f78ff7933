import ApusApple
import ApusBackground
import ApusDevice
import ApusVirtualTime
import SimulatedAppleCore
import Testing
import UIKit

@testable import ApusTimers

extension ApusAppleTests {
    @MainActor
    @Suite("AppleBackgroundJobs: runs")
    struct JobRuns {
        // MARK: Runs

        @Test("a refresh that submits the next one runs by the device's rules for three days, never before its date")
        func threeDays() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                let interval = Duration.seconds(4 * 3_600)
                device.launchPort(JobApp.manifest) { host in
                    let jobs = AppleBackgroundJobs(host: host)
                    try jobs.register("refresh") { [weak jobs] run in
                        let begin = host.engine.time.wall()
                        try await jobs?.submit(
                            BackgroundJobRequest("refresh", .refresh, earliestBegin: begin.advanced(by: interval)))
                        try await host.engine.sleep(for: .seconds(5))
                        journal.note("refreshed, \(run.request.kind)")
                    }
                    return jobs
                }
                try JobApp.submit(
                    BackgroundJobRequest(
                        "refresh", .refresh, earliestBegin: device.time.wall().advanced(by: interval)), device)
                for _ in 0..<3 {
                    device.pressHome()
                    device.advance(by: .seconds(86_400 - 600))
                    device.open()
                    device.advance(by: .seconds(600))
                }
                let runs = device.jobs.report.runs
                // A refresh may begin four hours after its request, and should begin within another four hours.
                #expect((8...18).contains(runs.count), "\(device.jobs.report)")
                #expect(journal.all.count == runs.count)
                #expect(runs.allSatisfy { $0.outcome == .succeeded })
                for run in runs {
                    let begin = try #require(run.request.earliestBegin)
                    // The dates of the system have whole seconds, so each comparison allows a second.
                    #expect(begin.duration(to: run.launched) >= .seconds(-1))
                    #expect(run.submitted.duration(to: begin) >= interval - .seconds(1))
                }
                #expect(device.ends.isEmpty)
            }
        }

        @Test("equal runs of several days give the same log, byte for byte")
        func determinism() throws {
            func text() throws -> String {
                try SimulatedDevice.run(seed: 7) { device in
                    device.launchPort(JobApp.manifest) { host in
                        let jobs = AppleBackgroundJobs(host: host)
                        try jobs.register("refresh") { [weak jobs] run in
                            let next = host.engine.time.wall().advanced(by: .seconds(7_200))
                            try await jobs?.submit(BackgroundJobRequest("refresh", .refresh, earliestBegin: next))
                        }
                        return jobs
                    }
                    try JobApp.submit(BackgroundJobRequest("refresh", .refresh), device)
                    device.pressHome()
                    device.advance(by: .seconds(3 * 86_400))
                    return device.logText
                }
            }
            let first = try text()
            #expect(first.contains("completed refresh"))
            try #expect(text() == first)
        }

        @Test("the system starts the app for a job, and the run knows its kind although another process submitted it")
        func relaunch() throws {
            try JobApp.run { jobs, journal in
                for identifier in ["refresh", "cleanup"] {
                    try jobs.register(identifier) { run in journal.note("\(run.identifier) \(run.request.kind)") }
                }
            } _: { device, journal in
                try JobApp.submit(
                    BackgroundJobRequest("cleanup", .processing(requiresExternalPower: true)), device)
                device.pressHome()
                device.advance(by: .seconds(10))
                device.kill()
                device.lock()
                device.plugIn()
                device.advance(by: .seconds(3_600))
                #expect(journal.all.count == 1)
                #expect(journal.all.first?.hasSuffix("cleanup \(BackgroundJobRequest.Kind.processing())") == true)
                #expect(device.jobs.report.runs.map(\.outcome) == [.succeeded])
            }
        }

        @Test("a run whose handler throws has failed")
        func failure() throws {
            try JobApp.run { jobs, _ in
                try jobs.register("refresh") { _ in throw BackgroundError(code: .storeFailed, message: "no") }
            } _: { device, _ in
                try JobApp.submit(BackgroundJobRequest("refresh", .refresh), device)
                device.pressHome()
                device.advance(by: .seconds(3_600))
                #expect(device.jobs.report.runs.map(\.outcome) == [.failed])
            }
        }

        @Test("the end of the time cancels the Swift task and completes the run")
        func expiry() throws {
            try JobApp.run { jobs, journal in
                try jobs.register("refresh") { [weak jobs] run in
                    _ = jobs
                    run.onExpiration { journal.note("expired") }
                    do {
                        try await Task.sleepForEver()
                    } catch {
                        journal.note("cancelled")
                        throw error
                    }
                }
            } _: { device, journal in
                try JobApp.submit(BackgroundJobRequest("refresh", .refresh), device)
                device.pressHome()
                device.advance(by: .seconds(300))
                let run = try #require(device.jobs.report.runs.first)
                #expect(run.launched.duration(to: try #require(run.ended)) == .seconds(26))
                #expect(run.outcome == .expired)
                #expect(Set(journal.all.map { $0.split(separator: " ").last }) == ["expired", "cancelled"])
                #expect(device.ends.isEmpty)
            }
        }

        @Test("the host starts the work without the system's queue or the main actor")
        func isolation() throws {
            try JobApp.run { jobs, journal in
                // The handler is `Sendable`, so it does not inherit the main actor of this context.
                try jobs.register("refresh") { run in
                    run.report(completed: 1, of: 2)
                    run.update(title: "a title without a reader", subtitle: "")
                    #expect(run.timeRemaining == nil)
                    journal.note("ran")
                }
            } _: { device, journal in
                try JobApp.submit(BackgroundJobRequest("refresh", .refresh), device)
                device.pressHome()
                device.advance(by: .seconds(300))
                #expect(journal.all.count == 1)
            }
        }

        // MARK: Continued work

        @Test(
            "continued work shows progress and titles to the user, continues in the background, and ends when cancelled"
        )
        func continuedWork() throws {
            try JobApp.run { device, journal in
                let jobs: AppleBackgroundJobs = try device.built()
                let engine = try device.port.engine
                try jobs.register("com.example.export.1") { run in
                    run.onExpiration { journal.note("wind up") }
                    run.update(title: "Exporting", subtitle: "photos")
                    for step in 1...1_000 as ClosedRange<Int64> {
                        try await engine.sleep(for: .seconds(1))
                        run.report(completed: step, of: 1_000)
                    }
                }
                try JobApp.submit(JobApp.continued("com.example.export.1"), device)
                device.advance(by: .seconds(10.5))
                device.pressHome()
                device.advance(by: .seconds(100))
                let task = try #require(device.jobs.running.first)
                #expect(task.progress == (110, 1_000))
                #expect(task.title == "Exporting" && task.subtitle == "photos")
                device.cancelJob("com.example.export.1")
                device.advance(by: .seconds(1))
                #expect(journal.all == ["110 wind up"])
                #expect(device.jobs.report.runs.map(\.outcome) == [.expired])
                #expect(device.ends.isEmpty)
            }
        }
    }
}
