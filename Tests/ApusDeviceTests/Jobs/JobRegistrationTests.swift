import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// The rules of BGTaskScheduler.h.
@MainActor
@Suite("Launch handlers of background jobs")
struct JobRegistrationTests {
    /// Returns the results of registering handlers while the app is created.
    private func register(
        _ identifiers: [String], _ manifest: AppManifest = .jobs, on device: SimulatedDevice
    ) -> [Bool] {
        let answers = Box<[Bool]>([])
        device.install(manifest) { host in
            answers.value = identifiers.map { host.jobs.registerLaunchHandler($0, place: "App/App.swift:7") { _ in } }
            return ProbeApp(host)
        }
        device.launch()
        return answers.value
    }

    @Test("a declared identifier is registered; an undeclared one is not, without a fault")
    func permitted() throws {
        try SimulatedDevice.run { device in
            #expect(
                register(["refresh", "other", "export.1", "export.", "export.*"], on: device) == [
                    true, false, true, false, true,
                ])
            let faults = device.faults
            #expect(faults.isEmpty)
        }
    }

    @Test("a second handler for an identifier is a fault with the place of the call, and is not registered")
    func twice() throws {
        try SimulatedDevice.run { device in
            device.expect(.duplicateLaunchHandler)
            #expect(register(["refresh", "refresh"], on: device) == [true, false])
            let fault = try #require(device.faults.first)
            #expect(fault.place == "App/App.swift:7")
            #expect(fault.message == "Launch handler for task with identifier refresh has already been registered")
            #expect(device.ends == ["SIGABRT, uncaught exception: \(fault.message)"])
        }
    }

    @Test("a handler that is registered after the launch is a fault")
    func late() throws {
        try SimulatedDevice.run { device in
            device.expect(.lateLaunchHandler)
            device.install(.jobs) { ProbeApp($0) }
            device.launch()
            let isRegistered = device.jobs.registerLaunchHandler("refresh") { _ in }
            #expect(!isRegistered)
            #expect(device.faults.first?.message.hasPrefix("All launch handlers must be registered before") == true)
        }
    }

    @Test("handlers of continued work may be registered late: by a wildcard, or in an app without other modes")
    func lateContinued() throws {
        try SimulatedDevice.run { device in
            try device.launchJobApp()
            #expect(device.jobs.registerLaunchHandler("export.7") { _ in })
            device.install(AppManifest(permittedTaskIdentifiers: ["upload"])) { ProbeApp($0) }
            device.launch()
            let isRegistered = device.jobs.registerLaunchHandler("upload") { _ in }
            #expect(isRegistered)
        }
    }

    /// The source is developer.apple.com/forums/thread/799126.
    @Test("a handler for a wildcard is no handler for the identifiers that the wildcard declares")
    func wildcard() throws {
        try SimulatedDevice.run { device in
            device.expect(.noLaunchHandler)
            #expect(register(["export.*"], on: device) == [true])
            let job = ContinuedJob(title: "Export")
            try device.jobs.submitRequest(BackgroundJobRequest("export.1", .continued(job)))
        }
    }

    @Test("a declared identifier without a handler causes a warning at the end of each launch")
    func missing() throws {
        try SimulatedDevice.run { device in
            _ = register(["refresh"], on: device)
            #expect(device.warnings.count { $0.contains("tidy is declared but has no launch handler") } == 1)
            #expect(device.warnings.count == 1)
            device.kill()
            device.launch()
            let count = device.warnings.count
            #expect(count == 2)
        }
    }

    @Test("handlers are released with their process, and the next process registers again")
    func nextProcess() throws {
        try SimulatedDevice.run { device in
            _ = register(["refresh"], on: device)
            device.kill()
            #expect(!device.jobs.registerLaunchHandler("refresh") { _ in }, "no process runs")
            device.launch()
            try device.jobs.submitRequest(.refresh)
            #expect(device.jobs.pendingRequests() == [.refresh])
        }
    }

    @Test("Apus's interface throws an error for each handler that is not registered")
    func errors() throws {
        try SimulatedDevice.run { device in
            let codes = Box<[BackgroundJobError.Code?]>([])
            func code(_ identifier: String, _ host: SimulatedHost) -> BackgroundJobError.Code? {
                do throws(BackgroundJobError) {
                    try host.jobs.register(identifier) { _ in }
                    return nil
                } catch {
                    return error.code
                }
            }
            device.install(.jobs) { host in
                codes.value = ["refresh", "refresh", "other", ""].map { code($0, host) }
                return ProbeApp(host)
            }
            device.launch()
            let late = code("tidy", try #require(device.host))
            #expect(
                codes.value + [late] == [nil, .alreadyRegistered, .notPermitted, .invalidArgument, .registeredTooLate])
        }
    }
}
