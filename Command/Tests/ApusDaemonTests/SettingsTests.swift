import ApusJobs
import ApusTimers
import Foundation
import Logging
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("Settings of the daemon")
struct SettingsTests {
    private static let home = Home(path: "/srv/apus")

    /// Gives `body` the path of a configuration file and an environment with the file's folder as the home.
    ///
    /// The folder is removed afterwards.
    private func with<Result>(
        _ text: String?, mode: Int = 0o600, _ body: (_ path: String, _ environment: [String: String]) throws -> Result
    ) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.path + "/apus-settings-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/config.json"
        if let text {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        return try body(path, ["APUS_HOME": folder])
    }

    /// Different values of each setting in the file, in the environment and as an option.
    private static let samples: [SettingKey: (file: String, variable: String, option: [String])] = [
        .store: (#""/file.db""#, "/variable.db", ["/option.db"]),
        .node: (#""file""#, "variable", ["option"]),
        .patience: (#""10s""#, "20s", ["30s"]),
        .grace: (#""1s""#, "2s", ["3s"]),
        .parallel: ("1", "2", ["3"]),
        .httpAddress: (#""127.0.0.1:1""#, "127.0.0.1:2", ["127.0.0.1:3"]),
        .httpHosts: (#"["https://file"]"#, "https://variable,https://two", ["https://option"]),
        .httpAllowRemote: ("true", "no", ["true"]),
        .logLevel: (#""trace""#, "debug", ["error"]),
        .logFile: (#""/file.log""#, "/variable.log", ["/option.log"]),
        .logSize: ("65536", "2MiB", ["3MiB"]),
        .logKeep: ("1", "2", ["3"]),
    ]

    @Test(
        "an option overrides the variable, which overrides the file, and an empty variable counts as unset",
        arguments: SettingKey.allCases)
    func precedence(key: SettingKey) throws {
        let sample = try #require(Self.samples[key])
        let path = key.rawValue.split(separator: ".")
        let document = path.reversed().reduce(sample.file) { "{\"\($1)\": \($0)}" }
        try with(document) { file, environment in
            let withVariable = environment.merging([key.variable: sample.variable]) { _, new in new }
            let all = try Settings(options: [key: sample.option], environment: withVariable)
            #expect(all[key] == .init(texts: sample.option, origin: .option, argument: key.option))
            let two = try Settings(environment: withVariable)
            #expect(two[key]?.texts.joined(separator: ",") == sample.variable)
            #expect(two[key]?.origin == .environment && two[key]?.argument == key.variable)
            for environment in [environment, environment.merging([key.variable: ""]) { _, new in new }] {
                let one = try Settings(environment: environment)
                #expect(one[key]?.origin == .file && one[key]?.argument == "\(key.rawValue) in \(file)")
                let raw = sample.file.filter { !"\"[]".contains($0) }
                #expect(one[key]?.texts == [raw])
            }
        }
    }

    @Test("without a file and variables, settings have the daemon's defaults")
    func defaults() throws {
        try with(nil) { _, environment in
            let settings = try Settings(environment: environment)
            #expect(!settings.file.isPresent && SettingKey.allCases.allSatisfy { settings[$0] == nil })
            let daemon = try DaemonSettings(settings, home: Self.home)
            let standard = Daemon.Configuration(home: Self.home, environment: [:])
            #expect(daemon.grace == standard.grace && daemon.patience == standard.patience)
            #expect(daemon.node == standard.node && daemon.parallel == nil && daemon.http == nil)
            #expect("\(daemon.store)" == "/srv/apus/apus.db" && daemon.logFile == nil)
            #expect(daemon.logLimits == RotatedLog.Limits() && daemon.logLevel == .info)
            // The text that is shown as a default is accepted as a value.
            var shown: [SettingKey: [String]] = [:]
            for key in SettingKey.allCases { shown[key] = daemon.standardText(of: key).map { [$0] } }
            let again = try DaemonSettings(Settings(options: shown, environment: environment), home: Self.home)
            #expect(again.grace == daemon.grace && again.logLimits == daemon.logLimits && again.node == daemon.node)
        }
    }

    @Test("all settings of a file reach the daemon")
    func read() throws {
        let text = """
            {"store": "sqlite:/jobs.db", "node": "london", "patience": "1m", "grace": "2m", "parallel": 16,
             "http": {"address": "127.0.0.1:7878", "hosts": ["https://jobs.example"]},
             "log": {"level": "Debug", "file": "/a.log", "size": "64KiB", "keep": 0}}
            """
        try with(text) { _, environment in
            let daemon = try DaemonSettings(Settings(environment: environment), home: Self.home)
            #expect("\(daemon.store)" == "/jobs.db" && daemon.node == NodeID(rawValue: "london"))
            #expect(daemon.patience == .seconds(60) && daemon.grace == .seconds(120) && daemon.parallel == 16)
            #expect(daemon.http == (try HTTPAddress("127.0.0.1:7878", names: ["https://jobs.example"])))
            #expect(daemon.logLevel == .debug && daemon.logFile == "/a.log")
            #expect(daemon.logLimits == .init(size: 65_536, keptFiles: 0))
        }
    }

    @Test(
        "a mistake in the file is refused with the file, the setting, and what is accepted",
        arguments: [
            ("[]", "it is not a JSON object"),
            ("{\"grace\": \"1m\",\n  \"node\": x}", "line 2, column 11: it is not JSON"),
            (#"{"garce": "1m"}"#, "garce is not a setting; the settings are store, node"),
            (#"{"log": {"levle": "debug"}}"#, "log.levle is not a setting"),
            (#"{"log.level": "debug"}"#, "log.level is not a setting; the settings are store"),
            (#"{"log": "debug"}"#, "log must be an object"),
            (#"{"grace": 10}"#, #"grace must have a value such as "10s", "2m""#),
            (#"{"grace": null}"#, "grace must have a value such as"),
            (#"{"parallel": true}"#, "parallel must have a value such as 16"),
            (#"{"http": {"allowRemote": 1}}"#, "http.allowRemote must have a value such as true, false"),
            (#"{"http": {"hosts": "https://a"}}"#, "http.hosts must have a value such as ["),
            (#"{"http": {"hosts": [1]}}"#, "http.hosts must have a value such as ["),
            (#"{"grace": "1m", "grace": "2m"}"#, "grace: the field is given twice"),
        ])
    func malformed(text: String, expected: String) throws {
        try with(text) { path, environment in
            let error = #expect(throws: DaemonError.self) { try Settings(environment: environment) }
            #expect(error?.code == .invalid)
            #expect(
                error?.message.hasPrefix("\(path): ") == true && error?.message.contains(expected) == true, "\(error!)")
        }
    }

    @Test(
        "an invalid value is refused with its origin and the accepted forms",
        arguments: [
            (#"{"grace": "soon"}"#, "grace in PATH"), (#"{"patience": "1s"}"#, "patience in PATH"),
            (#"{"patience": "6m"}"#, "3s, 30s, 5m"), (#"{"parallel": 0}"#, "1 to 1000000"),
            (#"{"parallel": 1.5}"#, "parallel in PATH"), (#"{"node": ""}"#, "node in PATH"),
            (#"{"log": {"level": "loud"}}"#, "trace, debug, info, notice, warning, error, critical"),
            (#"{"log": {"file": "a.log"}}"#, "it is not an absolute path"), (#"{"log": {"size": 5}}"#, "64KiB"),
            (#"{"log": {"keep": 1001}}"#, "0 to 1000"),
            (#"{"store": "jobs.db"}"#, "store in PATH: the path is not absolute"),
            (#"{"http": {"address": "0.0.0.0:80"}}"#, "http.address in PATH: "),
            (#"{"http": {"hosts": ["https://a"]}}"#, "http.hosts in PATH: can only be used with an address"),
            (#"{"http": {"allowRemote": true}}"#, "http.allowRemote in PATH: can only be used with an address"),
        ])
    func senseless(text: String, expected: String) throws {
        try with(text) { path, environment in
            do {
                _ = try DaemonSettings(Settings(environment: environment), home: Self.home)
                Issue.record("accepted")
            } catch {
                #expect("\(error)".contains(expected.replacing("PATH", with: path)), "\(error)")
            }
        }
    }

    @Test("only a file that others cannot write is read, through links too, and anything but a file is refused")
    func trust() throws {
        try with(#"{"grace": "1m"}"#, mode: 0o622) { path, environment in
            let error = #expect(throws: DaemonError.self) { try Settings(environment: environment) }
            #expect(error?.message.contains("chmod go-w '\(path)'") == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(try Settings(environment: environment)[.grace]?.texts == ["1m"])
            let link = path + ".link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            #expect(try Settings(environment: ["APUS_CONFIG": link])[.grace]?.origin == .file)
            #expect(throws: DaemonError.self) { try Settings(environment: ["APUS_CONFIG": path + ".none"]) }
            let folder = String(path.dropLast("/config.json".count))
            #expect(throws: DaemonError.self) { try Settings(environment: ["APUS_CONFIG": folder]) }
        }
        try with(String(repeating: " ", count: 1 << 20) + "{}") { _, environment in
            _ = #expect(throws: DaemonError.self) { try Settings(environment: environment) }
        }
    }

    @Test(
        "the settings file is the named one, else that of the named home, else that of the user's configuration folder",
        arguments: [
            (["APUS_CONFIG": "/c.json", "APUS_HOME": "/h", "HOME": "/u"], "/c.json"),
            (["APUS_CONFIG": "", "APUS_HOME": "/h", "XDG_CONFIG_HOME": "/x", "HOME": "/u"], "/h/config.json"),
            (["XDG_CONFIG_HOME": "/x", "HOME": "/u"], "/x/apus/config.json"),
            (["XDG_CONFIG_HOME": "relative", "HOME": "/u"], "/u/.config/apus/config.json"), ([:], nil),
        ] as [([String: String], String?)])
    func location(environment: [String: String], path: String?) throws {
        #expect(try ConfigurationFile.path(environment) == path)
    }

    @Test("a password in a file that others can read is refused, and never shown")
    func password() throws {
        let text = #"{"store": "postgres://ann:hunter2@db/jobs"}"#
        try with(text, mode: 0o640) { path, environment in
            let settings = try Settings(environment: environment)
            let error = #expect(throws: DaemonError.self) { try StoreLocation(settings, home: Self.home) }
            #expect(error?.message.contains("chmod 600 '\(path)'") == true)
            #expect(error?.description.contains("hunter2") == false)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let store = try StoreLocation(Settings(environment: environment), home: Self.home)
            #expect("\(store)" == "postgres://ann@db/jobs")
        }
    }
}
