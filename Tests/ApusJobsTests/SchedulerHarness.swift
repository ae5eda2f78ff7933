import ApusBackground
import ApusCalendar
import ApusJobs
import ApusJobsTesting
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Logging
import Testing

/// A scheduler in virtual time, with handlers that tests control, over a store that outlives it.
final class SchedulerHarness {
    let time: VirtualTime
    let host: TestHost?
    let base = MemoryStore()
    private(set) var store: FaultyStore
    let calls = Calls()
    private(set) var scheduler: JobScheduler
    private let configuration: JobScheduler.Configuration
    private let seed: UInt64
    private let logger: Logger

    init(
        seed: UInt64 = 1, configuration: JobScheduler.Configuration = .init(bootID: "boot"), host: TestHost? = nil,
        start: Bool = true, logger: Logger = .silent,
        around wrap: (MemoryStore) -> any JobStore = { $0 }
    ) throws {
        self.host = host
        time = host?.time ?? VirtualTime()
        self.seed = seed
        self.configuration = configuration
        self.logger = logger
        store = FaultyStore(wrap(base))
        scheduler = Self.make(time, host, store, configuration, seed, logger)
        if start { try self.start() }
    }

    private static func make(
        _ time: VirtualTime, _ host: TestHost?, _ store: any JobStore, _ configuration: JobScheduler.Configuration,
        _ seed: UInt64, _ logger: Logger
    ) -> JobScheduler {
        JobScheduler(
            store: store, engine: time.engine, host: host, random: SeededRandom(seed: seed),
            configuration: configuration, executor: time.executor, logger: logger)
    }

    /// The wall clock's time, in seconds since the virtual beginning.
    var seconds: Double { secondsSinceBeginning(time.wall()) }

    func at(_ seconds: Double) -> WallInstant {
        WallInstant(secondsSince1970: 1_767_225_600).advanced(by: .seconds(seconds))
    }

    /// Registers a handler for each kind of job that ``Calls`` knows.
    func handleKinds() {
        for kind in ["work", "slow", "stubborn", "failing", "scarce"] {
            scheduler.register(kind) { [calls, time] context in try await calls.run(kind, context, time) }
        }
    }

    func start() throws {
        handleKinds()
        try time.perform { [scheduler] in try await scheduler.start() }
    }

    /// Kills the process, which loses everything uncommitted, and starts another one over the same store.
    func crash(_ prepare: (JobScheduler) -> Void = { _ in }) throws {
        store.kill()
        store = FaultyStore(base)
        scheduler = Self.make(time, host, store, configuration, seed &+ 1, logger)
        calls.forgetRunning()
        prepare(scheduler)
        try start()
    }

    @discardableResult
    func submit(
        _ id: String, _ trigger: Trigger, kind: String = "work", conflict: ConflictPolicy = .replace,
        _ policies: JobPolicies = .init()
    ) throws -> Job {
        let request = JobRequest(id: JobID(id), kind: kind, trigger: trigger, policies: policies, conflict: conflict)
        return try time.perform { [scheduler] in try await scheduler.submit(request) }.job
    }

    /// Submits the job `job`.
    @discardableResult
    func submit(
        _ trigger: Trigger, kind: String = "work", conflict: ConflictPolicy = .replace,
        _ policies: JobPolicies = .init()
    ) throws -> Job {
        try submit("job", trigger, kind: kind, conflict: conflict, policies)
    }

    /// Sets the conditions of the host's device.
    func device(_ conditions: DeviceConditions) {
        host?.become(conditions)
        time.settle()
    }

    func advance(_ seconds: Double) { time.advance(by: .nanoseconds(Int64((seconds * 1e9).rounded()))) }

    func perform<Value: Sendable>(_ body: @escaping @Sendable (JobScheduler) async throws -> Value) throws -> Value {
        try time.perform { [scheduler] in try await body(scheduler) }
    }

    func job(_ id: String = "job") throws -> Job {
        try #require(try perform { try await $0.job(JobID(id)) })
    }

    /// Returns the job's runs, oldest first.
    func runs(_ id: String = "job") throws -> [Run] {
        try perform { try await $0.runs(RunQuery(jobID: JobID(id), limit: .max)) }.runs.reversed()
    }

