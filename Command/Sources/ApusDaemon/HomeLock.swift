import ApusClient
import ApusSQLite
import ApusTimers
import PlatformC

/// A lock that makes a daemon the only one of its home, whatever store it uses.
///
/// The socket, the token and the records of running commands belong to the home. The lock is that of the home's own
/// database file, so a store in that file takes the lock itself.
final class HomeLock: Sendable {
    let identity: HomeIdentity
    private let home: Home
    /// A descriptor of the home's folder, which keeps the kernel from reusing the folder's inode even if the folder is
    /// removed.
    private let folder: Int32
    private let lock = Locked<OwnerLock?>(nil)

    /// Opens a home that exists, without taking the lock.
    ///
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

    /// Takes the lock, unless this object holds it already, or the store will take the same lock.
    ///
    /// - Throws: ``JobError`` with `owned`, naming the other process, or with `unavailable`.
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

    /// Releases the home for the next daemon.
    func release() { lock.withLock { $0 = nil } }
}
