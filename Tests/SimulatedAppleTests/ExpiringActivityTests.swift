#if os(Linux)
    import ApusBackground
    import ApusDevice
    import Dispatch
    import SimulatedAppleCore
    import Synchronization
    import Testing
    import UIKit

    /// Performs an activity on the app's way to the background, and notes each call with the seconds since
    /// `applicationDidEnterBackground`.
    private final class Saver: Recorder {
        enum Kind { case short, obedient, endless, late, unawaited }

        private let kind: Kind
        private var task = UIBackgroundTaskIdentifier.invalid

        init(_ kind: Kind) { self.kind = kind }

        override func applicationDidEnterBackground(_ application: UIApplication) {
            let start = Date()
            @Sendable func note(_ text: String) {
                Self.note("\(text) \(Int(Date().timeIntervalSince(start).rounded()))")
            }
            let hasExpired = Flag()
            let work: @Sendable (Bool) -> Void = { [kind] expired in
                note("\(expired)")
                if expired { return hasExpired.value.store(true, ordering: .relaxed) }
                switch kind {
                case .short, .late: Thread.sleep(forTimeInterval: 7)
                case .obedient:
                    while !hasExpired.value.load(ordering: .relaxed) { Thread.sleep(forTimeInterval: 1) }
                case .endless: Thread.sleep(forTimeInterval: 3_600)
                case .unawaited: DispatchQueue.main.asyncAfter(deadline: .now() + 7) { note("saved") }
                }
                note("returns")
            }
            guard kind == .late else {
                return ProcessInfo.processInfo.performExpiringActivity(withReason: "save", using: work)
            }
            task = application.beginBackgroundTask { [self] in
                ProcessInfo.processInfo.performExpiringActivity(withReason: "save", using: work)
                application.endBackgroundTask(task)
            }
        }
    }

    /// Performs an activity that returns when the gate is open.
    private final class Waiter: Recorder {
        nonisolated static let gate = DispatchSemaphore(value: 0)

        override func applicationDidEnterBackground(_ application: UIApplication) {
            ProcessInfo.processInfo.performExpiringActivity(withReason: "wait") { _ in Self.gate.wait() }
        }
    }

    private final class Flag: Sendable { let value = Atomic(false) }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/foundation/processinfo/performexpiringactivity(withreason:using:); DTS,
        /// developer.apple.com/forums/thread/729335.
        @MainActor
        @Suite("performExpiringActivity")
        struct ExpiringActivityTests {
            private func notes(
                of program: @convention(c) () -> Void, endsWith phase: Phase?, fault: Fault.Rule? = nil
            ) throws -> [String] {
                try SimulatedDevice.run { device in
                    if let fault { device.expect(fault) }
                    SimulatedPhone.install(on: device, program: program)
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    #expect(device.appPhase == phase)
                    return device.notes.filter { $0.last?.isNumber ?? false }
                }
            }

            @Test("an activity keeps the app running until its block returns")
            func short() throws {
                #expect(
                    try notes(of: { SimulatedPhone.run(Saver(.short)) }, endsWith: .suspended) == [
                        "false 0", "returns 7",
                    ])
            }

            @Test("an activity whose time is nearly over is called again, and may return a moment later")
            func obedient() throws {
                let notes = try notes(of: { SimulatedPhone.run(Saver(.obedient)) }, endsWith: .suspended)
                try #require(notes.count == 3)
                #expect(notes[0] == "false 0")
                #expect(notes[1] == "true 26")
                #expect(notes[2] == "returns 26")
            }

            @Test("an activity that does not return before the time is over ends the app")
            func endless() throws {
                let notes = try notes(
                    of: { SimulatedPhone.run(Saver(.endless)) }, endsWith: nil, fault: .backgroundTaskNotEnded)
                #expect(notes == ["false 0", "true 26"])
            }

            @Test("an activity that begins when the time is over is called with true only")
            func late() throws {
                #expect(try notes(of: { SimulatedPhone.run(Saver(.late)) }, endsWith: .suspended) == ["true 26"])
            }

            @Test("work that an activity does not wait for is not covered")
            func unawaited() throws {
                #expect(
                    try notes(of: { SimulatedPhone.run(Saver(.unawaited)) }, endsWith: .suspended)
                        == ["false 0", "returns 0"])
            }

            @Test("an activity of an app in the test's process keeps it running until the block returns")
            func sameProcess() async throws {
                try await SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, delegate: Waiter())
                    device.launch()
                    device.pressHome()
                    await device.advance(by: .seconds(5))
                    #expect(device.appPhase == .background)
                    Waiter.gate.signal()
                    while device.host?.openBackgroundTasks.isEmpty == false { await Task.yield() }
                    await device.advance(by: .seconds(5))
                    #expect(device.appPhase == .suspended)
                }
            }
        }
    }
#endif
