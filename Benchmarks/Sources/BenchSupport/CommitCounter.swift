#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts the transactions that are committed to a SQLite file in WAL mode, without taking part in them: the counter
/// `iChange` in the header of the file's shared memory (https://sqlite.org/walformat.html).
///
/// A counter must live until the file's connections in the same process are closed: when a process closes any descriptor
/// of a file, the kernel drops all of the process's locks on that file, those of SQLite too.
package final class CommitCounter: Sendable {
    private let file: Int32

    /// `nil` if the file has no shared memory: no connection is open, or one has the file for itself.
    package init?(_ path: String) {
        file = open(path + "-shm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
    }

    deinit { close(file) }

    /// Transactions since the shared memory was made; the number wraps.
    package var value: UInt32? {
        var counter: UInt32 = 0
        return pread(file, &counter, 4, 8) == 4 ? counter : nil
    }
}
