package import PlatformC

/// Checks that only the user of this process can have created or changed a file, a folder or a socket.
///
/// If another user could have changed it, that user may have planted commands in it, or links to this user's files.
///
/// A path is trusted if the effective user owns it and other users cannot write it. The user's private group may have
/// write permission: it has the user's name and no other members. On systems with such groups (umask 002), every file
/// that a user creates is writable by the group; Debian's OpenSSH makes the same exception.
///
/// The folders above a folder are checked too, because a user who can write one of them can replace everything below.
/// Each must belong to the user or to root and not be writable by others, as OpenSSH requires of the folders above
/// `authorized_keys` (`StrictModes`, sshd_config(5)). A sticky folder such as /tmp may be writable by all users: only
/// the owner of an entry can rename or remove it there (unlink(2)). Symbolic links on the path must belong to the user
/// or to root.
package enum TrustedPath {
    /// The expected type of a path.
    package enum Kind: Sendable {
        case file
        /// A file that other users cannot even read.
        case secretFile
        case folder
        case socket
    }

    /// The reason for which a path is not used.
    ///
    /// `code` is the system's error code, or `EPERM` for an untrusted path. The description contains the remedy.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package var code: Int32
        package var description: String

        package init(code: Int32, description: String) {
            self.code = code
            self.description = description
        }
    }

    /// Checks a file's status against the rules, without a system call.
    ///
    /// - Parameters:
    ///   - status: The status of the file.
    ///   - kind: The expected type.
    ///   - path: The path of the file, for the message.
    ///   - user: The user that must own the file.
    ///   - privateGroup: Returns the user's private group, if any; called only if a group has write permission.
    /// - Returns: The predicate of a sentence about the path, with the remedy; `nil` if the file is trusted.
    package static func objection(
        to status: stat, as kind: Kind, path: String, user: uid_t, privateGroup: () -> gid_t?
    ) -> String? {
        let format: (mode_t, String) =
            switch kind {
            case .file, .secretFile: (S_IFREG, "a regular file")
            case .folder: (S_IFDIR, "a folder")
            case .socket: (S_IFSOCK, "a socket")
            }
        let mode = mode_t(status.st_mode)
        if mode & S_IFMT == S_IFLNK { return "is a symbolic link; remove it" }
        guard mode & S_IFMT == format.0 else { return "is not \(format.1); move it aside" }
        guard status.st_uid == user else {
            return "belongs to user \(status.st_uid), and this process runs as user \(user); use a path of your own"
                + (status.st_uid == 0 ? "" : ", or run as user \(status.st_uid)")
        }
        switch kind {
        case .file, .folder:
            guard !othersCanWrite(status, privateGroup) else {
                // A sticky folder is meant to be writable by all users, so the message does not advise the user to
                // change its mode.
                let advice =
                    mode & S_ISVTX != 0
                    ? "use a folder of your own in it"
                    : "if it is yours alone, and you trust what is in it, run: chmod go-w \(quoted(path))"
                return "can be written by other users (mode \(octal(mode))); \(advice)"
            }
        case .secretFile:
            guard mode & 0o077 == 0 else {
                return "can be used by other users (mode \(octal(mode))); run: chmod go= \(quoted(path))"
            }
        case .socket:
            // The mode is not checked, because between bind(2) and chmod(2) a new socket has the mode that the umask
            // leaves. The server checks its peers.
            break
        }
        return nil
    }

    /// Checks the status of a folder above the path against the rules.
    ///
    /// - Returns: The predicate of a sentence about the folder, with the remedy; `nil` if the folder is trusted.
    package static func objectionToAncestor(
        _ status: stat, path: String, user: uid_t, privateGroup: () -> gid_t?
    ) -> String? {
        let mode = mode_t(status.st_mode)
        guard mode & S_IFMT == S_IFDIR else { return "is not a folder; move it aside" }
        guard status.st_uid == user || status.st_uid == 0 else {
            return "belongs to user \(status.st_uid), who can replace what is in it; use a folder of your own"
        }
        guard !othersCanWrite(status, privateGroup) || mode & S_ISVTX != 0 else {
            // Other users may need to write in this folder. With the sticky bit they lose only the right to replace
            // files of others.
            let advice = status.st_uid == user ? ", or run: chmod +t \(quoted(path))" : ""
            return "can be written by other users (mode \(octal(mode))), who can replace what is in it; "
                + "use another folder" + advice
        }
        return nil
    }

    /// Checks a file that is only read, such as a configuration; such a file may also belong to root.
    ///
    /// A user's links may lead to files of a package manager, and these belong to root.
    ///
    /// - Returns: The predicate of a sentence about the path, with the remedy; `nil` if the file is trusted.
    package static func objectionToReading(_ status: stat, path: String) -> String? {
        objection(
            to: status, as: .file, path: path, user: status.st_uid == 0 ? 0 : geteuid(),
            privateGroup: PrivateGroup.ofThisProcess)
    }

    private static func othersCanWrite(_ status: stat, _ privateGroup: () -> gid_t?) -> Bool {
        let mode = mode_t(status.st_mode)
        return mode & 0o002 != 0 || (mode & 0o020 != 0 && privateGroup() != status.st_gid)
    }

    // MARK: Checks of the file system

    /// Checks the file at `path`, without following a link.
    ///
    /// - Returns: The status; `nil` if there is no file.
    /// - Throws: ``Failure``.
    @discardableResult
    package static func check(_ path: String, as kind: Kind) throws(Failure) -> stat? {
        guard let status = try Self.status(path) else { return nil }
        if let objection = Self.objection(
            to: status, as: kind, path: path, user: geteuid(), privateGroup: PrivateGroup.ofThisProcess)
        {
            throw Failure(code: EPERM, description: "\(path) \(objection)")
        }
        return status
    }

    /// Opens a file that must belong to the user.
    ///
    /// A symbolic link is not followed, and child processes do not inherit the descriptor.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - flags: The flags of open(2).
    ///   - kind: The expected type.
    /// - Returns: The descriptor.
    /// - Throws: ``Failure``, with the error code of open(2) if the file cannot be opened.
    package static func open(_ path: String, _ flags: Int32, as kind: Kind = .file) throws(Failure) -> Int32 {
        // Without O_NONBLOCK, opening a FIFO would wait for its other end.
        let flags = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        var descriptor = systemOpen(path, flags)
        while descriptor < 0, errno == EINTR { descriptor = systemOpen(path, flags) }
        guard descriptor >= 0 else {
            let code = errno
            let reason = code == ELOOP ? "is a symbolic link; remove it" : "cannot be opened (\(text(code)))"
            throw Failure(code: code == ELOOP ? EPERM : code, description: "\(path) \(reason)")
        }
        var status = stat()
        let objection =
            fstat(descriptor, &status) == 0
            ? Self.objection(
                to: status, as: kind, path: path, user: geteuid(), privateGroup: PrivateGroup.ofThisProcess)
            : "cannot be read (\(text(errno)))"
        guard let objection else { return descriptor }
        close(descriptor)
        throw Failure(code: EPERM, description: "\(path) \(objection)")
    }

    /// Replaces a file atomically by a new one that only its user can read and write.
    ///
    /// A reader finds either the old file or the new one. Two processes must not replace the same file at the same
    /// time.
    ///
    /// - Returns: The status of the new file.
    /// - Throws: ``Failure``; the old file is then unchanged.
    @discardableResult
    package static func replaceFile(_ path: String, with text: String) throws(Failure) -> stat {
        let new = path + ".new"
        // A process that was killed during a replacement may have left this file.
        unlink(new)
        let file = try open(new, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(file) }
        let bytes = Array(text.utf8)
        var status = stat()
        guard write(file, bytes, bytes.count) == bytes.count, fstat(file, &status) == 0, rename(new, path) == 0 else {
            let code = errno
            unlink(new)
            throw Failure(code: code, description: "\(path) cannot be written (\(Self.text(code)))")
        }
        return status
    }

    /// Checks a folder that must belong to the user, and all folders above it, in the order in which the kernel follows
    /// the path and its links.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the folder.
    ///   - creating: Whether to create missing folders, with the mode 0700.
    /// - Returns: Whether the folder exists.
    /// - Throws: ``Failure``, which names the folder or the link.
    @discardableResult
    package static func checkFolder(_ path: String, creating: Bool = false) throws(Failure) -> Bool {
        var done = ""
        // The path is split at scalars, because a String treats a slash and a following combining character as one
        // character.
        var rest = path.unicodeScalars.split(separator: "/").map(String.init)
        var links = 0
        try checkAncestor("/")
        while !rest.isEmpty {
            let name = rest.removeFirst()
            if name == "." { continue }
            if name == ".." {
                let scalars = done.unicodeScalars
                done = String(scalars[..<(scalars.lastIndex(of: "/") ?? scalars.startIndex)])
                continue
            }
            let here = "\(done)/\(name)"
            var found = try Self.status(here)
            if found == nil, creating {
                guard mkdir(here, 0o700) == 0 || errno == EEXIST else {
                    throw Failure(code: errno, description: "\(here) cannot be created (\(text(errno)))")
                }
                found = try Self.status(here)
            }
            guard let found else { return false }
            if mode_t(found.st_mode) & S_IFMT == S_IFLNK {
                links += 1
                guard links <= 40 else {
                    throw Failure(code: ELOOP, description: "\(path) has too many symbolic links")
                }
                let target = try linkTarget(here, found)
                if target.unicodeScalars.first == "/" { done = "" }
                rest = target.unicodeScalars.split(separator: "/").map(String.init) + rest
            } else if rest.contains(where: { $0 != "." && $0 != ".." }) {
                try checkAncestor(here)
                done = here
            } else {
                done = here
            }
        }
        try check(done.isEmpty ? "/" : done, as: .folder)
        return true
    }

    /// Checks that all symbolic links to which a path leads, beginning with its last component, belong to the user or
    /// to root.
    ///
    /// - Throws: ``Failure``, which names the link.
    package static func checkLinks(_ path: String) throws(Failure) {
        var path = path
        for _ in 0..<40 {
            guard let found = try? Self.status(path), mode_t(found.st_mode) & S_IFMT == S_IFLNK else { return }
            let target = try linkTarget(path, found)
            let folder = path.unicodeScalars.lastIndex(of: "/").map { String(path.unicodeScalars[...$0]) } ?? ""
            path = target.unicodeScalars.first == "/" ? target : folder + target
        }
        throw Failure(code: ELOOP, description: "\(path) has too many symbolic links")
    }

    private static func checkAncestor(_ path: String) throws(Failure) {
        guard let status = try Self.status(path) else { return }
        if let objection = Self.objectionToAncestor(
            status, path: path, user: geteuid(), privateGroup: PrivateGroup.ofThisProcess)
        {
            throw Failure(code: EPERM, description: "\(path) \(objection)")
        }
    }

    private static func linkTarget(_ path: String, _ status: stat) throws(Failure) -> String {
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw Failure(
                code: EPERM,
                description:
                    "\(path) is a symbolic link that belongs to user \(status.st_uid); remove it, or use another path")
        }
        guard let target = linkTarget(path) else {
            throw Failure(code: errno, description: "\(path) cannot be read (\(text(errno)))")
        }
        return target
    }

    /// Returns the target of a symbolic link.
    ///
    /// - Returns: The target; `nil`, with `errno` set, if the path is not a link or the target is not valid UTF-8.
    package static func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(path, &buffer, Int(PATH_MAX))
        guard count > 0 else { return nil }
        guard let target = String(validating: buffer[..<count], as: UTF8.self) else {
            errno = EILSEQ
            return nil
        }
        return target
    }

    /// Returns the status of the path itself, without following a link; `nil` if there is no file.
    private static func status(_ path: String) throws(Failure) -> stat? {
        var status = stat()
        if lstat(path, &status) == 0 { return status }
        guard errno != ENOENT else { return nil }
        throw Failure(code: errno, description: "\(path) cannot be examined (\(text(errno)))")
    }

    /// Returns the path as one word for a shell.
    private static func quoted(_ path: String) -> String {
        let parts = path.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.map(String.init).joined(separator: #"'\''"#) + "'"
    }

    private static func octal(_ mode: mode_t) -> String { "0" + String(mode & 0o7777, radix: 8) }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// Opens a file; only its user can read and write a new file.
///
/// This function is outside of ``TrustedPath``, because `TrustedPath.open` hides the system's function there.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }

/// The group of which a user is the only member, on systems that create one for each user (`USERGROUPS_ENAB`,
/// login.defs(5)).
enum PrivateGroup {
    private static let ofEffectiveUser = find(geteuid())

    /// Returns the private group of the effective user; `nil` if there is none.
    ///
    /// The user database is read once in a process.
    static func ofThisProcess() -> gid_t? { ofEffectiveUser }

    /// Returns whether a user's primary group is private: it has the user's name and no other members.
    static func isPrivate(user: String, group: String, members: [String]) -> Bool {
        group == user && members.allSatisfy { $0 == user }
    }

    private static func find(_ user: uid_t) -> gid_t? {
        var buffer = [CChar](repeating: 0, count: 64 * 1024)
        var person = passwd()
        var foundPerson: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(user, &person, &buffer, buffer.count, &foundPerson) == 0, foundPerson != nil,
            let name = person.pw_name.map({ String(cString: $0) })
        else { return nil }
        var entry = group()
        var foundGroup: UnsafeMutablePointer<group>?
        guard getgrgid_r(person.pw_gid, &entry, &buffer, buffer.count, &foundGroup) == 0, foundGroup != nil,
            let groupName = entry.gr_name.map({ String(cString: $0) })
        else { return nil }
        var members: [String] = []
        var next = entry.gr_mem
        while let member = next?.pointee {
            members.append(String(cString: member))
            next = next?.advanced(by: 1)
        }
        return isPrivate(user: name, group: groupName, members: members) ? person.pw_gid : nil
    }
}
