import ApusApple
import ApusBackground
import ApusDevice
import SimulatedAppleCore
import Testing
import UIKit

@testable import ApusTimers

/// An app with background jobs, and the calls that a test makes on it.
@MainActor
enum JobApp {
    static let manifest = AppManifest(
        backgroundModes: [.fetch, .processing],
        permittedTaskIdentifiers: ["refresh", "other", "cleanup", "com.example.export.*"])

    /// A policy with which the device examines requests every minute, and does not wait for an expected use of the app.
    static var quick: SystemPolicy {
        var policy = SystemPolicy()
        policy.jobs.opportunitySpacing = .seconds(60)...(.seconds(60))
        policy.jobs.refreshPatience = .zero
        return policy
    }

    static func run(
        policy: SystemPolicy = quick,
        register: @escaping @MainActor (AppleBackgroundJobs, Journal) throws -> Void = { _, _ in },
        _ body: (SimulatedDevice, Journal) throws -> Void
    ) throws {
        try SimulatedDevice.run(policy: policy) { device in
            let journal = Journal(device)
            device.launchPort(manifest) { host in
                let jobs = AppleBackgroundJobs(host: host)
                try register(jobs, journal)
                return jobs
            }
            try body(device, journal)
        }
    }

    /// Submits a request to the `AppleBackgroundJobs` of the running app, an object that tests must not keep.
    static func submit(_ request: BackgroundJobRequest, _ device: SimulatedDevice) throws {
        let jobs: AppleBackgroundJobs = try device.built()
        try device.perform { try await jobs.submit(request) }
    }

    static func code(_ request: BackgroundJobRequest, _ device: SimulatedDevice) throws -> BackgroundJobError.Code? {
        do {
            try submit(request, device)
            return nil
        } catch let error as BackgroundJobError {
            return error.code
        }
    }

    static func pending(_ device: SimulatedDevice) throws -> [BackgroundJobRequest] {
        let jobs: AppleBackgroundJobs = try device.built()
        return try device.perform { await jobs.pending() }
    }

    static func continued(
        _ identifier: String, _ strategy: ContinuedJob.Strategy = .queue
    ) -> BackgroundJobRequest {
        BackgroundJobRequest(identifier, .continued(ContinuedJob(title: "Export", strategy: strategy)))
    }
}

extension Task where Success == Never, Failure == Never {
    /// Waits until the task is cancelled.
    static func sleepForEver() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        try Task<Never, Never>.checkCancellation()
    }
}
