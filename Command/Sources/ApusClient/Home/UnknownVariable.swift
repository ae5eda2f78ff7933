/// A variable of the environment that is named like one of Apus's and is none, so that nothing reads it.
package struct UnknownVariable: Hashable, Sendable, CustomStringConvertible {
    package var name: String
    /// The known variable that was probably meant.
    package var nearest: String?

    package var description: String {
        "\(name) is no variable of apus and has no effect" + (nearest.map { "; the nearest is \($0)" } ?? "")
    }
}

extension SettingKey {
    /// The variables that users set, for the command and for the daemon.
    private static let variables = ["APUS_HOME", ConfigurationFile.variable] + SettingKey.allCases.map(\.variable)

    /// The variables that the daemon passes to commands and hooks, and those of tests and simulated devices.
    private static let given: Set<String> = [
        ProcessEnvironment.run, "APUS_JOB", "APUS_JOB_KEY", "APUS_NAME", "APUS_OCCURRENCE", "APUS_ATTEMPT",
        "APUS_STANDS_FOR", "APUS_DUE", "APUS_OUTCOME", "APUS_REASON", "APUS_EXIT_CODE", "APUS_VIRTUAL_CLOCK_CONTROL",
        "APUS_VIRTUAL_CLOCK_PROCESS", "APUS_APP_LAUNCHER", "APUS_SYSTEM_ROOT",
    ]

    /// The variables that begin with `APUS_` and are none of Apus's, by their names.
    package static func unknownVariables(in environment: [String: String]) -> [UnknownVariable] {
        environment.keys.filter { $0.hasPrefix("APUS_") && !variables.contains($0) && !given.contains($0) }.sorted()
            .map { name in
                // The prefix, which all have, brings none nearer.
                func own(_ name: String) -> String { String(name.dropFirst("APUS_".count)) }
                let nearest = NearestName.of(own(name), among: variables.map(own))
                return UnknownVariable(name: name, nearest: nearest.map { "APUS_" + $0 })
            }
    }
}
