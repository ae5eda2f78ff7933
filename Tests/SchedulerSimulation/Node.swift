import ApusBackground
import ApusJobs
import ApusJobsTesting
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Logging

/// One process with a scheduler over the shared store.
final class Node {
    /// An identifier as long as those of real machines.
    private static let boot = "5a7c3f80-91d2-4e6b-b0c4-8f2e6d1a9b37"

    let number: Int
    let process: VirtualProcess
    let store: FaultyStore
    let host: TestHost
    private(set) var scheduler: JobScheduler?
    private let ledger: Ledger

    init(number: Int, history: History, time: VirtualTime, base: MemoryStore, device: DeviceConditions, ledger: Ledger)
    {
        self.number = number
        self.ledger = ledger
        process = time.startProcess()
        store = FaultyStore(base)
        host = TestHost(
            device, bootID: Self.boot, time: time, engine: process.engine, mainLoop: NoLoop(),
            start: { _ in preconditionFailure("the scheduler starts no work here") })
        host.refuse(true)
        let scheduler = JobScheduler(
            store: store, engine: process.engine, host: host,
            random: SeededRandom(seed: history.seed &+ UInt64(number)),
            configuration: .init(
                horizon: .seconds(history.horizon), maximumLoaded: history.maximumLoaded,
                maximumConcurrentRuns: history.maximumConcurrentRuns,
                queueConcurrency: history.ownConcurrency.map { [JobPlan.queueID(0): $0] } ?? [:],
                historyRunsPerJob: 1_000_000,
                // Nothing is pruned, so that everything can be accounted for.
                finishedJobsKept: .seconds(9_000_000_000), failedJobsKept: .seconds(9_000_000_000), bootID: Self.boot),
            executor: process.executor, logger: .silent)
        self.scheduler = scheduler
        let handler = SimulatedHandler(node: number, engine: process.engine, base: base, ledger: ledger)
        scheduler.register("work") { context in try await handler.run(context) }
        waits = handler.waits
        ledger.with { $0.nodes.append(.init()) }
    }

    /// The waits of the process's handlers.
    let waits: Waits

    /// Sends a command to the scheduler, and records its answer in the ledger.
    ///
    /// Nothing happens before the process runs next.
    func give(_ command: Int, _ body: @escaping @Sendable (JobScheduler) async throws -> [Job]) {
        guard let scheduler else { return }
        process.start { [ledger] in
            do { ledger.answered(command, jobs: try await body(scheduler)) } catch { ledger.failed(command, error) }
        }
    }

    func start() {
        let command = ledger.issue(.start, node: number)
        give(command) { [ledger, number] scheduler in
            try await scheduler.start {
                ledger.opened(by: number)
            }
            return []
        }
    }

    func stop(grace: Int?) {
        let command = ledger.issue(.stop, node: number, grace: grace)
        give(command) { scheduler in
            await scheduler.stop(grace: grace.map { .milliseconds($0) })
            return []
        }
    }

    /// Releases the scheduler, which then belongs only to the process's own tasks and timers.
    func forget() { scheduler = nil }
}

extension Ledger {
    /// Records that a process has opened the store.
    func opened(by node: Int) {
        let now = now
        with { state in
            if let owner = state.owner, owner != node { state.nodes[owner].hasLostStore = true }
            state.owner = node
            state.takenOver = now
        }
    }
}

/// A main loop that drops its work, because the simulation has none.
private struct NoLoop: MainLoop {
    func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {}
}
