import ApusClient
import ApusJobs
import ArgumentParser

/// What every subcommand needs: the home, a client, and a daemon that answers.
struct Session {
    let home: Home
    let client: DaemonClient
    private let environment: [String: String]

    init() throws {
        environment = ProcessEnvironment.current.variables
        home = try Home(environment: environment)
        client = DaemonClient(home: home)
    }

    /// A session with the daemon of another home.
    init(home: Home, client: DaemonClient) {
        environment = ProcessEnvironment.current.variables.merging(["APUS_HOME": home.path]) { _, new in new }
        self.home = home
        self.client = client
    }

    /// Does something with the daemon; starts one in the background, and says so on stderr, if nothing listens.
    func call<Result>(_ body: (DaemonClient) async throws -> Result) async throws -> Result {
        do {
            return try await body(client)
        } catch let error as DaemonError where error.code == .notRunning {
            try await startDaemon()
            return try await body(client)
        }
    }

    /// Through systemd if the unit of `apus install` is enabled, so that there is one daemon with one environment; else
    /// by itself.
    private func startDaemon() async throws {
        for unknown in SettingKey.unknownVariables(in: environment) { Terminal.note("apus: \(unknown)") }
        if let service = UserService(environment: environment), await service.startIfEnabled(),
            let health = try? await client.health()
        {
            return Terminal.note("apus: started the daemon with systemd (process \(health.pid), home \(home.path))")
        }
        var environment = environment
        // The daemon's working directory is another one.
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

/// A subcommand's body, with errors turned into one line and an exit code: 1 when it cannot be done, 64 (EX_USAGE)
/// for a usage error.
///
/// - Parameters:
///   - options: the options that stand for fields of the API, by the names that errors begin with.
///   - body: what is done.
/// - Returns: what the body returns.
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
