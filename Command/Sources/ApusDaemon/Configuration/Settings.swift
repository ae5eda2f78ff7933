package import ApusClient
import ApusTimers
import Configuration

/// The settings of a daemon as texts, each from the first source that has it.
///
/// The sources are the options of `apus serve`, the environment and the configuration file, in this order. An empty
/// variable counts as unset.
package struct Settings: Sendable {
    /// The source of a value.
    package enum Origin: String, Hashable, Sendable {
        case option
        case environment
        case file
    }

    /// A setting that has a value.
    package struct Value: Hashable, Sendable {
        /// The texts of the value; only `http.hosts` can have several.
        package var texts: [String]
        package var origin: Origin
        /// The name of the value in an error: `--grace`, `APUS_GRACE`, or the file and the setting.
        package var argument: String
    }

    package let file: ConfigurationFile
    private let values: [SettingKey: Value]

    /// Reads the settings of a daemon that is started in an environment.
    ///
    /// - Parameters:
    ///   - options: the given options of `apus serve`.
    ///   - environment: the environment.
    /// - Throws: `DaemonError` if the file cannot be used, with `invalid` for a mistake in it.
    package init(options: [SettingKey: [String]] = [:], environment: [String: String]) throws(DaemonError) {
        let file = try ConfigurationFile(environment: environment)
        self.file = file
        let variables = EnvironmentVariablesProvider(
            environmentVariables: environment.filter { !$0.value.isEmpty },
            // The library logs all reads if CONFIG_ACCESS_LOG_FILE asks for it. The location of the store may contain a
            // password, so it is marked as a secret.
            secretsSpecifier: .specific([StoreLocation.variable]))
        let providers: [(origin: Origin, provider: any ConfigProvider)] = [
            (.option, InMemoryProvider(name: Origin.option.rawValue, values: Self.contents(options))),
            (.environment, variables.prefixKeys(with: "apus")),
            (.file, InMemoryProvider(name: Origin.file.rawValue, values: Self.contents(file.values))),
        ]
        let accesses = LastAccess()
        let reader = ConfigReader(providers: providers.map(\.provider), accessReporter: accesses)
        var values: [SettingKey: Value] = [:]
        for key in SettingKey.allCases {
            let name = ConfigKey(key.rawValue)
            let texts = key.form == .texts ? reader.stringArray(forKey: name) : reader.string(forKey: name).map { [$0] }
            guard let texts, let index = accesses.provider else { continue }
            let origin = providers[index].origin
            let argument =
                switch origin {
                case .option: key.option
                case .environment: key.variable
                case .file: "\(key.rawValue) in \(file.path ?? "the configuration file")"
                }
            values[key] = Value(texts: texts, origin: origin, argument: argument)
        }
        self.values = values
    }

    /// Returns the value of a setting; `nil` if no source has one.
    package subscript(key: SettingKey) -> Value? { values[key] }

    private static func contents(_ values: [SettingKey: [String]]) -> [AbsoluteConfigKey: ConfigValue] {
        var contents: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, texts) in values {
            let content: ConfigContent = key.form == .texts ? .stringArray(texts) : .string(texts.first ?? "")
            contents[AbsoluteConfigKey(ConfigKey(key.rawValue))] = ConfigValue(content, isSecret: key == .store)
        }
        return contents
    }
}

/// Records which provider returned the value of the last read, because the reader itself returns only the value.
private final class LastAccess: AccessReporter {
    private let index = Locked<Int?>(nil)

    /// The index of the provider that returned the value of the last read; `nil` if none had a value.
    var provider: Int? { index.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let found = event.providerResults.firstIndex { provider in
            if case .success(let lookup) = provider.result { lookup.value != nil } else { false }
        }
        index.withLock { $0 = found }
    }
}
