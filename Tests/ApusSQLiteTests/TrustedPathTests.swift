#if SQLite
    import Foundation
    import Testing

    @testable import ApusSQLite
    @testable import PathTrust

    @Suite("Which files and folders are trusted")
    struct TrustedPathTests {
        private func status(_ format: mode_t, _ mode: mode_t, owner: uid_t, group: gid_t = 9) -> stat {
            var status = stat()
            status.st_mode = format | mode
            status.st_uid = owner
            status.st_gid = group
            return status
        }

        @Test("a user's own file that others cannot write is trusted, and other files are not")
        func files() {
            func objection(
                _ mode: mode_t, owner: uid_t = 7, format: mode_t = S_IFREG, kind: TrustedPath.Kind = .file
            ) -> String? {
                TrustedPath.objection(
                    to: status(format, mode, owner: owner), as: kind, path: "/a/b", user: 7, privateGroup: { nil })
            }
            for mode: mode_t in [0o600, 0o644, 0o400, 0o755] { #expect(objection(mode) == nil) }
            for mode: mode_t in [0o620, 0o602, 0o666] {
                #expect(objection(mode)?.contains("chmod go-w '/a/b'") == true)
            }
            #expect(objection(0o600, owner: 8)?.contains("belongs to user 8, and this process runs as user 7") == true)
            #expect(objection(0o600, owner: 0)?.contains("belongs to user 0") == true, "root's is not the user's")
            #expect(objection(0o777, format: S_IFLNK)?.contains("symbolic link") == true)
            #expect(objection(0o600, format: S_IFIFO)?.contains("not a regular file") == true)
            #expect(objection(0o644, kind: .secretFile)?.contains("mode 0644") == true)
            #expect(objection(0o600, kind: .secretFile) == nil)
            #expect(objection(0o755, format: S_IFSOCK, kind: .socket) == nil)
            #expect(objection(0o755, owner: 8, format: S_IFSOCK, kind: .socket) != nil)
            #expect(objection(0o700, format: S_IFDIR, kind: .folder) == nil)
            #expect(objection(0o770, format: S_IFDIR, kind: .folder) != nil)
        }

        @Test("a trusted parent folder belongs to the user or root, and others cannot write it unless it is sticky")
        func ancestors() {
            func objection(_ mode: mode_t, owner: uid_t) -> String? {
                TrustedPath.objectionToAncestor(
                    status(S_IFDIR, mode, owner: owner), path: "/a", user: 7, privateGroup: { nil })
            }
            for owner: uid_t in [0, 7] {
                #expect(objection(0o755, owner: owner) == nil)
                #expect(objection(0o1777, owner: owner) == nil, "as /tmp")
                #expect(objection(0o777, owner: owner) != nil)
                #expect(objection(0o775, owner: owner) != nil)
            }
            #expect(objection(0o755, owner: 8)?.contains("belongs to user 8") == true)
            #expect(objection(0o1777, owner: 8) != nil, "the owner of a sticky folder may rename what is in it")
        }

        @Test("the suggested command suits the file's owner, harms no other user and quotes the path for a shell")
        func advice() {
            func advice(_ mode: mode_t, owner: uid_t, _ format: mode_t = S_IFDIR, path: String = "/a") -> [String?] {
                let status = status(format, mode, owner: owner)
                let kind = format == S_IFSOCK ? TrustedPath.Kind.socket : .folder
                return [
                    TrustedPath.objection(to: status, as: kind, path: path, user: 7, privateGroup: { nil }),
                    TrustedPath.objectionToAncestor(status, path: path, user: 7, privateGroup: { nil }),
                ]
            }
            for text in [advice(0o777, owner: 0)[1], advice(0o1777, owner: 7)[0], advice(0o700, owner: 8)[0]] {
                #expect(text?.contains("chmod") == false && text?.contains("chown") == false)
            }
            #expect(advice(0o777, owner: 7)[1]?.hasSuffix("chmod +t '/a'") == true)
            #expect(advice(0o600, owner: 8, S_IFSOCK)[0]?.hasSuffix("use a path of your own, or run as user 8") == true)
            #expect(advice(0o600, owner: 0, S_IFSOCK)[0]?.hasSuffix("use a path of your own") == true)
            #expect(advice(0o777, owner: 7, path: "/a'b")[0]?.hasSuffix(#"chmod go-w '/a'\''b'"#) == true)
        }

        @Test("the user's private group may have write access, and no other group")
        func privateGroups() {
            func objections(_ mode: mode_t, group: gid_t, privateGroup: gid_t?) -> [String?] {
                [
                    TrustedPath.objection(
                        to: status(S_IFREG, mode, owner: 7, group: group), as: .file, path: "/a", user: 7,
                        privateGroup: { privateGroup }),
                    TrustedPath.objectionToAncestor(
                        status(S_IFDIR, mode, owner: 7, group: group), path: "/a", user: 7,
                        privateGroup: { privateGroup }),
                ]
            }
            #expect(objections(0o775, group: 7, privateGroup: 7) == [nil, nil])
            for (mode, group, privateGroup) in [(0o775, 8, 7), (0o775, 7, nil), (0o777, 7, 7)]
                as [(mode_t, gid_t, gid_t?)]
            {
                #expect(!objections(mode, group: group, privateGroup: privateGroup).contains(nil))
            }
            #expect(PrivateGroup.isPrivate(user: "ann", group: "ann", members: []))
            #expect(PrivateGroup.isPrivate(user: "ann", group: "ann", members: ["ann"]))
            #expect(!PrivateGroup.isPrivate(user: "ann", group: "ann", members: ["bob"]))
            #expect(!PrivateGroup.isPrivate(user: "ann", group: "users", members: []))
            if geteuid() == 0 { #expect(PrivateGroup.ofThisProcess() == 0) }
        }

        @Test("missing folders are created for their owner only, and the user's own links in a path are followed")
        func making() throws {
            let directory = try Directory()
            #expect(try !TrustedPath.checkFolder(directory.file("a/b")))
            #expect(try TrustedPath.checkFolder(directory.file("a/./b"), creating: true))
            for folder in ["a", "a/b"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory.file(folder))
                #expect(attributes[.posixPermissions] as? Int == 0o700)
            }
            try FileManager.default.createSymbolicLink(atPath: directory.file("one"), withDestinationPath: "a/../two")
            try FileManager.default.createSymbolicLink(
                atPath: directory.file("two"), withDestinationPath: directory.file("a"))
            #expect(try TrustedPath.checkFolder(directory.file("one/b")))
            try FileManager.default.createSymbolicLink(atPath: directory.file("round"), withDestinationPath: "round")
            #expect(throws: TrustedPath.Failure.self) { try TrustedPath.checkFolder(directory.file("round/b")) }
        }

        @Test("a folder in one that others can replace is refused, also through a link")
        func replaceable() throws {
            let directory = try Directory()
            try TrustedPath.checkFolder(directory.file("shared/home"), creating: true)
            try FileManager.default.createSymbolicLink(
                atPath: directory.file("link"), withDestinationPath: directory.file("shared/home"))
            try Planted.give(directory.file("shared"))
            for path in ["shared/home", "link"] {
                let failure = #expect(throws: TrustedPath.Failure.self) {
                    try TrustedPath.checkFolder(directory.file(path))
                }
                #expect(failure?.code == EPERM && failure?.description.contains(directory.file("shared")) == true)
            }
        }

        @Test("a replaceable folder is detected above one whose name begins with a combining character")
        func combining() throws {
            let directory = try Directory()
            try TrustedPath.checkFolder(directory.file("shared/\u{301}home"), creating: true)
            try Planted.give(directory.file("shared"))
            let failure = #expect(throws: TrustedPath.Failure.self) {
                try TrustedPath.checkFolder(directory.file("shared/\u{301}home"))
            }
            #expect(failure?.code == EPERM)
        }

        @Test("a link to a name that is not UTF-8 is refused, and no other name is examined")
        func linkToBytes() throws {
            let directory = try Directory()
            #expect(symlink([0x66, -1, 0], directory.file("link")) == 0)
            #expect(throws: TrustedPath.Failure.self) { try TrustedPath.checkFolder(directory.file("link")) }
            #expect(TrustedPath.linkTarget(directory.file("link")) == nil)
        }

        @Test("a link is not opened, and its target stays unchanged")
        func links() throws {
            let directory = try Directory()
            try Data("precious".utf8).write(to: URL(filePath: directory.file("target")))
            try FileManager.default.createSymbolicLink(
                atPath: directory.file("link"), withDestinationPath: directory.file("target"))
            let failure = #expect(throws: TrustedPath.Failure.self) {
                _ = try TrustedPath.open(directory.file("link"), O_RDWR | O_CREAT | O_TRUNC)
            }
            #expect(failure?.description.contains("symbolic link") == true)
            #expect(try String(contentsOfFile: directory.file("target"), encoding: .utf8) == "precious")
        }

        @Test("a file that another user prepared for a secret is replaced, not written")
        func replaced() throws {
            let directory = try Directory()
            let path = directory.file("secret")
            try Data("planted".utf8).write(to: URL(filePath: path))
            #expect(link(path, directory.file("theirs")) == 0)
            try Planted.give(path)
            try Data("left by a killed process".utf8).write(to: URL(filePath: path + ".new"))
            let status = try TrustedPath.replaceFile(path, with: "secret")
            #expect(status.st_uid == geteuid() && status.st_mode & 0o777 == 0o600)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "secret")
            #expect(try String(contentsOfFile: directory.file("theirs"), encoding: .utf8) == "planted")
            #expect(!FileManager.default.fileExists(atPath: path + ".new"))
            #expect(throws: TrustedPath.Failure.self) {
                try TrustedPath.replaceFile(directory.file("missing/secret"), with: "secret")
            }
        }

        @Test("a FIFO is refused without waiting for its other end")
        func fifo() throws {
            let directory = try Directory()
            #expect(mkfifo(directory.file("fifo"), 0o600) == 0)
            #expect(throws: TrustedPath.Failure.self) { _ = try TrustedPath.open(directory.file("fifo"), O_RDONLY) }
        }
    }

    /// Makes files look as if another user had left them.
    enum Planted {
        /// Gives a file or folder to user 65534, or makes it writable for all where that is not permitted.
        static func give(_ path: String) throws {
            let result = geteuid() == 0 ? lchown(path, 65_534, 65_534) : chmod(path, 0o777)
            try #require(result == 0)
        }
    }
#endif
