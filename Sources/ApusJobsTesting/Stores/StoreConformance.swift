public import ApusJobs
public import ApusTimers

/// A difference between a store and the description of ``/ApusJobs/JobStore``.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The expected and the found value, with the line of the check.
    public var description: String
    init(_ text: String) { description = text }
}

/// The functions that create stores for a check.
public struct StoreFactory: Sendable {
    let make: @Sendable () async throws -> any JobStore
    let reopen: @Sendable (any JobStore) async throws -> any JobStore
    let submit: Submit?

    /// Commits a submission as an application does.
    public typealias Submit = @Sendable (any JobStore, _ request: JobRequest, _ now: WallInstant) async throws -> Void

    /// Creates a factory.
    ///
    /// - Parameters:
    ///   - make: Returns a new, empty store that is not open. Each call returns another store.
    ///   - reopen: Receives a store that was closed, or abandoned as by a crash, and returns a store over the same data
    ///     that is not open. It may return the same object if that can be opened again.
    ///   - submit: Commits a submission (``/ApusJobs/StoreSubmission``) to an open store at an instant; required by
    ///     ``StoreConformance/submissionChecks``.
    public init(
        make: @escaping @Sendable () async throws -> any JobStore,
        reopen: @escaping @Sendable (any JobStore) async throws -> any JobStore,
        submit: Submit? = nil
    ) {
        self.make = make
        self.reopen = reopen
        self.submit = submit
    }
}

/// A sentence that must be true of every store, with the code that checks it.
public struct StoreCheck: Sendable, CustomStringConvertible {
    /// The sentence that must be true, which is also the name of the check.
    public let name: String
    let body: @Sendable (StoreFactory) async throws -> Void

    /// Checks that the sentence is true of the factory's stores.
    ///
    /// - Throws: ``ConformanceFailure``, or an unexpected error of the store.
    public func run(_ factory: StoreFactory) async throws { try await body(factory) }

    /// Checks that the sentence is true of the stores that these functions create; see ``run(_:)``.
    public func run(
        makeStore: @escaping @Sendable () async throws -> any JobStore,
        reopen: @escaping @Sendable (any JobStore) async throws -> any JobStore,
        submit: StoreFactory.Submit? = nil
    ) async throws {
        try await run(StoreFactory(make: makeStore, reopen: reopen, submit: submit))
    }

    /// The sentence that must be true.
    public var description: String { name }
}

/// The suite of checks that every ``/ApusJobs/JobStore`` must pass.
///
/// It uses no test framework: run each check, and report the error that it throws.
public struct StoreConformance {
    /// All checks, which are independent of each other.
    public static var checks: [StoreCheck] {
        turns + identity + rows + waking + elapsedTime + queries + retention + queues + owners + setAside
    }

    /// The independent checks of stores to which applications can submit jobs in their transactions.
    ///
    /// They need a ``StoreFactory`` with `submit`.
    public static var submissionChecks: [StoreCheck] { submissions + refusals }
}

// MARK: Tools of the checks

func expect(
    _ condition: Bool, _ text: @autoclosure () -> String, line: UInt = #line, file: StaticString = #fileID
) throws {
    guard condition else { throw ConformanceFailure("\(text()) (\(file):\(line))") }
}

func expectEqual<Value: Equatable>(
    _ found: Value, _ expected: Value, _ text: @autoclosure () -> String, line: UInt = #line,
    file: StaticString = #fileID
) throws {
    guard found == expected else {
        throw ConformanceFailure("\(text()): expected \(expected), found \(found) (\(file):\(line))")
    }
}

func expectError(
    _ codes: JobError.Code..., text: String, line: UInt = #line, file: StaticString = #fileID,
    _ body: () async throws -> Void
) async throws {
    do {
        try await body()
    } catch let error as JobError {
        guard codes.contains(error.code) else {
            throw ConformanceFailure("\(text): expected \(codes), found \(error) (\(file):\(line))")
        }
        return
    }
    throw ConformanceFailure("\(text): expected \(codes), but it succeeded (\(file):\(line))")
}

/// An open store with the session of one owner.
struct Opened {
    let store: any JobStore
    let session: StoreSession

    init(_ factory: StoreFactory) async throws { self = try await Opened(try await factory.make()) }

    init(_ store: any JobStore) async throws {
        self.store = store
        session = try await store.open(as: NodeID(rawValue: "conformance"))
        guard !session.shards.isEmpty else { throw ConformanceFailure("the session owns no shard") }
    }

    /// A shard that the session owns.
    var shard: ShardID { session.shards.keys.min()! }

    /// Returns the change that adds the job.
    func adding(_ job: Job, runs: [Run] = []) -> JobChange {
        var job = job
        job.openRunCount = runs.count { $0.state.isOpen }
        return JobChange(shard: shard, expected: .absent, job: job, runs: runs)
    }

