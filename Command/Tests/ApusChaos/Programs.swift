import ApusTestSupport
import Foundation

/// The other programs that this one uses, which are built beside it or are part of Debian.
struct Programs: Sendable {
    /// The path of the daemon.
    let apus: String
    /// The path of the command that the jobs run.
    let effect: String
    /// The path of this program, whose subcommand `serve` is a daemon that knows later versions of the schema.
    let own: String

    /// Finds the programs; without `apus`, the daemon is the one beside this program.
    init(apus: String?) throws {
        own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(filePath: own).deletingLastPathComponent()
        self.apus = try Self.program(apus ?? folder.appending(path: "apus").path)
        effect = try Self.program(folder.appending(path: "ChaosEffect").path)
    }

    private static func program(_ path: String) throws -> String {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("\(path) is not a program; `make chaos` builds what is needed, --apus names another daemon")
        }
        return path
    }
}
