public import ApusJobs
public import ApusTimers
import Logging

/// Jobs in one SQLite file.
///
/// What ``commit(_:epoch:)`` has answered survives `kill -9`, and with ``Durability/full`` (the default) the loss of
/// power: the file is in WAL mode with `synchronous=FULL`. Calls that arrive while a commit is being synced share the
/// next one.
///
/// One process owns a file, by a lock on `<path>.lock` that the kernel releases when the process ends, however it ends.
/// A second owner gets ``JobError/Code/owned``, with a message that names the first. The user may read the file with
/// other programs at any time.
///
/// The file, its lock and the files that SQLite keeps beside it have to belong to the effective user and not be writable
/// by others: ``open()`` refuses others', because a job that another user planted would run as this one. A lock that is
/// a link is refused; a database may be a link of the user's or of root's. The directory is the caller's choice.
///
/// Instants are kept to the nanosecond. Those behind the year 2262 are kept as the last instant there is: later than
/// asked, never earlier.
public final class SQLiteStore: JobStore {
    /// Where the file is, with symbolic links resolved.
    public let path: String
    /// The path that was given.
    private let name: String
    private let configuration: Configuration
    private let phase = Locked(Phase.closed)
    private let turnstile = Turnstile()

    private enum Phase {
        case closed
        case open(Connections)
    }

    /// A store in the file at `path`. Nothing is read or made before ``open()``.
    /// - Parameters:
    ///   - path: the file; its directory must exist. A file that is missing is made, readable for its user only.
    ///   - configuration: durability and the like.
    public init(path: String, configuration: Configuration = .init()) {
        name = path
        self.path = OwnerLock.resolved(path)
        self.configuration = configuration
    }

    /// Durable, for one process, exact to the nanosecond.
    public var capabilities: StoreCapabilities {
        StoreCapabilities(isDurable: true, isShared: false, timePrecision: .nanoseconds(1))
    }

    /// Takes ownership of the file, making or migrating it if need be. On a store that is open, it begins a new epoch:
    /// what carries an earlier one writes nothing any more.
    /// - Throws: ``JobError`` with `owned` (naming the owner), `damaged`, `newerSchema`, `unavailable`, `full`.
    public func open() async throws -> StoreEpoch {
        try await turnstile.pass {
            if let connections = self.openConnections { return try await connections.takeOwnership() }
            let connections = try await Connections(path: self.path, askedFor: self.name, self.configuration)
            let epoch = try await connections.takeOwnership()
            self.phase.withLock { $0 = .open(connections) }
            self.configuration.logger.debug(
                "opened the job store",
                metadata: [
                    "path": "\(self.path)", "epoch": "\(epoch.rawValue)",
                    "durability": "\(self.configuration.durability)",
                ])
            return epoch
        }
    }

    /// Gives ownership back, after everything asked for has been committed. Idempotent; the store can be opened again.
    public func close() async throws {
        try await turnstile.pass {
            let connections = self.phase.withLock { phase -> Connections? in
                guard case .open(let connections) = phase else { return nil }
                phase = .closed
                return connections
            }
            guard let connections else { return }
            try await connections.close()
            self.configuration.logger.debug("closed the job store", metadata: ["path": "\(self.path)"])
        }
    }

    private var openConnections: Connections? {
        phase.withLock { if case .open(let connections) = $0 { connections } else { nil } }
    }

    private func connections() throws -> Connections {
        guard let connections = openConnections else {
            throw JobError(.closed, "the store \(path) is not open; call open() first")
        }
        return connections
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        try await connections().reader.perform { connection in try connection.transaction { try body(connection) } }
    }

    // MARK: Writing

    /// Applies each change, durably; see ``JobStore/commit(_:epoch:)``. Calls are served in the order of their arrival.
    public func commit(_ changes: [JobChange], epoch: StoreEpoch) async throws -> [Job] {
        try await connections().commits.commit(changes, epoch: epoch)
    }

    /// Moves the jobs that count elapsed time; see ``JobStore/shiftRelativeJobs(by:epoch:)``.
    public func shiftRelativeJobs(by offset: Duration, epoch: StoreEpoch) async throws {
        try await connections().commits.alone(epoch: epoch) { _, connection in
            try Maintenance.shiftRelativeJobs(by: offset, on: connection)
        }
    }

    /// Keeps a small record; it is written with the next commit, or by ``close()``.
    public func setMetadata(_ key: String, to value: String, epoch: StoreEpoch) async throws {
        try connections().setMetadata(key, to: value, epoch: epoch)
    }

    /// Forgets old history; see ``JobStore/prune(keepRuns:endedBefore:epoch:)``. Open runs, and jobs that have one,
    /// stay.
    public func prune(keepRuns: Int, endedBefore: WallInstant, epoch: StoreEpoch) async throws {
        try await connections().commits.alone(epoch: epoch) { _, connection in
            try Maintenance.prune(keepRuns: keepRuns, endedBefore: endedBefore, on: connection)
        }
    }

    // MARK: Reading

    /// Jobs that must be looked at, earliest first; see ``JobStore/wakingJobs(through:limit:)``. One range read of an
    /// index.
    public func wakingJobs(through instant: WallInstant, limit: Int) async throws -> [LoadedJob] {
        try await read { try StoreReader.wakingJobs(through: instant, limit: max(0, limit), on: $0) }
    }

    /// The earliest `wake` after `instant`, if any.
    public func nextWake(after instant: WallInstant) async throws -> WallInstant? {
        try await read { try StoreReader.nextWake(after: instant, on: $0) }
    }

    /// All jobs that have a claimed run, ordered by key.
    public func interruptedJobs() async throws -> [LoadedJob] {
        try await read { try StoreReader.interruptedJobs(on: $0) }
    }

    /// One job with its open runs.
    public func job(_ id: JobID) async throws -> LoadedJob? {
        try await read { try StoreReader.job(id, on: $0) }
    }

    /// Jobs that match, at most 10,000 in one page.
    public func jobs(_ query: JobQuery) async throws -> JobPage {
        try await read { try StorePages.jobs(query, on: $0) }
    }

    /// Runs that match, newest first, at most 10,000 in one page.
    public func runs(_ query: RunQuery) async throws -> RunPage {
        try await read { try StorePages.runs(query, on: $0) }
    }

    /// A small record that the scheduler keeps beside the jobs.
    public func metadata(_ key: String) async throws -> String? {
        if let waiting = try connections().commits.waitingMetadata(key) { return waiting }
        return try await read { try StoreReader.metadata(key, on: $0) }
    }

    // MARK: For tests

    /// How many commits the group commit has made since the store was opened.
    package var commitCount: Int { openConnections?.commits.commits ?? 0 }

    /// How many calls wait for the commit after the one in progress.
    package var waitingCalls: Int { openConnections?.commits.waiting ?? 0 }

    /// Lets the file grow to that many pages of 4 KiB, at most; beyond, it is as if the disk were full.
    package func limitPages(to count: Int64) async throws {
        try await connections().limitPages(to: count)
    }
}
