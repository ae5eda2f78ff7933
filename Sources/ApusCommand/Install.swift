import ApusDaemon
import ArgumentParser
import Foundation

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
        # The daemon says when requests are answered.
        Type=notify
        NotifyAccess=main
        ExecStart="\(executable)" serve
        \(home.map { "Environment=\"APUS_HOME=\($0)\"\n" } ?? "")Restart=on-failure
        RestartSec=1
        # A command that was cut off at the end of the grace period is tried again at the next start; that is no failure.
        SuccessExitStatus=75
        # For the 10 s of grace that commands have; the daemon asks for more time while they run, if it was given more.
        TimeoutStopSec=30
        # Commands get SIGTERM from the daemon when their grace is over, not from systemd with it.
        KillMode=mixed

        [Install]
        WantedBy=default.target

        """
    }
}
