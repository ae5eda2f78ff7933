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
    @Suite("AppleBackgroundJobs: handlers and requests")
    struct JobSubmissions {
        // MARK: Errors

        @Test("a request for which a phone raises an exception is an error and is not passed to the phone")
        func exceptions() throws {
            try JobApp.run { jobs, journal in
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
                try #expect(JobApp.code(BackgroundJobRequest("other", .refresh), device) == .notRegistered)
                try #expect(JobApp.code(BackgroundJobRequest("", .refresh), device) == .invalidArgument)
                #expect(device.faults.isEmpty)
            }
        }

        @Test("the system's four codes become errors")
        func codes() throws {
            try JobApp.run { jobs, _ in
                for identifier in ["refresh", "other", "cleanup"] { try jobs.register(identifier) { _ in } }
            } _: { device, _ in
                try #expect(JobApp.code(BackgroundJobRequest("refresh", .refresh), device) == nil)
                try #expect(JobApp.code(BackgroundJobRequest("refresh", .refresh), device) == nil, "it takes its place")
                try #expect(JobApp.code(BackgroundJobRequest("other", .refresh), device) == .tooManyPending)
                device.setBackgroundRefresh(false)
                try #expect(JobApp.code(BackgroundJobRequest("refresh", .refresh), device) == .unavailable)
                device.setBackgroundRefresh(true)
                let jobs: AppleBackgroundJobs = try device.built()
                try jobs.register("com.example.export.1") { run in
                    run.onExpiration {}
                    try await Task.sleepForEver()
                }
                try jobs.register("com.example.export.2") { _ in }
                let gpu = ContinuedJob(title: "Export", requiresGPU: true)
                try #expect(
                    JobApp.code(BackgroundJobRequest("com.example.export.1", .continued(gpu)), device) == .notPermitted)
                try JobApp.submit(JobApp.continued("com.example.export.1"), device)
                device.advance(by: .seconds(1))
                try #expect(JobApp.code(JobApp.continued("com.example.export.2", .fail), device) == .cannotStartNow)
                device.kill()
            }
        }

        @Test("background jobs are unavailable on a simulator")
        func simulator() throws {
            var policy = JobApp.quick
            policy.jobs.isSimulator = true
            try JobApp.run(policy: policy) { jobs, _ in
                try jobs.register("refresh") { _ in }
            } _: { device, _ in
                try #expect(JobApp.code(BackgroundJobRequest("refresh", .refresh), device) == .unavailable)
            }
        }

        // MARK: Late handlers

        @Test("a handler registered after the launch serves continued work only")
        func late() throws {
            try JobApp.run { device, journal in
                let jobs: AppleBackgroundJobs = try device.built()
                for identifier in ["com.example.export.1", "refresh", "com.example.undeclared.1"] {
                    try jobs.register(identifier) { run in journal.note(run.identifier) }
                }
                try #expect(JobApp.code(BackgroundJobRequest("refresh", .refresh), device) == .registeredTooLate)
                try #expect(JobApp.code(BackgroundJobRequest("refresh", .processing()), device) == .registeredTooLate)
                try #expect(JobApp.code(JobApp.continued("com.example.undeclared.1"), device) == .notPermitted)
                for _ in 0..<2 {
                    try JobApp.submit(JobApp.continued("com.example.export.1"), device)
                    device.advance(by: .seconds(1))
                }
                #expect(journal.all == ["0 com.example.export.1", "1 com.example.export.1"])
                #expect(device.faults.isEmpty)
            }
        }

        @Test("a scheduler created while the app is active treats its handlers as late")
        func lateScheduler() throws {
            try SimulatedDevice.run { device in
                device.launchPort(JobApp.manifest) { $0 }
                let jobs = AppleBackgroundJobs(host: try device.port)
                try jobs.register("refresh") { _ in }
                #expect(throws: BackgroundJobError.self) {
                    try device.perform { try await jobs.submit(BackgroundJobRequest("refresh", .refresh)) }
                }
                #expect(device.faults.isEmpty)
            }
        }

        // MARK: Pending requests and debugging

        @Test("pending requests are returned as submitted, and those of an earlier process with dates in whole seconds")
        func pendingRequests() throws {
            try JobApp.run { jobs, _ in
                for identifier in ["refresh", "cleanup"] { try jobs.register(identifier) { _ in } }
            } _: { device, _ in
                let begin = device.time.wall().advanced(by: .milliseconds(3_600_250))
                let requests = [
                    BackgroundJobRequest("refresh", .refresh, earliestBegin: begin),
                    BackgroundJobRequest("cleanup", .processing(requiresNetwork: true, requiresExternalPower: true)),
                ]
                for request in requests { try JobApp.submit(request, device) }
                try #expect(JobApp.pending(device) == requests)
                device.kill()
                device.open()
                let later = try JobApp.pending(device)
                #expect(later.map(\.identifier) == ["refresh", "cleanup"])
                #expect(later.map(\.kind) == requests.map(\.kind))
                let error = try #require(later.first?.earliestBegin).duration(to: begin)
                #expect(abs(error / .seconds(1)) < 1.5)
                let jobs: AppleBackgroundJobs = try device.built()
                try device.perform { await jobs.cancel("refresh") }
                try #expect(JobApp.pending(device).map(\.identifier) == ["cleanup"])
                try device.perform { await jobs.cancelAll() }
                try #expect(JobApp.pending(device).isEmpty)
            }
        }

        @Test("a launch and an expiration can be simulated, and simulating them without a request or a run is an error")
        func debugging() throws {
            try JobApp.run { jobs, journal in
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
