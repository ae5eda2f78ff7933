import ApusClient
import ApusCommand
import ApusDaemon
import ArgumentParser
import Foundation

struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "List the settings that a daemon started here would have, with their values and origins.",
        discussion: """
            The value of a setting comes from its option of `apus serve`, or else its environment variable, or else the configuration file; otherwise it is the default. The file contains one JSON object, and its path is APUS_CONFIG, or else config.json in APUS_HOME, or else ~/.config/apus/config.json. For example:

              { "grace": "1m", "http": { "address": "127.0.0.1:7878" }, "log": { "level": "debug" } }

            A daemon reads its settings when it starts: use `apus stop` after a change, and the next command starts a new daemon. Exit codes: 0 if all settings are valid; 1 if the file cannot be read, or other users can write it; 64 if a setting is invalid.
            """)

    @Flag(help: "Print JSON: the file, and the value, origin, variable and option of each setting.")
    var json = false

    func run() async throws {
        try await reporting {
            let environment = ProcessEnvironment.current.variables
            let home = try Home(environment: environment)
            let settings = try Settings(environment: environment)
            for unknown in SettingKey.unknownVariables(in: environment) { Terminal.note("apus: \(unknown)") }
            let rows = Self.rows(settings, try DaemonSettings(settings, home: home))
            let file = settings.file
            if json { return try Terminal.json(Report(file: file.path, exists: file.isPresent, settings: rows)) }
            var table = Table(["SETTING", "VALUE", "FROM"])
            for row in rows {
                table.add([
                    (row.name, .bold), (row.value ?? "-", nil), (row.source, row.origin == "default" ? .dim : nil),
                ])
            }
            table.print()
            guard let path = file.path else { return }
            Terminal.out("")
            Terminal.out(file.isPresent ? "file: \(path)" : "file: \(path), which does not exist")
        }
    }

    private static func rows(_ settings: Settings, _ daemon: DaemonSettings) -> [Row] {
        SettingKey.allCases.map { key in
            let value = settings[key]
            // The location is shown in its parsed form, without the password.
            let text = key == .store ? nil : value?.texts.joined(separator: ",")
            let source =
                switch value?.origin {
                case nil: "default"
                case .file?: "file"
                case .environment?: key.variable
                case .option?: key.option
                }
            return Row(
                name: key.rawValue, value: text ?? daemon.standardText(of: key),
                origin: value?.origin.rawValue ?? "default", variable: key.variable, option: key.option, source: source)
        }
    }

    private struct Report: Encodable {
        @Nullable var file: String?
        var exists: Bool
        var settings: [Row]
    }

    private struct Row: Encodable {
        var name: String
        @Nullable var value: String?
        /// The origin: `default`, `file` or `environment`.
        var origin: String
        var variable: String
        var option: String
        /// The origin as the table shows it.
        var source: String

        private enum CodingKeys: String, CodingKey { case name, value, origin, variable, option }
    }
}
