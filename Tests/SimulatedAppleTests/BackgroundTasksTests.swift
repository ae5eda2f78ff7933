import ApusBackground
import ApusDevice
import ApusTimers
import BackgroundTasks
import SimulatedAppleCore
import Testing
import UIKit

@testable import SampleAppsSwift6

/// Registers a test's handlers in `didFinishLaunching`.
private final class TaskDelegate: UIResponder, UIApplicationDelegate {
    private let register: @MainActor () -> Void

    init(_ register: @escaping @MainActor () -> Void) {
        self.register = register
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        register()
        return true
    }
}

/// Submits with the methods that iOS 27 has.
private final class Submitter: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let scheduler = BGTaskScheduler.shared
        scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { _ in }
        scheduler.submitTaskRequest(BGAppRefreshTaskRequest(identifier: "refresh")) { error in
            SimulatedPhone.note("callback \(error.map { "\($0)" } ?? "nil") \(Thread.isMainThread)")
            Task {
                do {
                    try await BGTaskScheduler.shared.submitTaskRequest(BGAppRefreshTaskRequest(identifier: "unknown"))
                } catch BGTaskScheduler.Error.notPermitted {
                    SimulatedPhone.note("async notPermitted")
                }
            }
        }
        return true
    }
}

extension SimulatedAppleTests {
    @MainActor
    @Suite("BGTaskScheduler")
    struct BackgroundTasks {
        private static let manifest = AppManifest(
            backgroundModes: [.fetch, .processing],
            permittedTaskIdentifiers: ["refresh", "other", "cleanup", "com.example.export.*"])

        private func run(
            _ manifest: AppManifest = manifest, policy: SystemPolicy = SystemPolicy(),
            register: @escaping @MainActor () -> Void, _ body: (SimulatedDevice) throws -> Void
        ) throws {
            try SimulatedDevice.run(policy: policy) { device in
                SimulatedPhone.install(on: device, manifest: manifest, delegate: TaskDelegate(register))
                device.launch()
                try body(device)
            }
        }

        /// Registers handlers that complete their tasks at once.
        private static func complete(_ identifiers: String...) {
            for identifier in identifiers {
                BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
                    task.setTaskCompleted(success: true)
                }
            }
        }

        private func code(_ request: BGTaskRequest) -> BGTaskScheduler.Error.Code? {
            do {
                try BGTaskScheduler.shared.submit(request)
                return nil
            } catch {
                return (error as? BGTaskScheduler.Error)?.code
            }
        }

        // MARK: Registering and submitting

        @Test("an identifier that the app did not declare is answered with false")
        func notDeclared() throws {
            try run {
                let isRegistered = BGTaskScheduler.shared.register(forTaskWithIdentifier: "x", using: nil) { _ in }
                #expect(!isRegistered)
            } _: { _ in
            }
        }

        @Test("a second handler, a late handler and a request without a handler are faults, as they are exceptions")
        func exceptions() throws {
            var policy = SystemPolicy()
            policy.endsAppAtExceptions = false
            try run(policy: policy) {
                Self.complete("refresh", "cleanup", "cleanup")
            } _: { device in
                device.expect(.duplicateLaunchHandler)
                device.expect(.lateLaunchHandler)
                device.expect(.noLaunchHandler)
                Self.complete("other")
                #expect(code(BGAppRefreshTaskRequest(identifier: "other")) == nil)
            }
        }

        @Test("each of the four error codes is thrown in the case that Apple documents")
        func codes() throws {
            #expect(BGTaskScheduler.errorDomain == "BGTaskSchedulerErrorDomain")
            let codes: [BGTaskScheduler.Error.Code] = [
                .unavailable, .tooManyPendingTaskRequests, .notPermitted, .immediateRunIneligible,
            ]
            #expect(codes.map(\.rawValue) == [1, 2, 3, 4])
            try run {
                Self.complete("refresh", "other", "cleanup")
            } _: { device in
                #expect(code(BGAppRefreshTaskRequest(identifier: "refresh")) == nil)
                #expect(code(BGAppRefreshTaskRequest(identifier: "other")) == .tooManyPendingTaskRequests)
                #expect(code(BGAppRefreshTaskRequest(identifier: "undeclared")) == .notPermitted)
                device.setBackgroundRefresh(false)
                #expect(code(BGAppRefreshTaskRequest(identifier: "refresh")) == .unavailable)
                device.setBackgroundRefresh(true)
                Self.complete("com.example.export.1", "com.example.export.2")
                let first = BGContinuedProcessingTaskRequest(
                    identifier: "com.example.export.1", title: "Export", subtitle: "")
                #expect(code(first) == nil)
                let second = BGContinuedProcessingTaskRequest(
                    identifier: "com.example.export.2", title: "Export", subtitle: "")
                second.strategy = .fail
                #expect(code(second) == .immediateRunIneligible)
                do {
                    try BGTaskScheduler.shared.submit(second)
                    Issue.record("it was refused a moment ago")
                } catch BGTaskScheduler.Error.immediateRunIneligible {
                } catch {
                    Issue.record("\(error)")
                }
            }
        }

