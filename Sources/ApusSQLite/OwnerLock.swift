#if SQLite
    import ApusJobs
    import ApusTimers
    import PathTrust
    import PlatformC

    /// The lock that makes a store the only owner of a database file, and a daemon the only owner of a home.
    ///
    /// It is a `flock` on a file with the suffix `.lock`. The kernel releases it when the process ends, however that
    /// happens. It also excludes a second store in the same process, because each store opens the file again. The file
    /// is not removed. Its text names the owner for error messages, and the owner's process for
    /// ``acquire(path:owner:subject:)``.
    package struct OwnerLock: ~Copyable {
        private let descriptor: Int32

        /// The locked object, for the message of `owned`.
        package struct Subject: Sendable {
            var name: String
            var advice: String
            /// Creates a subject.
            ///
            /// - Parameters:
            ///   - name: the name of the locked object, which is followed by "belongs to".
            ///   - advice: an alternative, which follows "stop that process or".
            package init(name: String, advice: String) {
                self.name = name
                self.advice = advice
            }
            static func database(_ path: String) -> Self {
                Self(name: "the database \(path)", advice: "use another file")
            }
        }

        /// Takes the lock of the database at `path`.
        ///
        /// A killed owner keeps the lock until the kernel has removed the process. If the owner was just starting a
        /// program, the child keeps the lock until it has executed the program. Both take milliseconds, or longer on a
        /// busy machine. The lock of an owner that has ended or is ending is therefore awaited for up to 5 s. The lock
        /// of an active owner is awaited for only a tenth of a second, in case the owner has just been sent a signal
        /// that ends it.
        ///
        /// - Throws: ``JobError`` with `owned`, which names the owner, or `unavailable`.
        package static func acquire(
            path: String, owner: String, subject: Subject? = nil
        ) async throws -> OwnerLock {
            var looks = (all: 0, alive: 0)
            while true {
                do {
                    return try OwnerLock(path: path, owner: owner, subject: subject ?? .database(path))
                } catch let error as JobError where error.code == .owned {
                    looks.all += 1
                    looks.alive = ownerIsGoing(path) ? 0 : looks.alive + 1
                    if looks.all > 500 || looks.alive > 10 { throw error }
                    try await TimerEngine.shared.sleep(for: .milliseconds(10))
                }
            }
        }

        /// Returns whether the lock's file names no process, or a process that has ended or is ending.
        private static func ownerIsGoing(_ path: String) -> Bool {
            guard let descriptor = try? TrustedPath.open(path + ".lock", O_RDONLY) else { return false }
            defer { _ = close(descriptor) }
            guard let pid = ownerProcess(ownerLines(descriptor)) else {
                return true
            }
            guard kill(pid, 0) == 0 || errno != ESRCH else { return true }
            return isEnding(status: smallFile("/proc/\(pid)/stat"))
        }

        /// Returns whether a process is a zombie or is ending, from the text of `/proc/PID/stat` (proc(5)); `false` for
        /// an empty text.
        static func isEnding(status: String) -> Bool {
            // The fields follow the program's name, which is in parentheses and may itself contain parentheses.
            guard let name = status.unicodeScalars.lastIndex(of: ")") else { return false }
            let fields = status.unicodeScalars[name...].dropFirst().split(separator: " ").map(Substring.init)
            guard fields.count > 28 else { return false }
            let exiting: UInt64 = 0x4  // PF_EXITING of the kernel's sched.h
            let killed: UInt64 = 1 << UInt64(SIGKILL - 1)
            return ["Z", "X"].contains(fields[0]) || (UInt64(fields[6]) ?? 0) & exiting != 0
                || (UInt64(fields[28]) ?? 0) & killed != 0
        }

        private static func smallFile(_ path: String) -> String {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return "" }
            defer { _ = close(descriptor) }
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = read(descriptor, &buffer, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }

        /// Takes the lock if it is free.
        ///
        /// - Throws: ``JobError`` with `owned`, which names the owner, or `unavailable`.
        init(path: String, owner: String, subject: Subject) throws {
            let lockPath = path + ".lock"
            let descriptor: Int32
            do throws(TrustedPath.Failure) {
                descriptor = try TrustedPath.open(lockPath, O_RDWR | O_CREAT)
            } catch {
                let advice = error.code == EPERM ? "" : "; the store needs a directory that exists and can be written"
                throw JobError(code: .unavailable, message: "\(error)\(advice)")
            }
            guard Self.hasOneName(descriptor) else {
                _ = close(descriptor)
                throw JobError(
                    code: .unavailable,
                    message: "\(lockPath) has a second name (a hard link), so the store does not write it; remove it")
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                defer { _ = close(descriptor) }
                guard code == EWOULDBLOCK else {
                    throw JobError(code: .unavailable, message: "\(lockPath) cannot be locked (\(Self.reason(code)))")
                }
                throw JobError(
                    code: .owned,
                    message:
                        "\(subject.name) belongs to \(Self.describeOwner(descriptor)); stop that process or \(subject.advice)"
                )
            }
            self.descriptor = descriptor
            // A store must open on a full disk too, so an error of writing the name is ignored.
            _ = ftruncate(descriptor, 0)
            let text = Array("pid \(getpid())\n\(owner)\n".utf8)
            _ = pwrite(descriptor, text, text.count, 0)
        }

        deinit {
            // The text is removed before the lock is released, because afterwards the file may belong to the next
            // owner.
            _ = ftruncate(descriptor, 0)
            // Closing alone would not release the lock while a child that is just being started has inherited the file.
            _ = flock(descriptor, LOCK_UN)
            _ = close(descriptor)
        }

        /// Returns whether the lock's file has only one name.
        ///
        /// The lock writes into the file, so the path must not be a second name of another file of the user.
        private static func hasOneName(_ descriptor: Int32) -> Bool {
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_nlink <= 1
        }

        /// Returns a description of the owner of the database at `path`; `nil` if it has no owner.
        static func owner(of path: String) -> String? {
            guard let descriptor = try? TrustedPath.open(path + ".lock", O_RDONLY) else { return nil }
            defer { _ = close(descriptor) }
            guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else {
                _ = flock(descriptor, LOCK_UN)
                return nil
            }
            return describeOwner(descriptor)
        }

        private static func describeOwner(_ descriptor: Int32) -> String {
            let lines = ownerLines(descriptor)
            guard let pid = ownerProcess(lines) else { return "another process" }
            let name = lines.count > 1 ? " (\(lines[1]))" : ""
            return "process \(pid)\(name) since \(modificationTime(descriptor))"
        }

        private static func ownerProcess(_ lines: [String]) -> Int32? {
            lines.first?.unicodeScalars.split(separator: " ").last.flatMap { Int32(String($0)) }
        }

        private static func ownerLines(_ descriptor: Int32) -> [String] {
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = pread(descriptor, &buffer, buffer.count, 0)
            return buffer.prefix(max(0, count)).split(separator: UInt8(ascii: "\n"))
                .map { String(decoding: $0, as: UTF8.self) }
        }

        /// Returns the instant at which the owner wrote its name, by the clock of the file system, in UTC.
        private static func modificationTime(_ descriptor: Int32) -> String {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return "an unknown time" }
            var seconds = status.modified.tv_sec
            var time = tm()
            gmtime_r(&seconds, &time)
            func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
            return "\(time.tm_year + 1900)-\(two(time.tm_mon + 1))-\(two(time.tm_mday))T"
                + "\(two(time.tm_hour)):\(two(time.tm_min)):\(two(time.tm_sec))Z"
        }

        private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

        /// Returns the path with all symbolic links resolved, so that two names of one file share one lock.
        ///
        /// The target of a link need not exist yet.
        package static func resolved(_ path: String, links: Int = 0) -> String {
            func real(_ path: String) -> String? {
                guard let text = realpath(path, nil) else { return nil }
                defer { free(text) }
                return String(validatingCString: text)
            }
            if let whole = real(path) { return whole }
            let directory: String
            let name: String
            let scalars = path.unicodeScalars
            if let slash = scalars.lastIndex(of: "/") {
                directory = slash == scalars.startIndex ? "/" : String(scalars[..<slash])
                name = String(scalars[scalars.index(after: slash)...])
            } else {
                directory = "."
                name = path
            }
            guard let parent = real(directory) else { return path }
            let file = (parent == "/" ? "" : parent) + "/" + name
            guard links < 40, let target = TrustedPath.linkTarget(file) else { return file }
            return resolved(target.unicodeScalars.first == "/" ? target : parent + "/" + target, links: links + 1)
        }

        /// Creates an empty file that only the user can read and write, unless the file exists.
        ///
        /// It also checks that the file and SQLite's files beside it belong to the user. SQLite creates its files with
        /// the same mode.
        ///
        /// - Parameter path: the path of the file, with symbolic links resolved.
        /// - Returns: the size of the file, in bytes.
        /// - Throws: ``JobError`` with `unavailable`.
        static func createPrivateFile(_ path: String) throws -> Int64 {
            do throws(TrustedPath.Failure) {
                for suffix in ["-wal", "-shm", "-journal"] { try TrustedPath.check(path + suffix, as: .file) }
                // An existing file is not opened, because closing it would release the locks of this process's other
                // connections to it (https://sqlite.org/howtocorrupt.html, 2.2).
                if let status = try TrustedPath.check(path, as: .file) {
                    guard access(path, R_OK | W_OK) == 0 else {
                        let code = errno
                        throw TrustedPath.Failure(code: code, description: "\(path) cannot be opened (\(reason(code)))")
                    }
                    return Int64(status.st_size)
                }
                _ = close(try TrustedPath.open(path, O_RDWR | O_CREAT))
                return 0
            } catch {
                let advice = error.code == EPERM ? "" : "; check the permissions of the file and its directory"
                throw JobError(code: .unavailable, message: "the database \(error)\(advice)")
            }
        }

        package static var programName: String {
            CommandLine.arguments.first?.unicodeScalars.split(separator: "/").last.map { String($0) } ?? ""
        }
    }
#endif
