import Foundation
import PlatformC

/// The system calls of a write that is whole or not at all.
enum AtomicFile {
    /// What a system call answered.
    struct SystemError: Error, CustomStringConvertible {
        let call: String
        let number: Int32

        /// The error of the call that was made last on this thread.
        init(_ call: String) {
            self.call = call
            number = errno
        }

        var description: String { "\(call): \(String(cString: strerror(number)))" }
    }

    /// Puts a file with `data` in the place of the one at `path`, by way of a temporary one in the same folder.
    static func replace(_ path: String, with data: Data, by temporary: String) throws {
        // One that an earlier process of the same number was killed over.
        try remove(temporary)
        do {
            try create(temporary, holding: data)
            guard rename(temporary, path) == 0 else { throw SystemError("rename") }
        } catch {
            try? remove(temporary)
            throw error
        }
    }

    /// Removes a file, if it is there.
    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("unlink") }
    }

    /// Creates a file and forces its content to the disk.
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

    /// Forces what was written to the disk. On Apple's systems `fsync` ends at the disk's own cache (Apple, fsync(2)); where a
    /// file system does not know the command for more, `fsync` is what there is.
    private static func synchronize(_ descriptor: Int32) throws {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
    }

    /// Makes renames and removals in a folder outlive a power cut.
    static func synchronizeFolder(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("open") }
        defer { close(descriptor) }
        try synchronize(descriptor)
    }
}
