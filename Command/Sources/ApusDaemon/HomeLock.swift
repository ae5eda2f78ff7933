import ApusClient
import ApusSQLite
import ApusTimers
import PlatformC

/// Makes a daemon the only one of its home, whatever store it has: socket, token and records of running commands are the
/// home's.
///
/// The lock is that of the home's own file, so a store that is that file takes it itself.
final class HomeLock: Sendable {
    let identity: HomeIdentity
    private let home: Home
    /// Keeps the number of the home's folder from being given to another folder, even if this one is removed.
    private let folder: Int32
    private let lock = Locked<OwnerLock?>(nil)

    /// The lock of a home that exists.
    /// - Throws: `DaemonError` with `unavailable`.
    init(_ home: Home) throws {
        self.home = home
        var status = stat()
        folder = open(home.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0, fstat(folder, &status) == 0 else {
            throw DaemonError(.unavailable, "\(home.path) cannot be opened (\(String(cString: strerror(errno))))")
        }
        identity = HomeIdentity(status)
    }

    deinit { close(folder) }

    /// Takes the lock, unless it is held already or the store takes it.
    /// - Throws: ``JobError`` with `owned`, naming the other process, or `unavailable`.
    func acquire(forJobsIn store: StoreLocation) async throws {
        let path = OwnerLock.resolved(home.databasePath)
        if case .sqlite(let file) = store, OwnerLock.resolved(file) == path { return }
        guard lock.withLock({ $0 == nil }) else { return }
        let new = try await OwnerLock.acquire(
            path: path, owner: OwnerLock.programName,
            subject: .init(name: "the home \(home.path)", advice: "set another APUS_HOME"))
        var taken: OwnerLock? = new
        lock.withLock { swap(&$0, &taken) }
    }

    /// Gives the home to the next daemon.
    func release() { lock.withLock { $0 = nil } }
}
