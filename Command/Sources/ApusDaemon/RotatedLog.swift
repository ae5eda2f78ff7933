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

/// A log file with a bound: once it has reached its size it becomes `PATH.1`, `PATH.1` becomes `PATH.2` and so on, the
/// oldest is removed, and a new file is begun.
///
/// The file takes the place of standard error, so that it also has what the runtime says when the process traps. The
/// size is looked at after each message: nothing wakes for it, and a file is larger than its bound by one message at
/// most.
public final class RotatedLog: TextOutputStream, Sendable {
    /// How much is kept.
    public struct Limits: Sendable, Hashable {
        /// The size of a file in bytes.
        public var size: Int
        /// The number of earlier files, 0 to 1000.
        public var keptFiles: Int
        /// Limits; 1 MiB and 3 earlier files unless given.
        public init(size: Int = 1 << 20, keptFiles: Int = 3) {
            self.size = size
            self.keptFiles = keptFiles
        }
    }

    private let path: String
    private let limits: Limits
    private let descriptors: [Int32]
    private let isRotating = Locked(false)

    /// Begins to write to the file at `path`, in the place of standard error, and of standard output if that is the same
    /// file already.
    /// - Throws: `DaemonError` with `unavailable` if the file cannot be written or is not the user's own, `invalid` if
    ///   the number of files is out of range.
    public convenience init(path: String, limits: Limits = .init()) throws {
        let outputIsLog = Self.isSame(STDOUT_FILENO, as: path)
        try self.init(path: path, limits: limits, descriptors: [STDERR_FILENO] + (outputIsLog ? [STDOUT_FILENO] : []))
    }

    /// - Parameters:
    ///   - path: the file.
    ///   - limits: how much is kept.
    ///   - descriptors: what the file takes the place of; the first is written to.
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

    /// Writes a message, whole.
    public func write(_ string: String) {
        var bytes = Array(string.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { systemWrite(descriptors[0], $0) }
            if count < 0, errno == EINTR { continue }
            // A full disk must not stop the daemon: the message is lost.
            guard count > 0 else { break }
            bytes = bytes.dropFirst(count)
        }
        if isFull { rotate() }
    }

    private var isFull: Bool {
        var status = stat()
        return fstat(descriptors[0], &status) == 0 && Int(status.st_size) >= limits.size
    }

    /// Opens the file anew and puts it in its place, which other threads may be writing to meanwhile (dup2(2) is atomic).
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
        // Another thread may have done it since; or another program has moved the file, and a new one is all it takes.
        guard isFull else { return }
        if Self.isSame(descriptors[0], as: path) { moveFiles() }
        do throws(TrustedPath.Failure) { try begin() } catch { ftruncate(descriptors[0], 0) }
        // Files that could not be moved: the bound holds all the same.
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

/// A function of its own, because a method named `write` hides the system call.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
