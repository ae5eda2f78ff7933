#if SQLite
    import ApusJobs
    import ApusSQLite
    import ApusTimers
    import Foundation
    import GRDB
    import Synchronization
    import Testing

    /// A temporary directory, which is removed when the object is released.
    final class Directory: Sendable {
        let path: String

        init() throws {
            path = FileManager.default.temporaryDirectory.appending(path: "apus-sqlite-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func file(_ name: String = "jobs.db") -> String { "\(path)/\(name)" }
    }

    func sampleJob(_ id: String, payload: [UInt8] = []) -> Job {
        let instant = WallInstant(secondsSince1970: 1_767_225_600)
        return Job(
            request: JobRequest(id: JobID(id), trigger: .at(instant), payload: payload), state: .scheduled,
            created: instant,
            updated: instant, firstDue: instant, nextDue: instant, wake: instant)
    }

    /// Returns a job that repeats every minute of elapsed time.
    func relativeJob(_ id: String) -> Job {
        let instant = WallInstant(secondsSince1970: 1_767_225_660)
        return Job(
            request: JobRequest(id: JobID(id), trigger: .every(.seconds(60))), state: .scheduled, created: instant,
            updated: instant, firstDue: instant, nextDue: instant, elapsedWake: instant)
    }

    /// Returns the change that adds the job.
    func adding(_ job: Job, runs: [Run] = []) -> JobChange {
        var job = job
        job.openRunCount = runs.count { $0.state.isOpen }
        return JobChange(expected: .absent, job: job, runs: runs)
    }

    /// Returns the store's clocks after the wall clock was set by the offset.
    func sampleClock(setBy offset: Duration = .zero) -> StoreClock {
        StoreClock(bootID: "boot", wallOffset: .seconds(1_700_000_000) + offset, elapsedOffset: offset)
    }

    extension SQLiteStore {
        func open() async throws -> StoreSession { try await open(as: NodeID(rawValue: "test")) }

        func commit(
            _ parts: [[JobChange]], _ session: StoreSession, clock: StoreClock = sampleClock()
        ) async throws -> [Result<[Job], JobError>] {
            try await commit(StoreTurn(parts: parts, clock: clock), in: session)
        }

        @discardableResult
        func add(_ job: Job, _ session: StoreSession, runs: [Run] = []) async throws -> Job {
            try await commit([[adding(job, runs: runs)]], session)[0].get()[0]
        }

        @discardableResult
        func change(
            _ job: Job, _ session: StoreSession, runs: [Run] = [], keptRuns: Int? = nil
        ) async throws -> Job {
            let change = JobChange(expected: .version(job.version), job: job, runs: runs, keptRuns: keptRuns)
            return try await commit([[change]], session)[0].get()[0]
        }

        func openAndClose() async throws { try await close(try await open()) }

        func allIDs() async throws -> [String] {
            var found: [String] = []
            for try await page in pages(of: JobQuery(limit: 1_000)) { found += page.jobs.map(\.id.rawValue) }
            return found
        }
    }

    /// Expects `body` to throw a ``JobError`` with the code, and returns the error.
    @discardableResult
    func expectError(
        _ code: JobError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async throws -> JobError {
        do {
            try await body()
        } catch let error as JobError {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
            return error
        }
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        throw CancellationError()
    }

    /// Opens another program's connection to the file.
    func foreignConnection(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// The file in which a store has its tables: its own or an application's.
    enum StorePlace: CaseIterable {
        case file, application

        func store(
            _ path: String, configuration: SQLiteStore.Configuration = .init()
        ) throws -> SQLiteStore {
            switch self {
            case .file: SQLiteStore(path: path, configuration: configuration)
            case .application: SQLiteStore(in: try DatabasePool(path: path), configuration: configuration)
            }
        }
    }

    /// A counter that starts at 1.
    final class Counter: Sendable {
        private let value = Atomic(0)
        func next() -> Int { value.add(1, ordering: .relaxed).newValue }
    }

    func removeAll(in directory: Directory) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            try FileManager.default.removeItem(atPath: directory.file(name))
        }
    }
#endif
