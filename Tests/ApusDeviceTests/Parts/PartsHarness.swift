import ApusBackground
import ApusTestSupport
import Testing

@testable import ApusDevice
@testable import ApusTimers
@testable import ApusVirtualTime

/// The surroundings of a part: virtual time, a log, and the main loop of an app that has a process or none.
final class PartsHarness: Sendable {
    struct State {
        var log: [String] = []
        var faults: [Fault] = []
        var keptAwake: [Bool] = []
        var processRuns = true
    }

    let time = VirtualTime()
    let mainLoop = HandLoop()
    private let state = Locked(State())

    var log: [String] { state.withLock { $0.log } }
    var faults: [Fault] { state.withLock { $0.faults } }
    /// The arguments of `keepAwake`, in order.
    var keptAwake: [Bool] { state.withLock { $0.keptAwake } }

    /// Whether the app has a process.
    var processRuns: Bool {
        get { state.withLock { $0.processRuns } }
        set { state.withLock { $0.processRuns = newValue } }
    }

    var surroundings: PartSurroundings {
        PartSurroundings(
            time: time.clocks, engine: time.engine,
            log: { [self] actor, what in
                let since = time.wall().nanoseconds / 1_000_000_000 - 1_767_225_600
                state.withLock { $0.log.append("\(since) \(actor.rawValue) \(what)") }
            },
            fault: { [self] fault in state.withLock { $0.faults.append(fault) } },
            keepAwake: { [self] _, isAwake in state.withLock { $0.keptAwake.append(isAwake) } },
            mainLoop: { [self] in processRuns ? mainLoop : nil })
    }

    /// Runs asynchronous work of the app at this instant.
    func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) throws -> Result {
        try time.perform(work)
    }
}

extension PartsHarness {
    func center(
        _ authorization: NotificationAuthorization = .authorized, overflow: NotificationOverflow = .keepsSoonest,
        openApp: @escaping @Sendable (_ notify: @Sendable () -> Void) -> Void = { notify in notify() }
    ) -> SimulatedNotificationCenter {
        var surroundings = surroundings
        surroundings.openApp = openApp
        return SimulatedNotificationCenter(surroundings, authorization: authorization, overflow: overflow)
    }

    var deliveries: [String] { log.filter { $0.contains("notification delivered") } }
}

extension NotificationRequest {
    init(_ identifier: String, _ trigger: Trigger) {
        self.init(identifier: identifier, notification: UserNotification(title: "T"), trigger: trigger)
    }
}
