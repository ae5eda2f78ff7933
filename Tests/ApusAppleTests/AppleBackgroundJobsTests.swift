import ApusApple
import ApusBackground
import ApusJobs
import ApusTesting
import SimulatedPhone
import Testing
import UIKit

@testable import ApusTimers

extension ApusAppleTests {
    @MainActor
    @Suite("AppleBackgroundJobs")
    struct Jobs {
        private static let manifest = AppManifest(
            backgroundModes: [.fetch, .processing],
            permittedTaskIdentifiers: ["refresh", "other", "cleanup", "com.example.export.*"])

        /// Looks at the requests often, and waits for no expected use.
        private static var quick: SystemPolicy {
            var policy = SystemPolicy()
            policy.jobs.opportunitySpacing = .seconds(60)...(.seconds(60))
            policy.jobs.refreshPatience = .zero
            return policy
        }

        private func run(
            policy: SystemPolicy = quick,
            register: @escaping @MainActor (AppleBackgroundJobs, Journal) throws -> Void = { _, _ in },
            _ body: (SimulatedDevice, Journal) throws -> Void
        ) throws {
            try SimulatedDevice.run(policy: policy) { device in
                let journal = Journal(device)
                device.launchPort(Self.manifest) { host in
                    let jobs = AppleBackgroundJobs(on: host)
                    try register(jobs, journal)
                    return jobs
                }
                try body(device, journal)
            }
        }

        /// The jobs of the running app, for a moment: a test must not hold them.
        private func submit(_ request: BackgroundJobRequest, _ device: SimulatedDevice) throws {
            let jobs: AppleBackgroundJobs = try device.built()
            try device.perform { try await jobs.submit(request) }
        }

        private func code(_ request: BackgroundJobRequest, _ device: SimulatedDevice) throws -> BackgroundJobError.Code?
        {
            do {
                try submit(request, device)
                return nil
            } catch let error as BackgroundJobError {
                return error.code
            }
        }

        private func pending(_ device: SimulatedDevice) throws -> [BackgroundJobRequest] {
            let jobs: AppleBackgroundJobs = try device.built()
            return try device.perform { await jobs.pending() }
        }

        private func continued(
            _ identifier: String, _ strategy: ContinuedJob.Strategy = .queue
        ) -> BackgroundJobRequest {
            BackgroundJobRequest(identifier, .continued(ContinuedJob(title: "Export", strategy: strategy)))
        }

        // MARK: Runs

