#if Postgres
    import Foundation

    /// The programs that are not this one: built beside it, or Debian's.
    struct Programs: Sendable {
        /// The daemon.
        let apus: String
        /// The command of the jobs.
        let effect: String
        /// This one, which has daemons of the next versions of the schema.
        let own: String

        /// `apus` is the daemon, the one beside this program if it is left out.
        init(apus: String?) throws {
            own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let folder = URL(filePath: own).deletingLastPathComponent()
            self.apus = try Self.program(apus ?? folder.appending(path: "apus").path)
            effect = try Self.program(folder.appending(path: "ChaosEffect").path)
        }

        private static func program(_ path: String) throws -> String {
            guard FileManager.default.isExecutableFile(atPath: path) else {
                throw Failure("\(path) is no program; `make chaos` builds what is needed, --apus names another daemon")
            }
            return path
        }

        /// The environment of a process whose wall clock is so many seconds off. Its monotonic clocks are the machine's.
        static func environment(clockShift seconds: Int) throws -> [String: String] {
            guard seconds != 0 else { return [:] }
            let root = "/usr/lib"
            let folders = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
            let library = folders.map { "\(root)/\($0)/faketime/libfaketimeMT.so.1" }
                .first { FileManager.default.fileExists(atPath: $0) }
            guard let library else {
                throw Failure("the nemesis clocks needs libfaketime: install Debian's libfaketime")
            }
            return [
                "LD_PRELOAD": library, "FAKETIME": seconds > 0 ? "+\(seconds)" : "\(seconds)",
                "DONT_FAKE_MONOTONIC": "1",
            ]
        }
    }
#endif
