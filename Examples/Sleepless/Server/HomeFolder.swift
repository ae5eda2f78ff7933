import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The folder of an app's records on Linux, which belongs to one process at a time; only its user can read the records.
///
/// The kernel keeps the lock (flock(2)), and releases it when the process ends for any reason. The lock file stays. Its
/// content, the number of the process, is only used for the message of an error.
final class HomeFolder: Sendable {
    /// An error that says why the folder cannot be used.
    struct Failure: Error, CustomStringConvertible {
        /// The description of the problem, with the remedy.
        var description: String
    }

    let records: URL

    private let descriptor: Int32

    /// Takes the folder, and creates it if it does not exist.
    ///
    /// - Throws: ``Failure`` if another process, whose number is in the message, has the folder, or if the folder
    ///   cannot be written.
    init(_ home: URL) throws {
        records = home.appending(path: "records", directoryHint: .isDirectory)
        do {
            // The mode is only for a new folder. An existing folder, such as /tmp, keeps its mode, because other users
            // may need to read it.
            try FileManager.default.createDirectory(
                at: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try FileManager.default.createDirectory(
                at: records, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            // A folder of an earlier version may be readable by others.
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: records.path)
            try Self.closeFiles(in: records)
        } catch {
            throw Failure(
                description: "the home “\(home.path)” cannot be written (\(error.localizedDescription)); check its "
                    + "permissions, or choose another one")
        }
        let path = home.appending(path: "lock").path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Failure(description: "“\(path)” cannot be opened (\(String(cString: strerror(errno))))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            var buffer = [UInt8](repeating: 0, count: 32)
            let count = pread(descriptor, &buffer, buffer.count, 0)
            let owner = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).prefix { $0.isNumber }
            close(descriptor)
            throw Failure(
                description: "the home “\(home.path)” belongs to process \(owner.isEmpty ? "?" : String(owner)); stop "
                    + "that process, or choose another home")
        }
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
    }

    deinit {
        _ = ftruncate(descriptor, 0)
        close(descriptor)
    }

    private static func closeFiles(in folder: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let path = folder.appending(path: name).path
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }
}
