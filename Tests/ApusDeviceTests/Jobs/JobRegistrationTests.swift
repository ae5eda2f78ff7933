import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// BGTaskScheduler.h.
@MainActor
@Suite("Launch handlers of background jobs")
struct JobRegistrationTests {
    /// What registering answers while the app is made.
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

    @Test("an identifier that is declared is registered, another one is not, without a fault")
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

    @Test("a second handler for an identifier is a fault with the place, and the first one stays")
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

    @Test("a handler that comes when the launch is over is a fault")
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

    @Test("handlers of continued work may come late: those that a wildcard declares, and all without the other modes")
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

    /// developer.apple.com/forums/thread/799126.
    @Test("a handler for the wildcard itself is none for the identifiers that it declares")
    func wildcard() throws {
        try SimulatedDevice.run { device in
            device.expect(.noLaunchHandler)
            #expect(register(["export.*"], on: device) == [true])
            let job = ContinuedJob(title: "Export")
            try device.jobs.submitRequest(BackgroundJobRequest("export.1", .continued(job)))
        }
    }

    @Test("a declared identifier without a handler is a warning at the end of each launch")
    func missing() throws {
        try SimulatedDevice.run { device in
            _ = register(["refresh"], on: device)
            #expect(device.warnings.count { $0.contains("tidy is declared and has no launch handler") } == 1)
            #expect(device.warnings.count == 1)
            device.kill()
            device.launch()
            let count = device.warnings.count
            #expect(count == 2)
        }
    }

    @Test("handlers go with their process: the next one registers again")
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

    @Test("Apus's interface throws what the framework's records or answers")
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
