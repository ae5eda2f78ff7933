import ApusClient
import ApusCommand
import ApusDaemon
import Foundation

/// The unit's files where the user's systemd looks for them (systemd.unit(5)), without those of generators.
struct UnitFiles {
    /// A file of the unit.
    struct File {
        var path: String
        var text: String

        /// A link to /dev/null, or an empty file: systemd refuses to start and to enable the unit.
        var isMasked: Bool { text.isEmpty }
        /// The program that the unit starts, if the file names one.
        var program: String? { ServiceUnit.executable(in: text) }
    }

    /// The folder of the user's own units, where `apus install` writes. It precedes those of packages.
    let ownFolder: String
    /// The other folders, in the order in which systemd searches them.
    private let otherFolders: [String]

    init(environment: [String: String]) {
        func absolute(_ name: String) -> String? {
            environment[name].flatMap { $0.unicodeScalars.first == "/" ? $0 : nil }
        }
        func list(_ name: String, default folders: [String]) -> [String] {
            let named = environment[name, default: ""].unicodeScalars.split(separator: ":").map(String.init)
            return named.isEmpty ? folders : named.filter { $0.unicodeScalars.first == "/" }
        }
        let home = environment["HOME"] ?? ""
        ownFolder = (absolute("XDG_CONFIG_HOME") ?? home + "/.config") + "/systemd/user"
        let configuration = list("XDG_CONFIG_DIRS", default: ["/etc/xdg"]) + ["/etc"]
        let running = [absolute("XDG_RUNTIME_DIR"), "/run"].compactMap(\.self)
        let data =
            [absolute("XDG_DATA_HOME") ?? home + "/.local/share"]
            + list("XDG_DATA_DIRS", default: ["/usr/local/share", "/usr/share"])
        let system = ["/usr/local/lib", "/usr/local/share", "/usr/lib", "/usr/share"]
        otherFolders = (configuration + running + data + system).map { $0 + "/systemd/user" }
    }

    /// The file of the user's own unit, whether it exists or not.
    var ownPath: String { "\(ownFolder)/\(UserService.unit)" }

    /// The file that systemd uses.
    func used() -> File? { Self.file(ownPath) ?? packaged() }

    /// The file that systemd uses if the user has none: that of a package, or of the administrator.
    func packaged() -> File? {
        otherFolders.lazy.compactMap { Self.file("\($0)/\(UserService.unit)") }.first
    }

    private static func file(_ path: String) -> File? {
        // Foundation reads no devices.
        if URL(filePath: path).resolvingSymlinksInPath().path == "/dev/null" { return File(path: path, text: "") }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return File(path: path, text: text)
    }
}
