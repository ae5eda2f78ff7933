import ApusTestSupport
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
}
