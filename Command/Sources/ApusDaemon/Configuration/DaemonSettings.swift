package import ApusClient
package import ApusJobs
package import Logging

/// The settings of a daemon, parsed and checked.
package struct DaemonSettings: Sendable {
    package var store: StoreLocation
    package var node: NodeID
    package var patience: Duration
    package var grace: Duration
    package var parallel: Int?
    package var http: HTTPAddress?
    package var logLevel: Logger.Level
    /// The path of the log file, if it is set.
    ///
    /// Otherwise, a background daemon writes to the log in its home, and any other daemon writes to standard error.
    package var logFile: String?
    package var logLimits: RotatedLog.Limits

    /// Parses all settings.
    ///
    /// - Throws: `DaemonError` with `invalid`, or `TextError`. The error names the argument, the variable or the file,
    ///   and the accepted forms.
    package init(_ settings: Settings, home: Home) throws {
        let standard = Daemon.Configuration(home: home, environment: [:])
        store = try StoreLocation(settings, home: home)
        node = try settings[.node].map(Self.node) ?? standard.node
        patience = try settings[.patience].map(Self.patience) ?? standard.patience
        grace = try settings[.grace].map { try DurationText.parse($0.text, argument: $0.argument) } ?? standard.grace
        parallel = try settings[.parallel].map { try Self.number($0, in: 1...1_000_000) }
        http = try Self.address(settings)
        logLevel = try settings[.logLevel].map(Self.level) ?? .info
        logFile = try settings[.logFile].map(Self.path)
        let limits = RotatedLog.Limits()
        logLimits = .init(
            size: try settings[.logSize].map { try SizeText.parse($0.text, argument: $0.argument) } ?? limits.size,
            keptFiles: try settings[.logKeep].map { try Self.number($0, in: 0...1_000) } ?? limits.keptFiles)
    }

    /// Returns the default value of a setting, in the form in which a user would give it; `nil` if it has no default.
    package func standardText(of key: SettingKey) -> String? {
        switch key {
        case .store: "\(store)"
        case .node: "\(node)"
        case .patience: DurationText.format(patience)
        case .grace: DurationText.format(grace)
        case .parallel: "\(Parallelism.standard)"
        case .httpAddress, .httpHosts, .logFile: nil
        case .httpAllowRemote: "false"
        case .logLevel: "\(logLevel)"
        case .logSize: SizeText.exact(logLimits.size)
        case .logKeep: "\(logLimits.keptFiles)"
        }
    }

    // MARK: Single settings

    private static func refusal(_ value: Settings.Value, _ message: String, _ forms: [String]) -> TextError {
        TextError(argument: value.argument, given: value.text, message: message, acceptedForms: forms)
    }

    private static func node(_ value: Settings.Value) throws(TextError) -> NodeID {
        let name = value.text
        guard !name.isEmpty, name.utf8.count <= 255, !name.unicodeScalars.contains(where: { $0.value < 32 }) else {
            throw refusal(value, "a name must have 1 to 255 bytes, and no control characters", ["london", "worker-2"])
        }
        return NodeID(rawValue: name)
    }

    private static func patience(_ value: Settings.Value) throws(TextError) -> Duration {
        let patience = try DurationText.parse(value.text, argument: value.argument)
        guard patience >= .seconds(3), patience <= .seconds(300) else {
            throw refusal(value, "it is not between 3s and 5m", ["3s", "30s", "5m"])
        }
        return patience
    }

    private static func number(_ value: Settings.Value, in range: ClosedRange<Int>) throws(TextError) -> Int {
        guard let number = Int(value.text), !value.text.hasPrefix("+"), range.contains(number) else {
            throw refusal(
                value, "it is not a whole number in the accepted range", ["\(range.lowerBound) to \(range.upperBound)"])
        }
        return number
    }

    private static func truth(_ value: Settings.Value) throws(TextError) -> Bool {
        switch value.text.lowercased() {
        case "true", "yes", "1": return true
        case "false", "no", "0": return false
        default: throw refusal(value, "it is neither true nor false", ["true", "false"])
        }
    }

    private static func level(_ value: Settings.Value) throws(TextError) -> Logger.Level {
        guard let level = Logger.Level(rawValue: value.text.lowercased()) else {
            throw refusal(value, "it is not a log level", Logger.Level.allCases.map(\.rawValue))
        }
        return level
    }

    /// Returns an absolute path.
    ///
    /// A path in the configuration file must already be absolute, because the daemon's working directory is not known
    /// to the author of the file.
    private static func path(_ value: Settings.Value) throws(TextError) -> String {
        guard !value.text.isEmpty, value.origin != .file || value.text.unicodeScalars.first == "/" else {
            throw refusal(value, "it is not an absolute path", ["/var/log/apus.log"])
        }
        do { return try Home.absolute(value.text) } catch { throw refusal(value, error.message, ["/var/log/apus.log"]) }
    }

    private static func address(_ settings: Settings) throws -> HTTPAddress? {
        let allowsRemote = try settings[.httpAllowRemote].map(truth) ?? false
        let hosts = settings[.httpHosts]
        guard let address = settings[.httpAddress] else {
            guard !allowsRemote, hosts?.texts.isEmpty ?? true else {
                let given = (allowsRemote ? settings[.httpAllowRemote] : hosts)?.argument ?? ""
                throw DaemonError(
                    .invalid,
                    "\(given): can only be used with an address; give --http ADDRESS:PORT, or http.address in the file")
            }
            return nil
        }
        do {
            return try HTTPAddress(address.text, names: hosts?.texts ?? [], allowsRemote: allowsRemote)
        } catch let error as DaemonError {
            // The errors begin with the name of an option, without its dashes.
            let place = address.origin == .option ? "--" : "\(address.argument): "
            throw DaemonError(error.code, place + error.message, cause: error.cause)
        }
    }
}

extension Settings.Value {
    /// The text of a setting that can have only one text; empty if there is none.
    fileprivate var text: String { texts.first ?? "" }
}

extension StoreLocation {
    /// Creates the location in the settings, or else that of the home's own file.
    ///
    /// - Throws: `DaemonError` with `invalid` if the location is not valid, if none is given although the home's last
    ///   daemon used another location than the home's own file, or if the configuration file contains a password and
    ///   other users can read it.
    package init(_ settings: Settings, home: Home) throws(DaemonError) {
        guard let value = settings[.store] else {
            try StoreRecord(home).checkOwnFile()
            self = .sqlite(path: home.databasePath)
            return
        }
        try self.init(value.text, argument: value.argument)
        guard value.origin == .file else { return }
        if case .sqlite(let path) = self, !value.text.hasSuffix(path) {
            throw DaemonError(.invalid, "\(value.argument): the path is not absolute, which it must be in a file")
        }
        if Self.hasPassword(value.text), settings.file.isReadableByOthers, let path = settings.file.path {
            throw DaemonError(
                .invalid,
                "\(value.argument): it has a password, and other users can read the file: run chmod 600 '\(path)'"
            )
        }
    }
}
