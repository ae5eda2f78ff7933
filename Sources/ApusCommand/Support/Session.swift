import ApusDaemon
import ApusJobs
import ArgumentParser
import Foundation

/// What every subcommand needs: the home, a client, and a daemon that answers.
struct Session {
    let home: Home
    let client: DaemonClient
    private let environment: [String: String]

    init() throws {
        environment = ProcessInfo.processInfo.environment
        home = try Home(environment: environment)
        client = DaemonClient(home: home).traced(by: environment)
    }

    /// A session with the daemon of another home.
    init(home: Home, client: DaemonClient) {
        environment = ProcessInfo.processInfo.environment.merging(["APUS_HOME": home.path]) { _, new in new }
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
        if let service = UserService(environment: environment), await service.startIfEnabled(),
            let health = try? await client.health(), health.home == home.path
        {
            return Terminal.note("apus: started the daemon with systemd (process \(health.pid), home \(home.path))")
        }
        var environment = environment
        // The daemon's working directory is another one.
        if environment["APUS_HOME"]?.isEmpty == false { environment["APUS_HOME"] = home.path }
        if environment[ConfigurationFile.variable]?.isEmpty == false {
            environment[ConfigurationFile.variable] = ConfigurationFile.path(environment)
        }
        let launcher = DaemonLauncher(
            executable: DaemonLauncher.currentExecutable(), home: home, environment: environment)
        let process = try await launcher.start()
        Terminal.note("apus: started a daemon in the background (process \(process), home \(home.path))")
    }
}

private func refusal(_ message: String, isUsage: Bool) -> ExitCode {
    Terminal.note("apus: \(message)")
    return isUsage ? .validationFailure : ExitCode(1)
}

/// A subcommand's body, with errors turned into one line and an exit code: 1 when it cannot be done, 64 (EX_USAGE)
/// for a usage error.
func reporting<Result>(_ body: () async throws -> Result) async throws -> Result {
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
    }
}
