/// A setting of the daemon.
///
/// The raw value is its path in the configuration file: `log.level` is the member `level` of the object `log`.
package enum SettingKey: String, CaseIterable, Sendable {
    case store
    case node
    case patience
    case grace
    case parallel
    case httpAddress = "http.address"
    case httpHosts = "http.hosts"
    case httpAllowRemote = "http.allowRemote"
    case logLevel = "log.level"
    case logFile = "log.file"
    case logSize = "log.size"
    case logKeep = "log.keep"

    /// The option of `apus serve` that gives the setting.
    package var option: String {
        switch self {
        case .store, .node, .patience, .grace, .parallel: "--\(rawValue)"
        case .httpAddress: "--http"
        case .httpHosts: "--http-host"
        case .httpAllowRemote: "--http-allow-remote"
        case .logLevel: "--log-level"
        case .logFile: "--log-file"
        case .logSize: "--log-size"
        case .logKeep: "--log-keep"
        }
    }

    /// The environment variable that gives the setting.
    package var variable: String {
        switch self {
        case .store: "APUS_STORE"
        case .node: "APUS_NODE"
        case .patience: "APUS_PATIENCE"
        case .grace: "APUS_GRACE"
        case .parallel: "APUS_PARALLEL"
        case .httpAddress: "APUS_HTTP_ADDRESS"
        case .httpHosts: "APUS_HTTP_HOSTS"
        case .httpAllowRemote: "APUS_HTTP_ALLOW_REMOTE"
        case .logLevel: "APUS_LOG_LEVEL"
        case .logFile: "APUS_LOG_FILE"
        case .logSize: "APUS_LOG_SIZE"
        case .logKeep: "APUS_LOG_KEEP"
        }
    }

    /// The form of a value in the configuration file.
    package enum Form {
        /// A string.
        case text
        /// A number, or a string of its digits.
        case number
        /// `true` or `false`.
        case truth
        /// An array of strings; in the environment, one string with commas between them.
        case texts
        /// A number, or a string with a unit.
        case size
    }

    package var form: Form {
        switch self {
        case .store, .node, .patience, .grace, .httpAddress, .logLevel, .logFile: .text
        case .parallel, .logKeep: .number
        case .httpAllowRemote: .truth
        case .httpHosts: .texts
        case .logSize: .size
        }
    }

    /// Examples of values in the configuration file.
    var examples: String {
        switch self {
        case .store: #""postgres://HOST/DATABASE", "sqlite:/PATH", "/PATH""#
        case .node: #""london""#
        case .patience: #""30s""#
        case .grace: #""10s", "2m""#
        case .parallel: "16"
        case .httpAddress: #""127.0.0.1:7878""#
        case .httpHosts: #"["https://jobs.example"]"#
        case .httpAllowRemote: "true, false"
        case .logLevel: #""info", "debug""#
        case .logFile: #""/PATH""#
        case .logSize: #""1MiB", 65536"#
        case .logKeep: "3"
        }
    }
}

/// An environment variable that begins with `APUS_` and that no program of Apus reads.
package struct UnknownVariable: Hashable, Sendable, CustomStringConvertible {
    package var name: String
    /// The known variable that was probably meant.
    package var nearest: String?

    package var description: String {
        "\(name) is not a variable of apus and has no effect" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }
}

extension SettingKey {
    /// The variables that users set for the command and for the daemon.
    private static let variables = ["APUS_HOME", ConfigurationFile.variable] + SettingKey.allCases.map(\.variable)

    /// The variables that the daemon passes to commands and hooks, and the variables of tests and simulated devices.
    private static let given: Set<String> = [
        ProcessEnvironment.run, "APUS_JOB", "APUS_JOB_KEY", "APUS_NAME", "APUS_OCCURRENCE", "APUS_ATTEMPT",
        "APUS_STANDS_FOR", "APUS_DUE", "APUS_OUTCOME", "APUS_REASON", "APUS_EXIT_CODE", "APUS_VIRTUAL_CLOCK_CONTROL",
        "APUS_VIRTUAL_CLOCK_PROCESS", "APUS_APP_LAUNCHER", "APUS_SYSTEM_ROOT",
    ]

    /// Returns the variables that begin with `APUS_` and that no program of Apus reads, in the order of their names.
    package static func unknownVariables(in environment: [String: String]) -> [UnknownVariable] {
        environment.keys.filter { $0.hasPrefix("APUS_") && !variables.contains($0) && !given.contains($0) }.sorted()
            .map { name in
                // All names have the prefix, so it is left out of the comparison.
                func own(_ name: String) -> String { String(name.dropFirst("APUS_".count)) }
                let nearest = NearestName.of(own(name), among: variables.map(own))
                return UnknownVariable(name: name, nearest: nearest.map { "APUS_" + $0 })
            }
    }
}
