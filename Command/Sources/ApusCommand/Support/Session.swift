import ApusClient
import ApusJobs
import ArgumentParser

/// The context of a subcommand: the home, a client, and a daemon that answers.
struct Session {
    let home: Home
    let client: DaemonClient
    private let environment: [String: String]

    init() throws {
        environment = ProcessEnvironment.current.variables
        home = try Home(environment: environment)
        client = DaemonClient(home: home)
    }

    /// Creates a session with the daemon of another home.
    init(home: Home, client: DaemonClient) {
        environment = ProcessEnvironment.current.variables.merging(["APUS_HOME": home.path]) { _, new in new }
        self.home = home
        self.client = client
    }

    /// Calls `body`; if no daemon listens, starts one in the background with a note on standard error, and calls `body`
    /// again.
    func call<Result>(_ body: (DaemonClient) async throws -> Result) async throws -> Result {
        do {
            return try await body(client)
        } catch let error as DaemonError where error.code == .notRunning {
            try await startDaemon()
            return try await body(client)
        }
    }

    /// Starts the daemon through systemd if the unit of `apus install` is enabled, or else directly.
    ///
    /// With systemd, the daemon always has the same environment, whichever shell needs it first.
    private func startDaemon() async throws {
        for unknown in SettingKey.unknownVariables(in: environment) { Terminal.note("apus: \(unknown)") }
        if let service = UserService(environment: environment), await service.startIfEnabled(),
            let health = try? await client.health()
        {
            return Terminal.note("apus: started the daemon with systemd (process \(health.pid), home \(home.path))")
        }
        var environment = environment
        // The daemon has another working directory, so the paths must be absolute.
        if environment["APUS_HOME"]?.isEmpty == false { environment["APUS_HOME"] = home.path }
        if environment[ConfigurationFile.variable]?.isEmpty == false {
            environment[ConfigurationFile.variable] = try ConfigurationFile.path(environment)
        }
        let launcher = DaemonLauncher(
            executable: ProgramPath.of("apusd"), home: home, environment: environment)
        let process = try await launcher.start()
        Terminal.note("apus: started a daemon in the background (process \(process), home \(home.path))")
    }
}

/// Runs the body of a subcommand, and turns an error into one line and an exit code.
///
/// The code is 1 for a failure, and 64 (EX_USAGE) for a usage error.
///
/// - Parameters:
///   - options: the options of the subcommand, keyed by the names of the API's fields. If an error begins with such a
///     name, the option takes its place.
///   - body: the work of the subcommand.
/// - Returns: the result of the body.
/// - Throws: `ExitCode`.
package func reporting<Result>(
    naming options: [String: String] = [:], _ body: () async throws -> Result
) async throws -> Result {
    func refusal(_ message: String, isUsage: Bool) -> ExitCode {
        let field = String(message.unicodeScalars.prefix { !":[ ".unicodeScalars.contains($0) })
        let option = options[field] ?? options.first { field.utf8.starts(with: "\($0.key).".utf8) }?.value
        let rest = message.unicodeScalars.drop { $0 != ":" }
        Terminal.note("apus: \(option.map { $0 + String(rest) } ?? message)")
        return isUsage ? .validationFailure : ExitCode(1)
    }
    do {
        return try await body()
    } catch let error as TextError {
        throw refusal("\(error)", isUsage: true)
    } catch let error as ValidationError {
        throw refusal(error.message, isUsage: true)
    } catch let error as DaemonError {
        throw refusal(error.description, isUsage: error.code == .invalid)
    } catch let error as JobError {
        throw refusal(error.message, isUsage: error.code == .invalid)
    } catch let error as DecodingError {
        throw refusal("the daemon's answer cannot be read: \(error.fieldProblem)", isUsage: false)
    }
}
