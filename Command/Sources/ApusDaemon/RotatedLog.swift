import ApusClient
import ApusSQLite
import ApusTimers
import PathTrust
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A log file of a bounded size, with a bounded number of earlier log files.
///
/// When a file has reached its maximum size, it becomes `PATH.1`, `PATH.1` becomes `PATH.2` and so on, the oldest file
/// is removed, and a new file begins.
///
/// The file takes the place of standard error, so it also contains the runtime's message if the process traps. The size
/// is checked after each message, so no timer is needed, and a file exceeds its bound by at most one message.
public final class RotatedLog: TextOutputStream, Sendable {
    /// The bounds of a log.
    public struct Limits: Sendable, Hashable {
        /// The size of a file in bytes.
        public var size: Int
        /// The number of earlier files, 0 to 1000.
        public var keptFiles: Int
        /// Creates limits; the defaults are 1 MiB and 3 earlier files.
        public init(size: Int = 1 << 20, keptFiles: Int = 3) {
            self.size = size
            self.keptFiles = keptFiles
        }
    }

    private let path: String
    private let limits: Limits
    private let descriptors: [Int32]
    private let isRotating = Locked(false)

    /// Begins to write to the file at `path`, in place of standard error, and of standard output if that is already the
    /// same file.
    ///
    /// - Throws: `DaemonError` with `unavailable` if the file cannot be written or does not belong to the user, or with
    ///   `invalid` if the number of files is out of range.
    public convenience init(path: String, limits: Limits = .init()) throws {
        let outputIsLog = Self.isSame(STDOUT_FILENO, as: path)
        try self.init(path: path, limits: limits, descriptors: [STDERR_FILENO] + (outputIsLog ? [STDOUT_FILENO] : []))
    }

    /// Begins to write to a file in place of some descriptors.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limits: the bounds of the log.
    ///   - descriptors: the descriptors that the file replaces; messages are written to the first.
    /// - Throws: `DaemonError`.
    init(path: String, limits: Limits, descriptors: [Int32]) throws {
        guard (0...1_000).contains(limits.keptFiles) else {
            throw DaemonError(.invalid, "log files: \(limits.keptFiles) is not between 0 and 1000")
        }
        self.path = path
        self.limits = limits
        self.descriptors = descriptors
        do throws(TrustedPath.Failure) { try begin() } catch {
            throw DaemonError(.unavailable, "the log \(error)")
        }
    }

    /// Writes a whole message.
    public func write(_ string: String) {
        var bytes = Array(string.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { systemWrite(descriptors[0], $0) }
            if count < 0, errno == EINTR { continue }
            // A full disk must not stop the daemon, so the message is lost.
            guard count > 0 else { break }
            bytes = bytes.dropFirst(count)
        }
        if isFull { rotate() }
    }

    private var isFull: Bool {
        var status = stat()
        return fstat(descriptors[0], &status) == 0 && Int(status.st_size) >= limits.size
    }

    /// Opens the file and replaces the descriptors, to which other threads may be writing (dup2(2) is atomic).
    private func begin() throws(TrustedPath.Failure) {
        let file = try TrustedPath.open(path, O_WRONLY | O_CREAT | O_APPEND)
        defer { close(file) }
        for descriptor in descriptors { dup2(file, descriptor) }
    }

    private func rotate() {
        let isMine = isRotating.withLock { isRotating in
            defer { isRotating = true }
            return !isRotating
        }
        guard isMine else { return }
        defer { isRotating.withLock { $0 = false } }
        // Another thread may have rotated the file in the meantime. If another program has moved the file, only a new
        // file is needed.
        guard isFull else { return }
        if Self.isSame(descriptors[0], as: path) { moveFiles() }
        do throws(TrustedPath.Failure) { try begin() } catch { ftruncate(descriptors[0], 0) }
        // The bound holds even if the files could not be moved.
        if isFull { ftruncate(descriptors[0], 0) }
    }

    private func moveFiles() {
        guard limits.keptFiles > 0 else {
            unlink(path)
            return
        }
        for number in stride(from: limits.keptFiles - 1, through: 1, by: -1) {
            rename("\(path).\(number)", "\(path).\(number + 1)")
        }
        rename(path, "\(path).1")
    }

    private static func isSame(_ descriptor: Int32, as path: String) -> Bool {
        var open = stat()
        var named = stat()
        return fstat(descriptor, &open) == 0 && stat(path, &named) == 0 && open.st_dev == named.st_dev
            && open.st_ino == named.st_ino
    }
}

/// Calls write(2), which the log cannot name, because its method `write` hides the function.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
