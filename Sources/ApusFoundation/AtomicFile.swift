import Foundation
import PlatformC

/// The system calls that write a file entirely or not at all.
enum AtomicFile {
    struct SystemError: Error, CustomStringConvertible {
        let call: String
        let number: Int32

        /// Creates the error of the last system call that failed on this thread.
        init(_ call: String) {
            self.call = call
            number = errno
        }

        var description: String { "\(call): \(String(cString: strerror(number)))" }
    }

    /// Replaces the file at `path` with one that contains `data`, through a temporary file in the same folder.
    static func replace(_ path: String, with data: Data, by temporary: String) throws {
        // A killed process with the same identifier may have left this temporary file.
        try remove(temporary)
        do {
            try create(temporary, holding: data)
            guard rename(temporary, path) == 0 else { throw SystemError("rename") }
        } catch {
            try? remove(temporary)
            throw error
        }
    }

    /// Removes a file if it exists.
    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("unlink") }
    }

    private static func create(_ path: String, holding data: Data) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError("open") }
        defer { close(descriptor) }
        try data.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw SystemError("write") }
                written += count
            }
        }
        try synchronize(descriptor)
    }

    /// Forces written data to the disk.
    ///
    /// On Apple's systems `fsync` writes only to the disk's own cache (Apple, fsync(2)), so `F_FULLFSYNC` is tried
    /// first. Some file systems do not support it.
    private static func synchronize(_ descriptor: Int32) throws {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
    }

    /// Makes renames and removals in a folder survive a power failure.
    static func synchronizeFolder(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("open") }
        defer { close(descriptor) }
        try synchronize(descriptor)
    }
}
