import ApusJobs

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The lock that makes one store the only owner of a database file.
///
/// It is the kernel's (`flock`) on a file beside the database: it ends with the process, however that ends, and it also
/// excludes a second store of the same process, because each opens the file anew. The file stays; what it says is for
/// people.
struct OwnerLock: ~Copyable {
    private let descriptor: Int32

    /// Takes the lock of the database at `path`.
    /// - Throws: `owned`, naming the owner; `unavailable`.
    init(path: String, owner: String) throws {
        let lockPath = path + ".lock"
        let descriptor = Self.openFile(lockPath)
        guard descriptor >= 0 else {
            throw JobError(
                .unavailable,
                "\(lockPath) cannot be opened (\(Self.reason(errno))); the store needs a directory that exists and can be written"
            )
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            defer { _ = close(descriptor) }
            guard code == EWOULDBLOCK else {
                throw JobError(.unavailable, "\(lockPath) cannot be locked (\(Self.reason(code)))")
            }
            throw JobError(
                .owned,
                "the database \(path) belongs to \(Self.describeOwner(descriptor)); stop that process or use another file"
            )
        }
        self.descriptor = descriptor
        // A full disk must not keep a store closed, so a name that cannot be written is no error.
        _ = ftruncate(descriptor, 0)
        let text = Array("pid \(getpid())\n\(owner)\n".utf8)
        _ = pwrite(descriptor, text, text.count, 0)
    }

    deinit {
        // The name goes before the lock does; after it, the file may be the next owner's.
        _ = ftruncate(descriptor, 0)
        _ = close(descriptor)
    }

    /// `O_CLOEXEC`: a child that inherited the file would keep the lock after this process has died.
    private static func openFile(_ path: String) -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            if descriptor >= 0 || errno != EINTR { return descriptor }
        }
    }

    private static func describeOwner(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let lines = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
        guard let pid = lines.first?.split(separator: " ").last else { return "another process" }
        let name = lines.count > 1 ? " (\(lines[1]))" : ""
        return "process \(pid)\(name) since \(modificationTime(descriptor))"
    }

    /// When the owner wrote its name: the file system's own reading of the clock, in UTC.
    private static func modificationTime(_ descriptor: Int32) -> String {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return "an unknown time" }
        #if canImport(Darwin)
            var seconds = status.st_mtimespec.tv_sec
        #else
            var seconds = status.st_mtim.tv_sec
        #endif
        var time = tm()
        gmtime_r(&seconds, &time)
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(time.tm_year + 1900)-\(two(time.tm_mon + 1))-\(two(time.tm_mday))T"
            + "\(two(time.tm_hour)):\(two(time.tm_min)):\(two(time.tm_sec))Z"
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// The path with symbolic links resolved, so that two names of one file share one lock.
    static func resolved(_ path: String) -> String {
        func real(_ path: String) -> String? {
            guard let text = realpath(path, nil) else { return nil }
            defer { free(text) }
            return String(cString: text)
        }
        if let whole = real(path) { return whole }
        guard let slash = path.lastIndex(of: "/") else { return real(".").map { "\($0)/\(path)" } ?? path }
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        guard let parent = real(directory) else { return path }
        return (parent == "/" ? "" : parent) + path[slash...]
    }

    /// Makes an empty file that only its user can read, unless one is there. SQLite gives the same mode to the files
    /// beside it.
    /// - Returns: the file's size.
    static func createPrivateFile(_ path: String) throws -> Int64 {
        let descriptor = openFile(path)
        guard descriptor >= 0 else {
            throw JobError(
                .unavailable,
                "the database \(path) cannot be opened (\(reason(errno))); check the permissions of the file and its directory"
            )
        }
        defer { _ = close(descriptor) }
        return Int64(lseek(descriptor, 0, SEEK_END))
    }

    /// This program's name.
    static var programName: String {
        CommandLine.arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
    }
}