        @Test("submitTaskRequest accepts and refuses what submit does, and calls back off the main thread")
        func submitTaskRequest() throws {
            try SimulatedDevice.run { device in
                var manifest = Self.manifest
                manifest.usesScenes = false
                SimulatedPhone.install(on: device, manifest: manifest, program: { SimulatedPhone.run(Submitter()) })
                device.launch()
                device.advance(by: .seconds(1))
                #expect(device.notes == ["callback nil false", "async notPermitted"])
                #expect(device.jobs.pendingRequests().map(\.identifier) == ["refresh"])
            }
        }

        @Test("a submission on a simulator fails as unavailable")
        func simulator() throws {
            var policy = SystemPolicy()
            policy.jobs.isSimulator = true
            try run(policy: policy) {
                Self.complete("refresh", "other", "cleanup")
            } _: { _ in
                #expect(code(BGAppRefreshTaskRequest(identifier: "refresh")) == .unavailable)
            }
        }

        @Test("pending requests are copies with what was asked for; the same identifier replaces, and cancel withdraws")
        func pending() throws {
            try run {
                Self.complete("refresh", "other", "cleanup")
            } _: { device in
                let scheduler = BGTaskScheduler.shared
                let cleanup = BGProcessingTaskRequest(identifier: "cleanup")
                cleanup.requiresExternalPower = true
                try scheduler.submit(cleanup)
                let refresh = BGAppRefreshTaskRequest(identifier: "refresh")
                refresh.earliestBeginDate = Date(timeIntervalSinceNow: 3_600)
                try scheduler.submit(refresh)
                refresh.earliestBeginDate = Date(timeIntervalSinceNow: 7_200)
                try scheduler.submit(refresh)
                device.advance(by: .seconds(1_200))
                let notes = Notes()
                scheduler.getPendingTaskRequests { requests in
                    notes.add("main thread: \(MainThread.isCurrent)")
                    for request in requests {
                        let minutes = request.earliestBeginDate.map { Int(($0.timeIntervalSinceNow / 60).rounded()) }
                        let power = (request as? BGProcessingTaskRequest)?.requiresExternalPower
                        notes.add("\(type(of: request)) \(request.identifier) \(minutes ?? 0) \(power ?? false)")
                    }
                }
                #expect(notes.all.isEmpty)
                device.advance(by: .zero)
                #expect(
                    notes.all == [
                        "main thread: false", "BGProcessingTaskRequest cleanup 0 true",
                        "BGAppRefreshTaskRequest refresh 100 false",
                    ])
                scheduler.cancel(taskRequestWithIdentifier: "refresh")
                #expect(device.jobs.pendingRequests().map(\.identifier) == ["cleanup"])
                scheduler.cancelAllTaskRequests()
                #expect(device.jobs.pendingRequests().isEmpty)
            }
        }

        // MARK: Running

        @Test(
            "a launch handler is called off the main thread, and its expiration handler too; the app is suspended after"
        )
        func threads() throws {
            let notes = Notes()
            try run {
                Self.complete("other", "cleanup")
                BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: nil) { @Sendable task in
                    notes.add("\(type(of: task)) \(task.identifier) main: \(MainThread.isCurrent)")
                    task.expirationHandler = {
                        notes.add("expired main: \(MainThread.isCurrent)")
                        task.setTaskCompleted(success: false)
                    }
                }
            } _: { device in
                try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
                device.pressHome()
                device.advance(by: .seconds(10))
                #expect(device.host?.phase == .suspended)
                BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: "refresh")
                device.advance(by: .seconds(1))
                #expect(notes.all == ["BGAppRefreshTask refresh main: false"])
                #expect(device.host?.phase == .background)
                device.advance(by: .seconds(40))
                #expect(notes.all.last == "expired main: false")
                #expect(device.host?.phase == .suspended)
                #expect(device.jobs.history.map(\.outcome) == [.expired])
            }
        }

        @Test("with the main queue, a launch handler is called on the main thread")
        func mainQueue() throws {
            let notes = Notes()
            try run {
                Self.complete("other", "cleanup")
                BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: .main) { task in
                    MainActor.assertIsolated()
                    notes.add("main: \(MainThread.isCurrent)")
                    task.setTaskCompleted(success: true)
                }
            } _: { device in
                try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
                BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: "refresh")
                device.advance(by: .seconds(1))
                #expect(notes.all == ["main: true"])
                #expect(device.jobs.history.map(\.outcome) == [.succeeded])
            }
        }

        @Test("with patience, a task that is completed by work elsewhere is completed in virtual time")
        func patience() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(
                    on: device, manifest: Self.manifest, patience: .seconds(300),
                    delegate: TaskDelegate {
                        Self.complete("other", "cleanup")
                        BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: nil) {
                            @Sendable task in
                            nonisolated(unsafe) let task = task
                            Task.detached {
                                await Task.yield()
                                task.setTaskCompleted(success: true)
                            }
                        }
                    })
                device.launch()
                for _ in 1...20 {
                    try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
                    BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: "refresh")
                    device.advance(by: .seconds(60))
                }
                #expect(device.jobs.history.map(\.outcome) == Array(repeating: .succeeded, count: 20))
                for run in device.jobs.history { #expect(run.launched == run.ended) }
            }
        }

        @Test(
            "a process that is started for a task is notified that it is in the background, and then runs the handler")
        func backgroundLaunch() throws {
            let notes = Notes()
            try run {
                Self.complete("other", "cleanup")
                notes.add("launch \(UIApplication.shared.applicationState)")
                _ = NotificationCenter.default.addObserver(
                    forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil
                ) { _ in notes.add("background") }
                BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: nil) { @Sendable task in
                    notes.add("task")
                    task.setTaskCompleted(success: true)
                }
            } _: { device in
                try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
                device.pressHome()
                device.kill()
                device.launchJob("refresh")
                device.advance(by: .seconds(1))
                #expect(notes.all == ["launch inactive", "background", "launch background", "background", "task"])
            }
        }

        @Test("continued work shows its title, reports its progress, and expires when the user cancels it")
        func continued() throws {
            let notes = Notes()
            try run {
                Self.complete("refresh", "other", "cleanup")
            } _: { device in
                let identifier = "com.example.export.1"
                BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
                    guard let task = task as? BGContinuedProcessingTask else { return notes.add("another kind") }
                    task.progress.totalUnitCount = 4
                    task.progress.completedUnitCount = 1
                    task.updateTitle(task.title, subtitle: "a quarter")
                    notes.add("\(task.title), \(task.subtitle)")
                    task.expirationHandler = {
                        notes.add("expired at \(task.progress.fractionCompleted)")
                        task.setTaskCompleted(success: false)
                    }
                }
                #expect(!BGTaskScheduler.supportedResources.contains(.gpu))
                try BGTaskScheduler.shared.submit(
                    BGContinuedProcessingTaskRequest(identifier: identifier, title: "Export", subtitle: "begins"))
                device.advance(by: .seconds(1))
                #expect(notes.all == ["Export, a quarter"])
                #expect(device.jobs.running.first?.progress.completed == 1)
                #expect(device.jobs.running.first?.progress.total == 4)
                device.cancelJob(identifier)
                device.advance(by: .seconds(1))
                #expect(notes.all.last == "expired at 0.25")
            }
        }

        @Test("a launch handler that belongs to the main actor crashes off the main thread, as on a phone")
        func isolation() async {
            await #expect(processExitsWith: .failure) {
                await MainActor.run {
                    try? SimulatedDevice.run { device in
                        SimulatedPhone.install(
                            on: device,
                            manifest: AppManifest(
                                backgroundModes: [.fetch], permittedTaskIdentifiers: [NewsAppDelegate.refreshIdentifier]
                            ),
                            delegate: MistakenNewsAppDelegate())
                        device.launch()
                        device.pressHome()
                        device.launchJob(NewsAppDelegate.refreshIdentifier)
                        device.advance(by: .seconds(10))
                    }
                }
            }
        }
    }
}
