import ApusJobs
import ApusTimers

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
    ///
    /// An owner that was killed while it started a program can leave a child that holds the lock until it has become that
    /// program: a matter of milliseconds, for which a lock whose owner is gone is waited for.
    /// - Throws: `owned`, naming the owner; `unavailable`.
    static func acquire(path: String, owner: String) async throws -> OwnerLock {
        for _ in 0..<100 {
            do {
                return try OwnerLock(path: path, owner: owner)
            } catch let error as JobError where error.code == .owned && ownerIsGone(path) {
                try await TimerEngine.shared.sleep(for: .milliseconds(10))
            }
        }
        return try OwnerLock(path: path, owner: owner)
    }

    /// Whether the lock's file names no process, or one that has ended (a zombie has).
    private static func ownerIsGone(_ path: String) -> Bool {
        let descriptor = openFile(path + ".lock")
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        guard let pid = ownerLines(descriptor).first?.split(separator: " ").last.flatMap({ Int32($0) }) else {
            return true
        }
        guard kill(pid, 0) == 0 || errno != ESRCH else { return true }
        let status = open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
        guard status >= 0 else { return false }
        defer { _ = close(status) }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = read(status, &buffer, buffer.count)
        // The state follows the program's name, which is in parentheses (proc(5)).
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).contains(") Z ")
    }

    /// Takes the lock if it is free.
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
        // Closing alone would leave the lock to a child that is just being started and has inherited the file.
        _ = flock(descriptor, LOCK_UN)
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
        let lines = ownerLines(descriptor)
        guard let pid = lines.first?.split(separator: " ").last else { return "another process" }
        let name = lines.count > 1 ? " (\(lines[1]))" : ""
        return "process \(pid)\(name) since \(modificationTime(descriptor))"
    }

    private static func ownerLines(_ descriptor: Int32) -> [Substring] {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
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
