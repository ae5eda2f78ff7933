import ApusBackground
import ApusDevice
import ApusTimers
import Testing

extension AppManifest {
    /// A manifest with both modes, two identifiers and a wildcard.
    static let jobs = AppManifest(
        backgroundModes: [.fetch, .processing], permittedTaskIdentifiers: ["refresh", "tidy", "export.*"])
}

extension SystemPolicy {
    /// A policy by which a refresh does not wait for the user's habits.
    static var impatient: SystemPolicy {
        var policy = SystemPolicy()
        policy.jobs.refreshPatience = .zero
        return policy
    }
}

extension SimulatedDevice {
    /// Installs and launches an app that registers a raw handler for each declared identifier, and notes its runs.
    @discardableResult
    func launchJobApp(
        _ manifest: AppManifest = .jobs,
        _ handle: @escaping @MainActor @Sendable (SimulatedHost, SimulatedTask) -> Void = {
            $1.setCompleted(success: true)
        }
    ) throws -> SimulatedHost {
        install(manifest) { host in
            for identifier in manifest.permittedTaskIdentifiers.sorted() where !identifier.hasSuffix("*") {
                _ = host.jobs.registerLaunchHandler(identifier) { task in
                    host.note("runs \(task.identifier)")
                    handle(host, task)
                }
            }
            return ProbeApp(host)
        }
        launch()
        return try #require(host)
    }

    /// Registers a raw handler for continued work, as an app does when the user asks for it, and submits the request.
    func beginContinued(
        _ identifier: String = "export.1", _ strategy: ContinuedJob.Strategy = .queue, requiresGPU: Bool = false,
        _ handle: @escaping @MainActor @Sendable (SimulatedTask) -> Void = { _ in }
    ) throws {
        let host = try #require(host)
        _ = host.jobs.registerLaunchHandler(identifier) { task in
            host.note("runs \(task.identifier)")
            handle(task)
        }
        let job = ContinuedJob(title: "Export", strategy: strategy, requiresGPU: requiresGPU)
        try host.jobs.submitRequest(BackgroundJobRequest(identifier, .continued(job)))
        advance(by: .zero)
    }

    var jobLog: [String] { log.compactMap { if case .job(let event) = $0.what { "\(event)" } else { nil } } }

    func launches(of identifier: String) -> Int { jobLog.count { $0 == "launched \(identifier)" } }

    /// Returns the code of the error with which a request is refused; `nil` if it is accepted.
    func refusal(of request: BackgroundJobRequest) -> BackgroundJobError.Code? {
        do throws(BackgroundJobError) {
            try jobs.submitRequest(request)
            return nil
        } catch {
            return error.code
        }
    }
}

extension BackgroundJobRequest {
    static let refresh = BackgroundJobRequest("refresh", .refresh)
    static let tidy = BackgroundJobRequest("tidy", .processing())
}
