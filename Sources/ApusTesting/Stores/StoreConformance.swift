public import ApusJobs
import ApusTimers

/// What a store did not do as ``JobStore`` says.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// What was expected and what was found, with the line of the check.
    public var description: String
    init(_ text: String) { description = text }
}

/// Makes stores for a check.
public struct StoreFactory: Sendable {
    let make: @Sendable () async throws -> any JobStore
    let reopen: @Sendable (any JobStore) async throws -> any JobStore

    /// - Parameters:
    ///   - make: a new, empty store, not yet opened. Each call makes another one.
    ///   - reopen: given a store that was closed, or abandoned as by a crash, a store over the same data, not yet
    /// opened. It may be the same
    ///     object if that can be opened again.
    public init(
        make: @escaping @Sendable () async throws -> any JobStore,
        reopen: @escaping @Sendable (any JobStore) async throws -> any JobStore
    ) {
        self.make = make
        self.reopen = reopen
    }
}

/// One sentence that is true of every store.
public struct StoreCheck: Sendable, CustomStringConvertible {
    /// The sentence.
    public let name: String
    let body: @Sendable (StoreFactory) async throws -> Void

    /// Tries to break it.
    /// - Throws: ``ConformanceFailure``, or what the store threw unexpectedly.
    public func run(_ factory: StoreFactory) async throws { try await body(factory) }

    /// See ``run(_:)``.
    public func run(
        makeStore: @escaping @Sendable () async throws -> any JobStore,
        reopen: @escaping @Sendable (any JobStore) async throws -> any JobStore
    ) async throws {
        try await run(StoreFactory(make: makeStore, reopen: reopen))
    }

    /// The sentence.
    public var description: String { name }
}

/// The suite that every ``JobStore`` must pass. It knows no test framework: run each check, and report what it throws.
public struct StoreConformance {
    /// All checks, independent of each other.
    public static var checks: [StoreCheck] { commits + rows + queries + owners }
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

/// An opened store and its epoch.
struct Opened {
    let store: any JobStore
    let epoch: StoreEpoch

    init(_ factory: StoreFactory) async throws { self = try await Opened(try await factory.make()) }

    init(_ store: any JobStore) async throws {
        self.store = store
        epoch = try await store.open()
    }

    @discardableResult
    func add(_ job: Job, runs: [Run] = []) async throws -> Job {
        try await store.commit([JobChange(expected: .absent, job: job, runs: runs)], epoch: epoch)[0]
    }

    @discardableResult
    func change(_ job: Job, runs: [Run] = []) async throws -> Job {
        try await store.commit([JobChange(expected: .version(job.version), job: job, runs: runs)], epoch: epoch)[0]
    }

    func load(_ id: JobID, line: UInt = #line) async throws -> LoadedJob {
        guard let loaded = try await store.job(id) else {
            throw ConformanceFailure("\(id) is not there (line \(line))")
        }
        return loaded
    }
}

/// 2026-01-01, plus `seconds`.
func instant(_ seconds: Int64) -> WallInstant { WallInstant(secondsSince1970: 1_767_225_600 + seconds) }

func sampleJob(
    _ id: String, wake: Int64? = nil, state: JobState = .scheduled, trigger: Trigger = .every(.seconds(60)),
    edit: (inout JobRequest) -> Void = { _ in }
) -> Job {
    var request = JobRequest(id: JobID(id), trigger: trigger)
    edit(&request)
    let due = state == .scheduled ? instant(wake ?? 60) : nil
    return Job(
        request: request, state: state, created: instant(0), updated: instant(0), first: instant(wake ?? 60),
        nextDue: due,
        wake: wake.map { instant($0) })
}

func sampleRun(
    _ job: Job, _ occurrence: Int, attempt: Int = 1, state: RunState = .waiting, isFinal: Bool = false,
    edit: (inout Run) -> Void = { _ in }
) -> Run {
    var run = Run(
        jobKey: job.key, job: job.id, occurrence: occurrence, attempt: attempt, due: instant(Int64(60 * occurrence)),
        state: state, isFinal: isFinal, reason: [.skipped, .lost, .cancelled].contains(state) ? "because" : nil)
    edit(&run)
    return run
}
