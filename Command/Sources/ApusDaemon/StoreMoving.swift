package import ApusClient
package import ApusJobs
import ApusPostgres
import ApusSQLite
import ApusTimers

extension StoreLocation {
    /// Where the store's jobs were moved to, for people: `nil` if they were not.
    package func movedTo() async throws -> String? {
        guard case .sqlite(let path) = self, let mark = try await SQLiteMoveSource(path: path).mark() else {
            return nil
        }
        return mark.isSettled ? mark.move.target : "\(mark.move.target), if the interrupted move counts"
    }
}

/// Moves the jobs of a home's file to PostgreSQL while the home's daemon works.
package struct StoreMoving: Sendable {
    private let source: StoreLocation
    private let path: String
    private let target: StoreLocation
    /// Homes whose daemon may keep its jobs in the file.
    private let homes: [Home]
    private let mover: StoreMover

    /// - Parameters:
    ///   - source: the file.
    ///   - target: the database.
    ///   - home: that of the caller. The other home that is looked at is the folder of the file.
    /// - Throws: `DaemonError` with `invalid` if only stores that are not in use are copied so.
    package init(from source: StoreLocation, to target: StoreLocation, home: Home) throws(DaemonError) {
        guard case .sqlite(let path) = source else {
            throw DaemonError(
                .invalid,
                """
                --live: the jobs of a database are copied while no node runs only: nodes may be on many machines, and \
                applications submit in transactions of their own, so no daemon can stop them all; stop them, and copy \
                without --live
                """)
        }
        if case .postgres(let configuration) = target {
            let folder = path.unicodeScalars.lastIndex(of: "/").map { String(path.unicodeScalars[..<$0]) } ?? "/"
            (self.source, self.path, self.target) = (source, path, target)
            homes = [home, Home(path: folder)]
            let random: any RandomSource = SystemRandom()
            let id = String(random.next(), radix: 36) + String(random.next(), radix: 36)
            mover = StoreMover(
                from: SQLiteMoveSource(path: path), to: PostgresTransfer(configuration),
                StoreMove(id: id, source: "\(source)", target: "\(target)"))
            return
        }
        throw DaemonError(
            .invalid, "--live: jobs are moved to PostgreSQL only; stop the daemon, and copy without --live")
    }

    /// The daemon that has the file open; `nil` if there is none.
    /// - Throws: ``JobError`` with `owned` if it is another process.
    package func daemon() async throws -> DaemonClient? {
        guard let owner = SQLiteMoveSource(path: path).owner() else { return nil }
        for home in homes {
            let client = DaemonClient(home: home)
            if let store = try? await client.health().store, OwnerLock.resolved(store) == OwnerLock.resolved(path) {
                return client
            }
        }
        throw JobError(
            .owned,
            "\(source) belongs to \(owner), which cannot be asked to hand over: set APUS_HOME to its home, or stop it")
    }

    /// Moves the jobs. Afterwards the home says where they are.
    /// - Parameters:
    ///   - stopping: is called with the daemon's state before it is asked to begin nothing more.
    ///   - report: is called after each page.
    /// - Returns: what was moved.
    /// - Throws: ``JobError``, `DaemonError`. Unless it says otherwise, the jobs are in the file then.
    package func run(
        stopping: (WireHealth) -> Void, report: @escaping @Sendable (StoreCopy.Progress) -> Void
    ) async throws -> StoreMover.Outcome {
        // Fail before everything is copied, if the daemon cannot be asked.
        _ = try await daemon()
        let outcome = try await mover.run(
            stop: {
                guard let client = try await daemon(), let health = try? await client.health() else { return }
                stopping(health)
                do { try await client.stop(draining: true) } catch let error as DaemonError
                    where error.code == .noAnswer || error.code == .notRunning
                {}
                try await client.untilStopped()
            }, report: report)
        for home in homes where OwnerLock.resolved(home.databasePath) == OwnerLock.resolved(path) {
            // The file says it too; this is for those who do not name it.
            try? StoreRecord(home).write(target)
        }
        return outcome
    }
}