        @Test("a refresh that submits the next one runs by the device's rules for three days, each time after its date")
        func threeDays() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                let interval = Duration.seconds(4 * 3_600)
                device.launchPort(Self.manifest) { host in
                    let jobs = AppleBackgroundJobs(on: host)
                    try jobs.register("refresh") { [weak jobs] run in
                        let begin = host.engine.time.wall()
                        try await jobs?.submit(
                            BackgroundJobRequest("refresh", .refresh, earliestBegin: begin.advanced(by: interval)))
                        try await host.engine.sleep(for: .seconds(5))
                        journal.note("refreshed, \(run.request.kind)")
                    }
                    return jobs
                }
                try submit(
                    BackgroundJobRequest(
                        "refresh", .refresh, earliestBegin: device.time.wall().advanced(by: interval)), device)
                for _ in 0..<3 {
                    device.pressHome()
                    device.advance(by: .seconds(86_400 - 600))
                    device.open()
                    device.advance(by: .seconds(600))
                }
                let runs = device.jobs.report.runs
                // Four hours until it may run, up to four more until it is expected to be of use.
                #expect((8...18).contains(runs.count), "\(device.jobs.report)")
                #expect(journal.all.count == runs.count)
                #expect(runs.allSatisfy { $0.outcome == .succeeded })
                for run in runs {
                    let begin = try #require(run.request.earliestBegin)
                    // The system's dates are translated to the second.
                    #expect(begin.duration(to: run.launched) >= .seconds(-1))
                    #expect(run.submitted.duration(to: begin) >= interval - .seconds(1))
                }
                #expect(device.ends.isEmpty)
            }
        }

        @Test("the system starts the app for a job, and the run knows its kind though another process has submitted it")
        func relaunch() throws {
            try run { jobs, journal in
                for identifier in ["refresh", "cleanup"] {
                    try jobs.register(identifier) { run in journal.note("\(run.identifier) \(run.request.kind)") }
                }
            } _: { device, journal in
                try submit(
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

        @Test("a handler that throws has failed")
        func failure() throws {
            try run { jobs, _ in
                try jobs.register("refresh") { _ in throw BackgroundError(.storeFailed, "no") }
            } _: { device, _ in
                try submit(BackgroundJobRequest("refresh", .refresh), device)
                device.pressHome()
                device.advance(by: .seconds(3_600))
                #expect(device.jobs.report.runs.map(\.outcome) == [.failed])
            }
        }

        @Test("when the time is over the Swift task is cancelled, and the run completed")
        func expiry() throws {
            try run { jobs, journal in
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
                try submit(BackgroundJobRequest("refresh", .refresh), device)
                device.pressHome()
                device.advance(by: .seconds(300))
                let run = try #require(device.jobs.report.runs.first)
                #expect(run.launched.duration(to: try #require(run.ended)) == .seconds(26))
                #expect(run.outcome == .expired)
                #expect(Set(journal.all.map { $0.split(separator: " ").last }) == ["expired", "cancelled"])
                #expect(device.ends.isEmpty)
            }
        }

        @Test("the host starts the work, not the system's queue, and the main actor is not needed")
        func isolation() throws {
            try run { jobs, journal in
                // Written in a main-actor context: the handler is Sendable, so it does not inherit that.
                try jobs.register("refresh") { run in
                    run.report(completed: 1, of: 2)
                    run.update(title: "nobody reads this", subtitle: "")
                    #expect(run.timeRemaining == nil)
                    journal.note("ran")
                }
            } _: { device, journal in
                try submit(BackgroundJobRequest("refresh", .refresh), device)
                device.pressHome()
                device.advance(by: .seconds(300))
                #expect(journal.all.count == 1)
            }
        }

        // MARK: Errors

        @Test("what a phone raises exceptions for is an error, and is not said to the phone")
        func exceptions() throws {
            try run { jobs, journal in
                try jobs.register("refresh") { _ in }
                for identifier in ["refresh", "undeclared", ""] {
                    do throws(BackgroundJobError) {
                        try jobs.register(identifier) { _ in }
                    } catch {
                        journal.note("\(error.code)")
                    }
                }
            } _: { device, journal in
                #expect(journal.all == ["0 alreadyRegistered", "0 notPermitted", "0 invalidArgument"])
                try #expect(code(BackgroundJobRequest("other", .refresh), device) == .notRegistered)
                try #expect(code(BackgroundJobRequest("", .refresh), device) == .invalidArgument)
                #expect(device.faults.isEmpty)
            }
        }

        @Test("the system's four codes come as errors")
        func codes() throws {
            try run { jobs, _ in
                for identifier in ["refresh", "other", "cleanup"] { try jobs.register(identifier) { _ in } }
            } _: { device, _ in
                try #expect(code(BackgroundJobRequest("refresh", .refresh), device) == nil)
                try #expect(code(BackgroundJobRequest("refresh", .refresh), device) == nil, "it takes its place")
                try #expect(code(BackgroundJobRequest("other", .refresh), device) == .tooManyPending)
                device.setBackgroundRefresh(false)
                try #expect(code(BackgroundJobRequest("refresh", .refresh), device) == .unavailable)
                device.setBackgroundRefresh(true)
                let jobs: AppleBackgroundJobs = try device.built()
                try jobs.register("com.example.export.1") { run in
                    run.onExpiration {}
                    try await Task.sleepForEver()
                }
                try jobs.register("com.example.export.2") { _ in }
                let gpu = ContinuedJob(title: "Export", requiresGPU: true)
                try #expect(
                    code(BackgroundJobRequest("com.example.export.1", .continued(gpu)), device) == .notPermitted)
                try submit(continued("com.example.export.1"), device)
                device.advance(by: .seconds(1))
                try #expect(code(continued("com.example.export.2", .fail), device) == .cannotStartNow)
                device.kill()
            }
        }

        @Test("on a simulator nothing is available")
        func simulator() throws {
            var policy = Self.quick
            policy.jobs.isSimulator = true
            try run(policy: policy) { jobs, _ in
                try jobs.register("refresh") { _ in }
            } _: { device, _ in
                try #expect(code(BackgroundJobRequest("refresh", .refresh), device) == .unavailable)
            }
        }

        // MARK: Late handlers

        @Test("a handler that comes after the launch is good for continued work, and for nothing else")
        func late() throws {
            try run { device, journal in
                let jobs: AppleBackgroundJobs = try device.built()
                for identifier in ["com.example.export.1", "refresh", "com.example.undeclared.1"] {
                    try jobs.register(identifier) { run in journal.note(run.identifier) }
                }
                try #expect(code(BackgroundJobRequest("refresh", .refresh), device) == .registeredTooLate)
                try #expect(code(BackgroundJobRequest("refresh", .processing()), device) == .registeredTooLate)
                try #expect(code(continued("com.example.undeclared.1"), device) == .notPermitted)
                for _ in 0..<2 {
                    try submit(continued("com.example.export.1"), device)
                    device.advance(by: .seconds(1))
                }
                #expect(journal.all == ["0 com.example.export.1", "1 com.example.export.1"])
                #expect(device.faults.isEmpty)
            }
        }

        // MARK: Continued work

        @Test(
            "continued work reports progress and words to the user, goes on in the background, and ends when cancelled")
        func continuedWork() throws {
            try run { device, journal in
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
                try submit(continued("com.example.export.1"), device)
                device.advance(by: .seconds(10.5))
                device.pressHome()
                device.advance(by: .seconds(100))
                let task = try #require(device.jobs.running.first)
                #expect(task.progress == (110, 1_000))
                #expect(task.title == "Exporting" && task.subtitle == "photos")
                device.jobs.cancelByUser("com.example.export.1")
                device.advance(by: .seconds(1))
                #expect(journal.all == ["110 wind up"])
                #expect(device.jobs.report.runs.map(\.outcome) == [.expired])
                #expect(device.ends.isEmpty)
            }
        }

        // MARK: Pending requests and debugging

        @Test("pending requests come back as they were submitted, and those of an earlier process to the second")
        func pendingRequests() throws {
            try run { jobs, _ in
                for identifier in ["refresh", "cleanup"] { try jobs.register(identifier) { _ in } }
            } _: { device, _ in
                let begin = device.time.wall().advanced(by: .milliseconds(3_600_250))
                let requests = [
                    BackgroundJobRequest("refresh", .refresh, earliestBegin: begin),
                    BackgroundJobRequest("cleanup", .processing(requiresNetwork: true, requiresExternalPower: true)),
                ]
                for request in requests { try submit(request, device) }
                try #expect(pending(device) == requests)
                device.kill()
                device.open()
                let later = try pending(device)
                #expect(later.map(\.identifier) == ["refresh", "cleanup"])
                #expect(later.map(\.kind) == requests.map(\.kind))
                let error = try #require(later.first?.earliestBegin).duration(to: begin)
                #expect(abs(error / .seconds(1)) < 1.5)
                let jobs: AppleBackgroundJobs = try device.built()
                try device.perform { await jobs.cancel("refresh") }
                try #expect(pending(device).map(\.identifier) == ["cleanup"])
                try device.perform { await jobs.cancelAll() }
                try #expect(pending(device).isEmpty)
            }
        }

        @Test("a launch and an expiration are simulated; without a request or a run it is an error")
        func debugging() throws {
            try run { jobs, journal in
                try jobs.register("refresh") { run in
                    run.onExpiration { journal.note("expired") }
                    try await Task.sleepForEver()
                }
            } _: { device, journal in
                let codes = try device.perform { [jobs = try device.built(AppleBackgroundJobs.self)] in
                    var codes: [BackgroundJobError.Code] = []
                    do throws(BackgroundJobError) {
                        try await jobs.simulateLaunch("refresh")
                    } catch { codes.append(error.code) }
                    do throws(BackgroundJobError) {
                        try await jobs.simulateExpiration("refresh")
                    } catch { codes.append(error.code) }
                    try await jobs.submit(BackgroundJobRequest("refresh", .refresh))
                    try await jobs.simulateLaunch("refresh")
                    return codes
                }
                #expect(codes == [.notPending, .notRunning])
                device.advance(by: .seconds(1))
                #expect(device.jobs.running.count == 1)
                try device.perform { [jobs = try device.built(AppleBackgroundJobs.self)] in
                    try await jobs.simulateExpiration("refresh")
                }
                device.advance(by: .seconds(1))
                #expect(journal.all == ["1 expired"])
                #expect(device.jobs.running.isEmpty)
            }
        }
    }
}

extension Task where Success == Never, Failure == Never {
    /// Waits for the cancellation.
    static func sleepForEver() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        try Task<Never, Never>.checkCancellation()
    }
}
