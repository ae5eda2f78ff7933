package import PlatformC

/// Files, folders and sockets that only this process's user can have made or changed: in all others, another user could
/// have planted commands, or links to files of this user.
///
/// Trusted is what the effective user owns and others cannot write. A group may write if it is the user's private one, of
/// the user's name and without other members, since where users have such groups (umask 002), all they make is writable
/// by them; Debian's OpenSSH makes the same exception. For a folder, those above it count
/// too, since who can write one of them can replace the rest: each belongs to the user or to root, and is not writable
/// by others, as OpenSSH demands of the folders above `authorized_keys` (`StrictModes`, sshd_config(5)). Sticky folders
/// such as /tmp may be writable by all: there, only the owner can rename or remove (unlink(2)). Symbolic links on the
/// path belong to the user or to root.
package enum TrustedPath {
    /// What a path is expected to be.
    package enum Kind: Sendable {
        case file
        /// A file that others cannot even read.
        case secretFile
        case folder
        case socket
    }

    /// Why a path is not used: the system's error, or `EPERM` for what is not trusted; and what to do.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package var code: Int32
        package var description: String

        package init(code: Int32, description: String) {
            self.code = code
            self.description = description
        }
    }

    /// The rules, as a function of what the kernel says of a file.
    /// - Parameters:
    ///   - status: the file's.
    ///   - kind: what it is expected to be.
    ///   - path: its path, for the message.
    ///   - user: whose it has to be.
    ///   - privateGroup: the user's private group, if there is one; asked for only if a group can write.
    /// - Returns: what is wrong and what to do, after the path; `nil` if nothing is.
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
            return "belongs to user \(status.st_uid), and this process is user \(user)'s; use a path of your own"
                + (status.st_uid == 0 ? "" : ", or be user \(status.st_uid)")
        }
        switch kind {
        case .file, .folder:
            guard !othersCanWrite(status, privateGroup) else {
                // A sticky folder is there for all to write.
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
            // A new socket has the mode that the umask leaves until its owner changes it. Its server checks its peers.
            break
        }
        return nil
    }

    /// The rules for a folder above: what is wrong and what to do, if anything.
    package static func objectionToAncestor(
        _ status: stat, path: String, user: uid_t, privateGroup: () -> gid_t?
    ) -> String? {
        let mode = mode_t(status.st_mode)
        guard mode & S_IFMT == S_IFDIR else { return "is not a folder; move it aside" }
        guard status.st_uid == user || status.st_uid == 0 else {
            return "belongs to user \(status.st_uid), who can replace what is in it; use a folder of your own"
        }
        guard !othersCanWrite(status, privateGroup) || mode & S_ISVTX != 0 else {
            // Others may have to write in it: what they lose is only to replace what is not theirs.
            let advice = status.st_uid == user ? ", or run: chmod +t \(quoted(path))" : ""
            return "can be written by other users (mode \(octal(mode))), who can replace what is in it; "
                + "use another folder" + advice
        }
        return nil
    }

    /// The rules for a file that is only read, such as a configuration: it may be the system's. A package manager's files,
    /// to which links of the user lead, belong to root.
    /// - Returns: what is wrong and what to do, after the path; `nil` if nothing is.
    package static func objectionToReading(_ status: stat, path: String) -> String? {
        objection(
            to: status, as: .file, path: path, user: status.st_uid == 0 ? 0 : geteuid(),
            privateGroup: PrivateGroup.ofThisProcess)
    }

    private static func othersCanWrite(_ status: stat, _ privateGroup: () -> gid_t?) -> Bool {
        let mode = mode_t(status.st_mode)
        return mode & 0o002 != 0 || (mode & 0o020 != 0 && privateGroup() != status.st_gid)
    }

    // MARK: Asking the system

    /// Checks what is at `path`, without following a link.
    /// - Returns: its status; `nil` if nothing is there.
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

    /// Opens a file of the user's own. `flags` are those of open(2); a link is not followed, and a child does not
    /// inherit the descriptor.
    /// - Throws: ``Failure``, with the code of open(2) if the file cannot be opened.
    package static func open(_ path: String, _ flags: Int32, as kind: Kind = .file) throws(Failure) -> Int32 {
        // O_NONBLOCK: to open a FIFO would wait for its other end.
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

    /// Replaces a file with a new one for its user only, at once: a reader finds the one or the other. Two processes must
    /// not do that at the same time.
    /// - Returns: the new file's status.
    /// - Throws: ``Failure``; the file is as before then.
    @discardableResult
    package static func replaceFile(_ path: String, with text: String) throws(Failure) -> stat {
        let new = path + ".new"
        // A process that was killed in between may have left one.
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

    /// Checks a folder of the user's own and all above it, one link after another, as the kernel follows them.
    /// - Parameters:
    ///   - path: the folder, absolute.
    ///   - creating: whether to make what is missing, with the mode 0700.
    /// - Returns: whether the folder is there.
    /// - Throws: ``Failure``, naming the folder or link.
    @discardableResult
    package static func checkFolder(_ path: String, creating: Bool = false) throws(Failure) -> Bool {
        var done = ""
        // In scalars: to a String, a slash and a combining character after it are another character.
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
                    throw Failure(code: errno, description: "\(here) cannot be made (\(text(errno)))")
                }
                found = try Self.status(here)
            }
            guard let found else { return false }
            if mode_t(found.st_mode) & S_IFMT == S_IFLNK {
                links += 1
                guard links <= 40 else { throw Failure(code: ELOOP, description: "\(path) has too many links") }
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

    /// Checks that a path's last component, if it is a link, is one of the user's or root's, and so are those that it
    /// leads to.
    /// - Throws: ``Failure``, naming the link.
    package static func checkLinks(_ path: String) throws(Failure) {
        var path = path
        for _ in 0..<40 {
            guard let found = try? Self.status(path), mode_t(found.st_mode) & S_IFMT == S_IFLNK else { return }
            let target = try linkTarget(path, found)
            let folder = path.unicodeScalars.lastIndex(of: "/").map { String(path.unicodeScalars[...$0]) } ?? ""
            path = target.unicodeScalars.first == "/" ? target : folder + target
        }
        throw Failure(code: ELOOP, description: "\(path) has too many links")
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
                description: "\(path) is a symbolic link of user \(status.st_uid); remove it, or use another path")
        }
        guard let target = linkTarget(path) else {
            throw Failure(code: errno, description: "\(path) cannot be read (\(text(errno)))")
        }
        return target
    }

    /// Where a link leads to; `nil`, with `errno`, if the path is none, or leads to a name that is not UTF-8.
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

    /// The status of the path itself; `nil` if nothing is there.
    private static func status(_ path: String) throws(Failure) -> stat? {
        var status = stat()
        if lstat(path, &status) == 0 { return status }
        guard errno != ENOENT else { return nil }
        throw Failure(code: errno, description: "\(path) cannot be looked at (\(text(errno)))")
    }

    /// One word for a shell.
    private static func quoted(_ path: String) -> String {
        let parts = path.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.map(String.init).joined(separator: #"'\''"#) + "'"
    }

    private static func octal(_ mode: mode_t) -> String { "0" + String(mode & 0o7777, radix: 8) }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// Outside of the type, whose own `open` hides the system's. A file that is made is for its user only.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }

/// The group that a user has alone, on systems that give each user one (`USERGROUPS_ENAB`, login.defs(5)).
enum PrivateGroup {
    private static let ofEffectiveUser = find(geteuid())

    /// The effective user's; `nil` if that user has none. The user database is asked once.
    static func ofThisProcess() -> gid_t? { ofEffectiveUser }

    /// Whether a user's primary group is the user's own, by its name and its members.
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
