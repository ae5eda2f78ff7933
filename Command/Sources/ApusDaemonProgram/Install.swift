import ApusClient
import ApusCommand
import ApusDaemon
import ArgumentParser
import Foundation

struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract:
            "Write a systemd user unit that starts the daemon at login or, with lingering, when the machine starts.",
        discussion:
            "When the unit is started, a daemon that already runs in the background hands over to it. Once the unit is enabled, commands that need a daemon start it through systemd. If a package has installed the same unit, nothing is written; otherwise the written unit takes precedence over that of the package."
    )

    @Flag(name: .customLong("print"), help: "Print the unit instead of writing it.")
    var printOnly = false

    @Option(
        help: ArgumentHelp(
            "The program that the unit starts, an absolute path (default: this program).", valueName: "path"))
    var program: String?

    @Flag(
        help:
            "Print JSON: the path, the program and the text of the unit, whether it was written, and the packaged unit that it overrides."
    )
    var json = false

    private struct Report: Encodable {
        @Nullable var path: String?
        var program: String
        var unit: String
        var written: Bool
        /// The path of the packaged unit over which the written unit takes precedence.
        @Nullable var overrides: String? = nil
    }

    func validate() throws {
        if let program, program.unicodeScalars.first != "/" {
            throw ValidationError("--program: “\(program)” is not an absolute path, such as /usr/bin/apus")
        }
    }

    func run() async throws {
        try await reporting {
            let environment = ProcessEnvironment.current.variables
            let home = try Home(environment: environment)
            let hasOwnHome = environment["APUS_HOME"]?.isEmpty == false
            let executable = program ?? ProgramPath.of("apus")
            let unit = try ServiceUnit(
                executable: executable,
                environment: try Self.variables(home: hasOwnHome ? home.path : nil, environment)
            ).text()
            if printOnly {
                if json {
                    return try Terminal.json(Report(path: nil, program: executable, unit: unit, written: false))
                }
                return Terminal.out(TerminalText(raw: unit), terminator: "")
            }
            // If APUS_HOME is set, no file outside of the folder in APUS_HOME is changed. systemd does not look for
            // units in that folder, so the unit can only be printed.
            if hasOwnHome {
                throw DaemonError(
                    .invalid,
                    "APUS_HOME is set, and the unit would be outside of it: use --print, and place the unit yourself")
            }
            let files = UnitFiles(environment: environment)
            let packaged = files.packaged()
            // If the package's unit is the same, no file is written, because a copy in the user's folder would only
            // prevent later versions of the package's unit from being used.
            let isPackaged = packaged?.text == unit && !FileManager.default.fileExists(atPath: files.ownPath)
            let path = isPackaged ? packaged?.path ?? files.ownPath : files.ownPath
            if !isPackaged { try Self.write(unit, to: files) }
            let overridden = isPackaged ? nil : packaged?.path
            if json {
                return try Terminal.json(
                    Report(path: path, program: executable, unit: unit, written: !isPackaged, overrides: overridden))
            }
            if isPackaged {
                Terminal.out("\(path) is the same unit; nothing was written")
            } else {
                Terminal.out("wrote \(path)")
            }
            if let overridden {
                Terminal.out("it takes precedence over \(overridden), which is used again once you remove it")
            }
            Terminal.out("start it now and at each login:   systemctl --user enable --now apus")
            Terminal.out("start it with the machine too:    loginctl enable-linger")
        }
    }

    private static func write(_ unit: String, to files: UnitFiles) throws(DaemonError) {
        do {
            try FileManager.default.createDirectory(atPath: files.ownFolder, withIntermediateDirectories: true)
            try unit.write(toFile: files.ownPath, atomically: true, encoding: .utf8)
        } catch {
            throw DaemonError(.unavailable, "\(files.ownPath) cannot be written", cause: error)
        }
    }

    /// Returns the variables that give the unit's daemon the same home and settings as this command.
    ///
    /// The unit needs them because systemd does not use the environment of the shell.
    private static func variables(
        home: String?, _ environment: [String: String]
    ) throws -> [(name: String, value: String)] {
        var variables: [(name: String, value: String)] = []
        if let home {
            variables = [("APUS_HOME", home)]
        } else {
            for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
                if let folder = environment[name], folder.unicodeScalars.first == "/" {
                    variables.append((name, folder))
                }
            }
        }
        let settings = try Settings(environment: environment)
        // The settings are checked here, so that an error appears on the terminal instead of in the unit's log.
        _ = try DaemonSettings(settings, home: try Home(environment: environment))
        if environment[ConfigurationFile.variable]?.isEmpty == false, let file = settings.file.path {
            variables.append((ConfigurationFile.variable, file))
        }
        for key in SettingKey.allCases {
            guard let value = environment[key.variable], !value.isEmpty else { continue }
            guard key != .store || !StoreLocation.hasPassword(value) else {
                throw DaemonError(
                    .invalid,
                    "\(key.variable) has a password, and other users can read a unit: put the password into ~/.pgpass"
                )
            }
            variables.append((key.variable, value))
        }
        return variables
    }
}

/// The unit's files in the folders that the user's systemd searches (systemd.unit(5)), except those of generators.
struct UnitFiles {
    struct File {
        var path: String
        var text: String

        /// Whether the file is empty or a link to /dev/null, so that systemd refuses to start and to enable the unit.
        var isMasked: Bool { text.isEmpty }
        /// The program that the unit starts, if the file names one.
        var program: String? { ServiceUnit.executable(in: text) }
    }

    /// The folder of the user's own units, to which `apus install` writes.
    ///
    /// It precedes the folders of packages.
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

    /// The path of the user's own unit, which need not exist.
    var ownPath: String { "\(ownFolder)/\(UserService.unit)" }

    /// Returns the file that systemd uses.
    func used() -> File? { Self.file(ownPath) ?? packaged() }

    /// Returns the file that systemd uses if the user has none: that of a package, or of the administrator.
    func packaged() -> File? {
        otherFolders.lazy.compactMap { Self.file("\($0)/\(UserService.unit)") }.first
    }

    private static func file(_ path: String) -> File? {
        // Foundation does not read devices, so /dev/null is recognised by its path.
        if URL(filePath: path).resolvingSymlinksInPath().path == "/dev/null" { return File(path: path, text: "") }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return File(path: path, text: text)
    }
}