    /// Returns "occurrence.attempt state(reason)" for each run, oldest first.
    func history(_ id: String = "job") throws -> [String] {
        try runs(id).map { run in
            let number = run.through > run.occurrence ? "\(run.occurrence)-\(run.through)" : "\(run.occurrence)"
            let attempt = run.attempt > 1 ? ".\(run.attempt)" : ""
            return number + attempt + " \(run.state)" + (run.reason.map { "(\($0))" } ?? "")
        }
    }

    func check(_ id: String = "job") throws {
        let found = try perform { [store] _ in try await store.job(JobID(id)) }
        let loaded = try #require(found)
        let runs = try runs(id)
        let broken = JobMachine(loaded, in: ZoneDatabase.system).brokenInvariant(history: runs)
        #expect(broken == nil, "\(broken ?? ""): \(runs)")
    }
}

/// Returns the seconds since 2026-01-01, when virtual time begins; earlier instants are negative.
func secondsSinceBeginning(_ instant: WallInstant) -> Double {
    Double(WallInstant(secondsSince1970: 1_767_225_600).duration(to: instant).wholeNanoseconds) / 1e9
}

/// Records the calls of handlers, and why they were cancelled.
final class Calls: Sendable {
    struct Call: Sendable {
        var job: String
        var occurrence: Int
        var attempt: Int
        var standsFor: Int
        var second: Double
        var lateness: Duration
        var conditions: JobConditions
    }

    private struct State {
        var calls: [Call] = []
        var reasons: [CancellationReason?] = []
        var running = 0
        var mostRunning = 0
        var generation = 0
        var failures = 0
        var shortages = 0
    }

    private let state = Locked(State())
    var all: [Call] { state.withLock { $0.calls } }
    var seconds: [Double] { all.map(\.second) }
    var occurrences: [Int] { all.map(\.occurrence) }
    var mostRunning: Int { state.withLock { $0.mostRunning } }
    /// The reasons for which slow handlers ended early.
    var reasons: [CancellationReason?] { state.withLock { $0.reasons } }
    func forgetRunning() { state.withLock { ($0.running, $0.generation) = (0, $0.generation + 1) } }
    /// Makes the next `count` calls of kind `failing` fail.
    func failNext(_ count: Int) { state.withLock { $0.failures = count } }
    /// Postpones the next `count` calls of kind `scarce`.
    func postponeNext(_ count: Int) { state.withLock { $0.shortages = count } }

    /// Runs a call of the kind.
    ///
    /// `work` returns at once; `slow` takes 10 s and heeds cancellation; `stubborn` takes 10 s and ignores it.
    /// `failing` fails as often as ``failNext(_:)`` says, and `scarce` is postponed by 1 s as often as
    /// ``postponeNext(_:)`` says.
    func run(_ kind: String, _ context: RunContext, _ time: VirtualTime) async throws {
        let generation = state.withLock { state in
            state.calls.append(
                Call(
                    job: context.job.id.rawValue, occurrence: context.occurrence, attempt: context.attempt,
                    standsFor: context.standsFor,
                    second: secondsSinceBeginning(context.started),
                    lateness: context.lateness,
                    conditions: context.job.request.policies.conditions))
            state.running += 1
            state.mostRunning = max(state.mostRunning, state.running)
            return state.generation
        }
        defer { state.withLock { if $0.generation == generation { $0.running -= 1 } } }
        let clock = TimerClock<UptimeInstant>(engine: time.engine)
        switch kind {
        case "slow":
            do { try await clock.sleep(for: .seconds(10)) } catch {
                state.withLock { $0.reasons.append(context.cancellationReason) }
                throw error
            }
        case "stubborn":
            await Task(executorPreference: time.executor) { try? await clock.sleep(for: .seconds(10)) }.value
        case "failing":
            let fails = state.withLock { state in
                state.failures -= 1
                return state.failures >= 0
            }
            if fails { throw RunDecision.retry(reason: "no luck", exitCode: 3) }
        case "scarce":
            let isShort = state.withLock { state in
                state.shortages -= 1
                return state.shortages >= 0
            }
            context.setOutput(Array("begun".utf8))
            if isShort { throw RunDecision.snooze(for: .seconds(1), reason: "no descriptors") }
        default: break
        }
    }
}
