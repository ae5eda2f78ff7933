#if SQLite
    public import ApusJobs
    public import ApusTimers
    public import GRDB
    import GRDBSQLite
    public import Logging

    /// Jobs in one SQLite file.
    ///
    /// What ``commit(_:in:)`` has answered survives `kill -9`, and with ``Durability/full`` (the default) the loss of
    /// power: the file is in WAL mode with `synchronous=FULL`.
    ///
    /// One process owns a file, by a lock on `<path>.lock` that the kernel releases when the process ends, however it
    /// ends. A second owner gets `JobError.Code.owned`, with a message that names the first. The user may read the file
    /// with other programs at any time.
    ///
    /// The file, its lock and the files that SQLite keeps beside it have to belong to the effective user and not be
    /// writable by others: ``open(as:)`` refuses others', because a job that another user planted would run as this
    /// one. A lock that is a link is refused; a database may be a link of the user's or of root's. The directory is the
    /// caller's choice.
    ///
    /// Instants are kept to the nanosecond. Those after the year 2262 are kept as the last instant there is: later than
    /// asked, never earlier.
    public final class SQLiteStore: JobStore {
        private let place: SQLitePlace
        let configuration: Configuration
        private let phase = Locked(Phase.closed)
        private let turnstile = Turnstile()
        let signals = StoreSignals()

        private enum Phase {
            case closed
            /// With the session that was given last, which is the only one that may close them.
            case open(Connections, owner: StoreSession)
        }

        /// A store in the file at `path`. Nothing is read or made before ``open(as:)``.
        /// - Parameters:
        ///   - path: the file; its directory must exist. A file that is missing is made, readable for its user only.
        ///   - configuration: durability and the like.
        public init(path: String, configuration: Configuration = .init()) {
            place = SQLitePlace(path: path)
            self.configuration = configuration
        }

        /// A store in an application's own database, in tables whose names begin with `apus_`. Everything else in the
        /// database stays as it is: the application's tables and migrations, `application_id` and `user_version`.
        ///
        /// ```swift
        /// let database = try DatabasePool(path: "shop.sqlite")
        /// let scheduler = JobScheduler(store: SQLiteStore(in: database))
        /// ```
        ///
        /// Turns are written over the application's connection, one after another with its own transactions, so neither
        /// finds the database locked by the other; a transaction that takes long delays jobs as long. A turn is synced as
        /// ``Configuration/durability`` says, the application's transactions as before. Close the scheduler before the
        /// database.
        ///
        /// A backup by `DatabaseReader.backup(to:)` or `VACUUM INTO` has both, of one instant. A migrator with
        /// `eraseDatabaseOnSchemaChange` takes the tables of Apus for a change and erases the database at each start,
        /// unless a migration of the application's makes them: see ``migrate(_:)``.
        ///
        /// Nothing is read or made before ``open(as:)``, which refuses with `JobError` and `invalid`, naming `in:`, a
        /// database in memory, one that is only read, a journal mode other than WAL, and one without foreign keys.
        /// - Parameters:
        ///   - database: a `DatabasePool`, or a `DatabaseQueue` with `journalMode = .wal`.
        ///   - configuration: durability and the like. Its `busyTimeout` is for reading only: the application's own
        ///     `busyMode` decides how long a turn waits for other processes.
        public init(in database: any DatabaseWriter, configuration: Configuration = .init()) {
            place = SQLitePlace(database)
            self.configuration = configuration
        }

        /// Makes or migrates the tables of Apus in an application's database, within a migration of its own.
        ///
        /// A store does so itself when it is opened. An application needs this only for a migrator whose
        /// `eraseDatabaseOnSchemaChange` is on, or to submit jobs before any scheduler has opened the store:
        ///
        /// ```swift
        /// migrator.registerMigration("jobs") { db in try SQLiteStore.migrate(db) }
        /// ```
        /// - Parameter db: the connection, in a transaction.
        /// - Throws: `JobError` with `newerSchema`; GRDB's `DatabaseError`.
        public static func migrate(_ db: Database) throws {
            try Schema.check(db, path: fileName(of: db), of: .application)
            try Schema.migrateInTransaction(db, of: .application)
        }

        /// Where the file is, with symbolic links resolved.
        public var path: String { place.path }

        /// Durable, for one process, exact to the nanosecond.
        public var capabilities: StoreCapabilities {
            StoreCapabilities(isDurable: true, isShared: false, timePrecision: .nanoseconds(1))
        }

        /// Takes ownership of the file, making or migrating it if need be. On a store that is open, it begins a new
        /// epoch: what carries an earlier one writes nothing any more.
        /// - Throws: `JobError` with `owned` (naming the owner), `damaged`, `newerSchema`, `unavailable`, `full`.
        public func open(as node: NodeID) async throws -> StoreSession {
            try await turnstile.pass {
                if let open = self.openConnections {
                    let connections = try await self.usable(open)
                    let session = try await connections.takeOwnership(node)
                    self.phase.withLock { $0 = .open(connections, owner: session) }
                    return session
                }
                let connections = try await Connections(self.place, self.configuration)
                let session = try await connections.takeOwnership(node)
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

        /// Gives ownership back; the store can be opened again. It does nothing if the session is not the owner any
        /// more.
        public func close(_ session: StoreSession) async throws {
            try await turnstile.pass {
                // By what this object has given out, not by what is in the file: a file that cannot be read can be
                // closed.
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

        /// The open connections; after a failed sync, new ones to the same file. Whether the turn whose sync failed is
        /// there is found out by reading.
        private func connections() async throws -> Connections {
            guard let connections = openConnections else { throw isNotOpen }
            guard connections.mustBeReplaced else { return connections }
            return try await turnstile.pass {
                // Another caller may have closed the store meanwhile, or replaced them.
                guard let connections = self.openConnections else { throw self.isNotOpen }
                return try await self.usable(connections)
            }
        }

        private var isNotOpen: JobError {
            JobError(code: .closed, message: "the store \(path) is not open; call open() first")
        }

        /// The open connections themselves, or those that take their place. Called within the turnstile.
        private func usable(_ connections: Connections) async throws -> Connections {
            guard connections.mustBeReplaced else { return connections }
            let new = try await connections.replaced(place, configuration)
            phase.withLock { phase in
                if case .open(_, let owner) = phase { phase = .open(new, owner: owner) }
            }
            configuration.logger.notice(
                "opened the job store anew after a failed sync", metadata: ["path": "\(path)"])
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
                // They are being replaced, or were in between.
                let new = try await self.connections()
                guard new !== connections else { throw error }
                return try await new.reader.perform(read)
            }
        }

        // MARK: Writing

        /// Applies a turn, durably; see `JobStore.commit(_:in:)`. Calls are served in the order of their arrival.
        public func commit(_ turn: StoreTurn, in session: StoreSession) async throws -> [Result<[Job], JobError>] {
            let (results, hasSubmissions) = try await connections().write { writer in
                (try writer.commit(turn, in: session), writer.hasSubmissions)
            }
            if hasSubmissions { signals.signalSubmissions() }
            return results
        }

        /// Removes old jobs, found by an index; see `JobStore.retire(keptUntil:refusedBefore:budget:in:)`.
        public func retire(
            keptUntil instant: WallInstant, refusedBefore: WallInstant, budget: Int, in session: StoreSession
        ) async throws -> Bool {
            try await connections().write {
                try $0.retire(keptUntil: instant, refusedBefore: refusedBefore, budget: budget, in: session)
            }
        }

        /// See `JobStore.delete(_:in:)`.
        public func delete(_ jobs: [JobVersion], in session: StoreSession) async throws -> Set<Int64> {
            try await connections().write { try $0.delete(jobs, in: session) }
        }

        // MARK: Reading

        /// Jobs that must be looked at, earliest first; see `JobStore.due(_:in:)`. A range read of an index for each
        /// lane and each of the two clocks.
        public func due(_ load: JobLoad, in session: StoreSession) async throws -> DueJobs {
            try await read { try StoreReader.due(load, on: $0) }
        }

        /// See `JobStore.interrupted(after:limit:in:)`.
        public func interrupted(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
            try await read { try StoreReader.interrupted(after: key, limit: max(0, limit), on: $0) }
        }

        /// See `JobStore.anchored(after:limit:in:)`.
        public func anchored(after key: Int64, limit: Int, in session: StoreSession) async throws -> [FoundJob] {
            try await read { try StoreReader.anchored(after: key, limit: max(0, limit), on: $0) }
        }

        /// See `JobStore.submissions(limit:in:)`.
        public func submissions(limit: Int, in session: StoreSession) async throws -> [StoreSubmission] {
            try await read { try SubmissionRow.page(limit: max(0, limit), on: $0) }
        }

        /// That there are submissions: at the commit of a transaction with one in this process, and after a turn that
        /// left any.
        public func signals(in session: StoreSession) -> AsyncStream<StoreSignal> { signals.stream() }

        /// See `JobStore.setAside(after:limit:)`.
        public func setAside(after key: Int64, limit: Int) async throws -> [UnreadableJob] {
            try await read { try SetAsideRow.page(after: key, limit: ListPage.size(limit), on: $0) }
        }

        /// See `JobStore.refusals(limit:cursor:)`.
        public func refusals(limit: Int, cursor: String?) async throws -> RefusalPage {
            try await read { try RefusalRow.page(limit: ListPage.size(limit), cursor: cursor, on: $0) }
        }

        /// See `JobStore.find(_:)`.
        public func find(_ references: [JobReference]) async throws -> [FoundJob?] {
            try await read { connection in try references.map { try StoreReader.job($0, on: connection) } }
        }

        /// Jobs that match, at most 10,000 in one page.
        public func jobs(_ query: JobQuery) async throws -> JobPage {
            try await read { try StorePages.jobs(query, on: $0) }
        }

        /// See `JobStore.count(_:)`.
        public func count(_ query: JobQuery) async throws -> Int {
            try await read { try StorePages.count(query, on: $0) }
        }

        /// A range read of an index for each lane and each of the two clocks; see `JobStore.soonest(limit:)`.
        public func soonest(limit: Int) async throws -> [Job] {
            let load = JobLoad(through: WallInstant(nanoseconds: .max), limit: limit)
            return try await read { try StoreReader.due(load, on: $0).jobs.map(\.job) }
        }

        /// Runs that match, newest first, at most 10,000 in one page.
        public func runs(_ query: RunQuery) async throws -> RunPage {
            try await read { try StorePages.runs(query, on: $0) }
        }

        // MARK: For tests

        /// How many turns have been committed since the store was opened.
        package func commitCount() async throws -> Int { try await connections().write { $0.commits } }

        /// How SQLite runs each statement that the store has used since it was opened.
        package func queryPlans() async throws -> [String: [String]] {
            let connections = try await connections()
            let written = try await connections.write { try $0.queryPlans() }
            return try await connections.reader.perform { try $0.queryPlans() }.merging(written) { plan, _ in plan }
        }

        /// Lets the file grow to that many pages of 4 KiB, at most; beyond, it is as if the disk were full.
        package func limitPages(to count: Int64) async throws {
            try await connections().limitPages(to: count)
        }
    }

    extension SQLiteStore {
        /// How a store keeps its file.
        public struct Configuration: Sendable {
            /// What a commit survives. `.full` by default.
            public var durability: Durability
            /// How long the store waits, at most, for another program (a person with a SQL prompt) to release the file.
            /// 5 s by default.
            public var busyTimeout: Duration
            /// What the owner is called in the error that a second owner gets. The program's name by default.
            public var ownerName: String
            /// Dates what is submitted in applications' transactions. The machine's clocks by default.
            public var time: any TimeSource
            /// Where the store says what it did: opening, migrating, closing.
            public var logger: Logger

            /// For tests: called on the writer's thread before each commit.
            package var beforeCommit: (@Sendable () -> Void)?

            /// A configuration; each argument left out has its default.
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

        /// What a commit survives.
        public struct Durability: Hashable, Sendable, CustomStringConvertible {
            private enum Level: String { case full, relaxed }
            private var level: Level

            /// The loss of power: each commit is synced to the disk before it is answered.
            public static let full = Durability(level: .full)
            /// The end of the process, but not the loss of power: the newest commits may be gone then. Many times
            /// faster for single commits.
            public static let relaxed = Durability(level: .relaxed)

            /// The level's name.
            public var description: String { level.rawValue }
            /// SQLite's word for it.
            var synchronous: String { level == .full ? "FULL" : "NORMAL" }
        }
    }

    /// The SQLite that this program is linked with.
    package struct SQLiteLibrary: Sendable {
        /// The library itself.
        package static let linked = SQLiteLibrary(
            version: String(cString: sqlite3_libversion()), number: Int(sqlite3_libversion_number()))

        /// Such as `3.46.1`.
        package let version: String
        /// Such as 3046001.
        let number: Int

        /// Whether its version is one in which two connections that write to a file in WAL mode can lose pages of it
        /// (https://sqlite.org/wal.html#walresetbug); a distribution may have mended it without another number.
        package var mayLosePages: Bool { number < 3_051_003 }
    }
#endif