    /// Returns the change of a job that was read, with its number of open runs after the change.
    func changing(
        _ job: Job, runs: [Run] = [], isRequestChanged: Bool = false, keptRuns: Int? = nil
    ) async throws -> JobChange {
        var job = job
        let open = try await store.load([.key(job.key)])[0]?.open ?? []
        let others = open.filter { run in
            !runs.contains { $0.occurrence == run.occurrence && $0.attempt == run.attempt }
        }
        job.openRunCount = others.count + runs.count { $0.state.isOpen }
        return JobChange(
            shard: shard, expected: .version(job.version), job: job, isRequestChanged: isRequestChanged, runs: runs,
            keptRuns: keptRuns)
    }

    func commit(_ parts: [[JobChange]], clock: StoreClock = sampleClock()) async throws -> [Result<[Job], JobError>] {
        let results = try await store.commit(StoreTurn(parts: parts, clock: clock), in: session)
        try expectEqual(results.count, parts.count, "results")
        return results
    }

    @discardableResult
    func add(_ job: Job, runs: [Run] = [], clock: StoreClock = sampleClock()) async throws -> Job {
        try await commit([[adding(job, runs: runs)]], clock: clock)[0].get()[0]
    }

    @discardableResult
    func change(
        _ job: Job, runs: [Run] = [], isRequestChanged: Bool = false, keptRuns: Int? = nil,
        clock: StoreClock = sampleClock()
    ) async throws -> Job {
        let change = try await changing(job, runs: runs, isRequestChanged: isRequestChanged, keptRuns: keptRuns)
        return try await commit([[change]], clock: clock)[0].get()[0]
    }

    func load(_ id: JobID, line: UInt = #line) async throws -> LoadedJob {
        try await store.job(id).orFail("the store has no job \(id) (line \(line))")
    }

    func allIDs() async throws -> [String] {
        try await store.jobs(JobQuery(limit: 1_000)).jobs.map(\.id.rawValue)
    }
}

extension Optional {
    func orFail(_ text: @autoclosure () -> String) throws -> Wrapped {
        guard let self else { throw ConformanceFailure(text()) }
        return self
    }
}

/// Checks that a part was refused with one of these codes.
func expectRefused<Value>(
    _ result: Result<Value, JobError>, _ codes: JobError.Code..., text: String, line: UInt = #line,
    file: StaticString = #fileID
) throws {
    switch result {
    case .success(let value): throw ConformanceFailure("\(text): expected \(codes), found \(value) (\(file):\(line))")
    case .failure(let error):
        try expect(codes.contains(error.code), "\(text): expected \(codes), found \(error)", line: line, file: file)
    }
}

/// Returns the clocks after the wall clock was set by an offset.
func sampleClock(setBy offset: Duration = .zero) -> StoreClock {
    StoreClock(bootID: "boot", wallOffset: .seconds(1_700_000_000) + offset, elapsedOffset: offset)
}

/// Returns the instant this number of seconds after the beginning of 2026 in UTC.
func instant(_ seconds: Int64) -> WallInstant { WallInstant(secondsSince1970: 1_767_225_600 + seconds) }

func sampleJob(
    _ id: String, wake: Int64? = nil, state: JobState = .scheduled, trigger: Trigger = .every(.seconds(60)),
    edit: (inout JobRequest) -> Void = { _ in }
) -> Job {
    var request = JobRequest(id: JobID(id), trigger: trigger)
    edit(&request)
    let due = state == .scheduled ? instant(wake ?? 60) : nil
    let look = wake.map { instant($0) }
    return Job(
        request: request, state: state, created: instant(0), updated: instant(0), firstDue: instant(wake ?? 60),
        nextDue: due, wake: trigger.isRelative ? nil : look, elapsedWake: trigger.isRelative ? look : nil,
        keptUntil: state.isFinal ? instant(0) : nil)
}

func sampleRun(
    _ job: Job, _ occurrence: Int, attempt: Int = 1, state: RunState = .waiting, isFinal: Bool = false,
    edit: (inout Run) -> Void = { _ in }
) -> Run {
    var run = Run(
        jobKey: job.key, jobID: job.id, occurrence: occurrence, attempt: attempt, due: instant(Int64(60 * occurrence)),
        state: state, isFinal: isFinal, reason: [.skipped, .lost, .cancelled].contains(state) ? "because" : nil)
    edit(&run)
    return run
}

/// Returns a range of skipped occurrences.
func sampleSkip(_ job: Job, _ occurrence: Int, through: Int? = nil) -> Run {
    sampleRun(job, occurrence, attempt: 0, state: .skipped, isFinal: true) { $0.through = through ?? occurrence }
}
