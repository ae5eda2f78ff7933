import ApusBackground
import Testing

@testable import ApusDevice
@testable import ApusTimers
@testable import ApusVirtualTime

/// The device around a part: virtual time, a log, and an app's main loop that can be stopped.
final class PartsHarness: Sendable {
    struct State {
        var log: [String] = []
        var faults: [Fault] = []
        var keptAwake: [Bool] = []
        var processRuns = true
    }

    let time = VirtualTime()
    let mainLoop = HeldMainLoop()
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

/// A main loop that runs its work when the test says so, as a suspended app's does.
final class HeldMainLoop: MainLoop {
    private let waiting = Locked<[@MainActor @Sendable () -> Void]>([])

    var count: Int { waiting.withLock { $0.count } }

    func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        waiting.withLock { $0.append(work) }
    }

    @MainActor
    func drain() {
        while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
    }
}

/// Records values, in order.
final class Recorder<Value: Sendable>: Sendable {
    private let recorded = Locked<[Value]>([])

    var values: [Value] { recorded.withLock { $0 } }
    func append(_ value: Value) { recorded.withLock { $0.append(value) } }
}
