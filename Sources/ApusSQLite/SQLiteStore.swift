#if SQLite
    public import ApusJobs
    public import ApusTimers
    public import GRDB
    import GRDBSQLite
    public import Logging

    /// A store of jobs in one SQLite file.
    ///
    /// A turn that ``commit(_:in:)`` has acknowledged survives `kill -9`. With ``Durability/full`` (the default) it
    /// also survives a power failure, because the file is in WAL mode with `synchronous=FULL`.
    ///
    /// One process owns a file: it holds a lock on `<path>.lock`, which the kernel releases when the process ends for
    /// any reason. A second owner gets `JobError.Code.owned`, with a message that names the first. The user may read
    /// the file with other programs at any time.
    ///
    /// The file, its lock and the files of SQLite beside it must belong to the effective user and not be writable by
    /// others. ``open(as:)`` refuses all other files, because a job that another user planted would run as this user.
    /// It refuses a lock that is a symbolic link; the path of the database may be a link of the user or of root. The
    /// directory is not checked.
    ///
    /// Instants have a precision of one nanosecond. An instant after the year 2262 is stored as the last one that a
    /// `WallInstant` can have: later than requested, never earlier.
    public final class SQLiteStore: JobStore {
        private let place: SQLitePlace
        let configuration: Configuration
        private let phase = Locked(Phase.closed)
        private let turnstile = Turnstile()
        let signals = StoreSignals()

        private enum Phase {
            case closed
            /// The store is open; only `owner`, the latest session, may close the connections.
            case open(Connections, owner: StoreSession)
        }

        /// Creates a store in the file at `path`.
        ///
        /// No file is read or created before ``open(as:)``.
        ///
        /// - Parameters:
        ///   - path: the path of the file, whose directory must exist. A missing file is created, readable and writable
        ///     for its user only.
        ///   - configuration: the configuration, for example the durability.
        public init(path: String, configuration: Configuration = .init()) {
            place = SQLitePlace(path: path)
            self.configuration = configuration
        }

        /// Creates a store in an application's own database, in tables whose names begin with `apus_`.
        ///
        /// Everything else in the database is unchanged: the application's tables and migrations, `application_id` and
        /// `user_version`.
        ///
        /// ```swift
        /// let database = try DatabasePool(path: "shop.sqlite")
        /// let scheduler = JobScheduler(store: SQLiteStore(in: database))
        /// ```
        ///
        /// Turns and the application's own transactions are written over one connection, one after another, so neither
        /// finds the database locked by the other; a long transaction delays the jobs. The commit of a turn is synced
        /// according to ``Configuration/durability``, and the application's own commits are synced as before. Close the
        /// scheduler before the database.
        ///
        /// A backup by `DatabaseReader.backup(to:)` or `VACUUM INTO` contains both the application's data and the jobs,
        /// as of one instant. A migrator with `eraseDatabaseOnSchemaChange` treats the tables of Apus as a change and
        /// erases the database at each start, unless a migration of the application creates them: see ``migrate(_:)``.
        ///
        /// Nothing is read or created before ``open(as:)``. It throws `JobError` with `invalid`, naming `in:`, for a
        /// database that is in memory, read-only, in a journal mode other than WAL, without foreign keys or, with the
        /// durability `full`, never synced.
        ///
        /// - Parameters:
        ///   - database: a `DatabasePool`, or a `DatabaseQueue` with `journalMode = .wal`.
        ///   - configuration: the configuration, for example the durability. Its `busyTimeout` applies to reads only:
        ///     the application's own `busyMode` decides how long a turn waits for other processes.
        public init(in database: any DatabaseWriter, configuration: Configuration = .init()) {
            place = SQLitePlace(database)
            self.configuration = configuration
        }

        /// Creates or migrates the tables of Apus in an application's database, in a migration of the application.
        ///
        /// A store does so itself when it is opened. An application needs this function only if the
        /// `eraseDatabaseOnSchemaChange` of its migrator is true, or if it submits jobs before any scheduler has opened
        /// the store:
        ///
        /// ```swift
        /// migrator.registerMigration("jobs") { db in try SQLiteStore.migrate(db) }
        /// ```
        ///
        /// - Parameter db: the connection, in a transaction.
        /// - Throws: `JobError` with `newerSchema`, or with `invalid` if tables from before schema 8 would be migrated
        ///   with foreign keys enforced; GRDB's `DatabaseError`.
        public static func migrate(_ db: Database) throws {
            try Schema.check(db, path: fileName(of: db), of: .application)
            try Schema.migrateInTransaction(db, of: .application)
        }

        /// The path of the file, with symbolic links resolved.
        public var path: String { place.path }

        /// The capabilities of this store: durable, for one process, with a precision of one nanosecond.
        public var capabilities: StoreCapabilities {
            StoreCapabilities(isDurable: true, isShared: false, timePrecision: .nanoseconds(1))
        }

        /// Takes ownership of the file, and creates or migrates it if necessary.
        ///
        /// If the store is already open, this begins a new epoch, after which earlier sessions cannot write any more.
        ///
        /// - Throws: `JobError` with `owned` (naming the owner), `damaged`, `newerSchema`, `unavailable` or `full`.
        public func open(as node: NodeID) async throws -> StoreSession {
            try await turnstile.pass {
                if let open = self.openConnections {
                    let connections = try await self.usable(open)
                    let session = try connections.takeOwnership(node)
                    self.phase.withLock { $0 = .open(connections, owner: session) }
                    return session
                }
                let connections = try await Connections(self.place, self.configuration)
                let session = try connections.takeOwnership(node)
                self.phase.withLock { $0 = .open(connections, owner: session) }
                self.configuration.logger.debug(
                    "opened the job store",
                    metadata: [
                        "path": "\(self.path)", "epoch": "\(session.shards[.only]?.rawValue ?? 0)",
                        "durability": "\(self.configuration.durability)",
                    ])
                return session
            }
        }

        /// Releases ownership, after which the store can be opened again.
        ///
        /// It has no effect if the session is no longer the owner.
        ///
        /// - Throws: `JobError` if the file cannot be closed; ownership is released all the same.
        public func close(_ session: StoreSession) async throws {
            try await turnstile.pass {
                // The owner is determined from the sessions that this object has returned, not from the file, so that a
                // file that cannot be read can be closed.
                let owned = self.phase.withLock { phase -> Connections? in
                    guard case .open(let connections, let owner) = phase, owner.shards == session.shards else {
                        return nil
                    }
                    phase = .closed
                    return connections
                }
                guard let connections = owned else { return }
                self.signals.finish()
                try await connections.close()
                self.configuration.logger.debug("closed the job store", metadata: ["path": "\(self.path)"])
            }
        }

        private var openConnections: Connections? {
            phase.withLock { if case .open(let connections, _) = $0 { connections } else { nil } }
        }

        /// Returns the open connections; after a failed sync, new ones to the same file.
        ///
        /// Reads need the new connections too, because the scheduler reads the file to find out whether the turn whose
        /// sync failed was written.
        private func connections() async throws -> Connections {
            guard let connections = openConnections else { throw isNotOpen }
            guard connections.mustBeReplaced else { return connections }
            return try await turnstile.pass {
                // Another caller may have closed the store in the meantime, or replaced the connections.
                guard let connections = self.openConnections else { throw self.isNotOpen }
                return try await self.usable(connections)
            }
        }

        private var isNotOpen: JobError {
            JobError(code: .closed, message: "the store \(path) is not open; call open() first")
        }

        /// Returns the connections, or their replacement after a failed sync; called within the turnstile.
        private func usable(_ connections: Connections) async throws -> Connections {
            guard connections.mustBeReplaced else { return connections }
            let new = try await connections.replaced(place, configuration)
            phase.withLock { phase in
                if case .open(_, let owner) = phase { phase = .open(new, owner: owner) }
            }
            configuration.logger.notice(
                "opened the job store again after a failed sync", metadata: ["path": "\(path)"])
            return new
        }

        private func read<Value: Sendable>(
            _ body: @escaping @Sendable (Connection) throws -> Value
        ) async throws -> Value {
            let connections = try await connections()
            @Sendable func read(_ connection: Connection) throws -> Value {
                try connection.transaction { try body(connection) }
            }
            do { return try await connections.reader.perform(read) } catch let error as JobError
                where error.code == .closed
            {
                // The store was closed in the meantime, or other connections have replaced these.
                let new = try await self.connections()
                guard new !== connections else { throw error }
                return try await new.reader.perform(read)
            }
        }

        // MARK: Writing

        /// Commits a turn durably, in the order of the calls; see `JobStore.commit(_:in:)`.
        public func commit(_ turn: StoreTurn, in session: StoreSession) async throws -> [Result<[Job], JobError>] {
            let (results, hasSubmissions) = try await connections().write { writer in
                (try writer.commit(turn, in: session), writer.hasSubmissions)
            }
            if hasSubmissions { signals.signalSubmissions() }
            return results
        }

        /// Removes jobs and refusals that need not be kept any longer; see
        /// `JobStore.retire(keptUntil:refusedBefore:budget:in:)`.
        public func retire(
            keptUntil instant: WallInstant, refusedBefore: WallInstant, budget: Int, in session: StoreSession
        ) async throws -> Bool {
            try await connections().write {
                try $0.retire(keptUntil: instant, refusedBefore: refusedBefore, budget: budget, in: session)
            }
        }

        /// Deletes ended jobs; see `JobStore.delete(_:in:)`.
        public func delete(_ jobs: [JobVersion], in session: StoreSession) async throws -> Set<Int64> {
            try await connections().write { try $0.delete(jobs, in: session) }
        }

        // MARK: Reading

        /// Returns the jobs that must be examined, the earliest first; see `JobStore.due(_:in:)`.
        ///
        /// It reads a range of an index for each lane and each of the two clocks.
        public func due(_ load: JobLoad, in session: StoreSession) async throws -> DueJobs {
            try await read { try StoreReader.due(load, on: $0) }
        }

        /// Returns the jobs with a claimed run; see `JobStore.interrupted(after:limit:in:)`.
        public func interrupted(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
            try await read { try StoreReader.interrupted(after: key, limit: max(0, limit), on: $0) }
        }

        /// Returns the jobs that repeat on the wall clock; see `JobStore.anchored(after:limit:in:)`.
        public func anchored(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
            try await read { try StoreReader.anchored(after: key, limit: max(0, limit), on: $0) }
        }

        /// Returns the submissions that no turn has taken, in order; see `JobStore.submissions(limit:in:)`.
        public func submissions(limit: Int, in session: StoreSession) async throws -> [StoreSubmission] {
            try await read { try SubmissionRow.page(limit: max(0, limit), on: $0) }
        }

        /// Returns a stream that signals submissions.
        ///
        /// It signals when a transaction of this process that contains a submission is committed, and after a turn that
        /// has not taken all submissions.
        public func signals(in session: StoreSession) -> AsyncStream<StoreSignal> { signals.stream() }

        /// Returns the jobs that could not be read; see `JobStore.setAside(after:limit:)`.
        public func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob] {
            try await read { try SetAsideRow.page(after: key, limit: ListPage.size(limit), on: $0) }
        }

        /// Returns the refused submissions; see `JobStore.refusals(limit:cursor:)`.
        public func refusals(limit: Int, cursor: String?) async throws -> RefusalPage {
            try await read { try RefusalRow.page(limit: ListPage.size(limit), cursor: cursor, on: $0) }
        }

        /// Returns the referenced jobs; see `JobStore.find(_:)`.
        public func find(_ references: [JobReference]) async throws -> [FoundJob?] {
            try await read { connection in try references.map { try StoreReader.job($0, on: connection) } }
        }

        /// Returns the jobs that match a query, at most 10,000 in one page.
        public func jobs(_ query: JobQuery) async throws -> JobPage {
            try await read { try StorePages.jobs(query, on: $0) }
        }

        /// Returns the number of jobs that match a query; see `JobStore.count(_:)`.
        public func count(_ query: JobQuery) async throws -> Int {
            try await read { try StorePages.count(query, on: $0) }
        }

        /// Returns the jobs that must be examined first; see `JobStore.soonest(limit:)`.
        ///
        /// It reads a range of an index for each lane and each of the two clocks.
        public func soonest(limit: Int) async throws -> [Job] {
            let load = JobLoad(through: WallInstant(nanoseconds: .max), limit: limit)
            return try await read { try StoreReader.due(load, on: $0).jobs.map(\.job) }
        }

        /// Returns the runs that match a query, the newest first, at most 10,000 in one page.
        public func runs(_ query: RunQuery) async throws -> RunPage {
            try await read { try StorePages.runs(query, on: $0) }
        }

        // MARK: For tests

        /// Returns the number of turns that were committed since the store was opened.
        package func commitCount() async throws -> Int { try await connections().write { $0.commits } }

        /// Returns the query plan of each statement that was used since the store was opened.
        package func queryPlans() async throws -> [String: [String]] {
            let connections = try await connections()
            let written = try connections.write { try $0.queryPlans() }
            return try await connections.reader.perform { try $0.queryPlans() }.merging(written) { plan, _ in plan }
        }

        /// Limits the file to a number of pages of 4 KiB; beyond that, writes fail as on a full disk.
        package func limitPages(to count: Int64) async throws {
            try await connections().limitPages(to: count)
        }
    }

    extension SQLiteStore {
        /// The settings of a store.
        public struct Configuration: Sendable {
            /// The events that a commit survives; `.full` by default.
            public var durability: Durability
            /// The maximum time for which the store waits for another program to release the file; 5 s by default.
            ///
            /// The other program may be a SQL shell, for example. A time of more than 24 days counts as 24 days.
            public var busyTimeout: Duration
            /// The owner's name in the error that a second owner gets; by default the name of the program.
            public var ownerName: String
            /// The clocks for the instants of submissions in applications' transactions; by default those of the
            /// machine.
            public var time: any TimeSource
            /// The logger for opening, closing and reopening the store.
            public var logger: Logger

            /// The closure that the store calls on the writer's queue before each commit, for tests.
            package var beforeCommit: (@Sendable () -> Void)?

            /// Creates a configuration; arguments left out have their defaults.
            public init(
                durability: Durability = .full,
                busyTimeout: Duration = .seconds(5),
                ownerName: String? = nil,
                time: any TimeSource = SystemTime(),
                logger: Logger = Logger(label: "apus.sqlite")
            ) {
                self.durability = durability
                self.busyTimeout = busyTimeout
                self.ownerName = ownerName ?? OwnerLock.programName
                self.time = time
                self.logger = logger
            }
        }

        /// The events that a commit survives.
        public struct Durability: Hashable, Sendable, CustomStringConvertible {
            private enum Level: String { case full, relaxed }
            private var level: Level

            /// A commit survives a power failure, because it is synced to the disk before it is acknowledged.
            public static let full = Durability(level: .full)
            /// A commit survives the end of the process, but the newest commits may be lost in a power failure.
            ///
            /// Single commits are many times faster than with ``full``.
            public static let relaxed = Durability(level: .relaxed)

            /// The name of the level.
            public var description: String { level.rawValue }
            /// The value of SQLite's pragma `synchronous`.
            var synchronous: String { level == .full ? "FULL" : "NORMAL" }
        }
    }

    /// The SQLite library that this program is linked with.
    package struct SQLiteLibrary: Sendable {
        package static let linked = SQLiteLibrary(
            version: String(cString: sqlite3_libversion()), number: Int(sqlite3_libversion_number()))

        /// The version, for example `3.46.1`.
        package let version: String
        /// The number of the version, for example 3046001.
        let number: Int

        /// Whether this is a version in which two connections that write to a file in WAL mode can lose pages
        /// (https://sqlite.org/wal.html#walresetbug).
        ///
        /// A distribution may have fixed the bug without changing the number.
        package var mayLosePages: Bool { number < 3_051_003 }
    }
#endif
