import ApusDaemon
import ApusJobs
import ApusTimers
import ArgumentParser
import Foundation

struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the daemon. Jobs stay, and go on when it is started again.",
        discussion: "Running commands may end within the daemon's grace (10 s).")

    func run() async throws {
        try await reporting {
            let session = try Session()
            let health: WireHealth
            do {
                health = try await session.client.health()
                try await session.client.stop()
            } catch let error as DaemonError where error.code == .notRunning {
                return Terminal.note("apus: no daemon runs for \(session.home.path)")
            }
            if health.running > 0 {
                Terminal.note(
                    "apus: waiting for \(health.running) running \(health.running == 1 ? "command" : "commands")")
            }
            let clock = TimerClock.continuous()
            // `kill` with signal 0 only asks whether the process is there (kill(2)).
            while kill(health.pid, 0) == 0 {
                try await clock.sleep(until: clock.now.advanced(by: .milliseconds(10)), tolerance: nil)
            }
            Terminal.out("stopped (process \(health.pid))")
        }
    }
}

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say whether a daemon runs, and where. Starts none. Exit code 3 if none runs.")

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let session = try Session()
            do {
                let health = try await session.client.health()
                if json { return try Terminal.json(health) }
                Terminal.out(
                    "running: process \(health.pid), version \(health.version), since \(When.local(health.started)), "
                        + "\(health.running) \(health.running == 1 ? "command runs" : "commands run") now")
                Terminal.out("home \(health.home), socket \(session.home.socketPath)")
            } catch let error as DaemonError where error.code == .notRunning {
                if json {
                    Terminal.out(#"{ "status" : "stopped" }"#)
                } else {
                    Terminal.out("no daemon runs for \(session.home.path)")
                }
                throw ExitCode(3)
            }
        }
    }
}

struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract:
            "Write a systemd user unit that starts the daemon at login, or after a restart of the machine with lingering."
    )

    @Flag(name: .customLong("print"), help: "Print the unit instead of writing it.")
    var printOnly = false

    func run() async throws {
        try await reporting {
            let environment = ProcessInfo.processInfo.environment
            let home = try Home(environment: environment)
            let unit = Self.unit(
                executable: DaemonLauncher.currentExecutable(), home: environment["APUS_HOME"] == nil ? nil : home.path)
            if printOnly { return Terminal.out(unit, terminator: "") }
            // With APUS_HOME, nothing outside it is touched; systemd would not look there, so the unit is only
            // printed then.
            if environment["APUS_HOME"] != nil {
                throw DaemonError(
                    .invalid,
                    "APUS_HOME is set, and a unit would be outside of it: say --print and place the unit yourself")
            }
            let configuration =
                environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? (environment["HOME"] ?? "")
                + "/.config"
            let folder = configuration + "/systemd/user"
            let path = folder + "/apus.service"
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try unit.write(toFile: path, atomically: true, encoding: .utf8)
            } catch {
                throw DaemonError(.unavailable, "\(path) cannot be written", cause: error)
            }
            Terminal.out("wrote \(path)")
            Terminal.out("start it now and at each login:   systemctl --user enable --now apus")
            Terminal.out("start it with the machine too:    loginctl enable-linger")
        }
    }

    static func unit(executable: String, home: String?) -> String {
        """
        [Unit]
        Description=Apus keeps jobs that run later

        [Service]
        ExecStart="\(executable)" serve
        \(home.map { "Environment=\"APUS_HOME=\($0)\"\n" } ?? "")Restart=on-failure
        RestartSec=1
        # A command that was cut off at the end of the grace period is tried again at the next start; that is no failure.
        SuccessExitStatus=75
        TimeoutStopSec=30
        # Commands get SIGTERM from the daemon when their grace is over, not from systemd with it.
        KillMode=mixed

        [Install]
        WantedBy=default.target

        """
    }
}

struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print a completion script for a shell.",
        discussion: "For bash: apus completions bash > ~/.local/share/bash-completion/completions/apus")

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() throws {
        let shell: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        Terminal.out(Apus.completionScript(for: shell))
    }
}
