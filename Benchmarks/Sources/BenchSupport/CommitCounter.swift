#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A counter of the transactions that are committed to a SQLite file in WAL mode.
///
/// It reads the counter `iChange` in the header of the file's shared memory (https://sqlite.org/walformat.html), and
/// does not take part in the transactions.
///
/// A counter must live until the file's connections in the same process are closed, because when a process closes any
/// descriptor of a file, the kernel releases all of the process's locks on that file, including those of SQLite.
package final class CommitCounter: Sendable {
    private let file: Int32

    /// Opens the shared memory; `nil` if there is none, because no connection is open or one uses the file exclusively.
    package init?(_ path: String) {
        file = open(path + "-shm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
    }

    deinit { close(file) }

    /// The number of transactions since the shared memory was created, modulo 2³²; `nil` if it cannot be read.
    package var value: UInt32? {
        var counter: UInt32 = 0
        return pread(file, &counter, 4, 8) == 4 ? counter : nil
    }
}
