/// A unit with which systemd runs the daemon for its user, as text.
public struct ServiceUnit: Sendable {
    /// The program, an absolute path.
    public var executable: String
    /// Variables of the daemon, in this order.
    public var environment: [(name: String, value: String)]

    /// A unit.
    public init(executable: String, environment: [(name: String, value: String)] = []) {
        self.executable = executable
        self.environment = environment
    }

    /// The unit's file.
    /// - Throws: ``DaemonError`` with `invalid` if a path has characters that a unit cannot have.
    public func text() throws -> String {
        let variables = try environment.map { "Environment=\(try Self.quoted("\($0.name)=\($0.value)"))\n" }.joined()
        return """
            [Unit]
            Description=Apus keeps jobs that run later

            [Service]
            # The daemon says when requests are answered.
            Type=notify
            NotifyAccess=main
            # A daemon of the same home that a command has started in the background is asked to stop first.
            ExecStart=\(try command()) serve --take-over
            \(variables)Restart=on-failure
            RestartSec=1
            # A command that was cut off at the end of the grace period is tried again at the next start; that is no failure.
            SuccessExitStatus=75
            # For the 10 s of grace that commands have; the daemon asks for more time while they run, if it was given more.
            TimeoutStopSec=30
            # Commands get SIGTERM from the daemon when their grace is over, not from systemd with it.
            KillMode=mixed
            # When the kernel ends a command for want of memory, the daemon and the other commands continue.
            OOMPolicy=continue

            [Install]
            WantedBy=default.target

            """
    }

    /// The program as the first word of a command line. systemd takes no quotes, backslashes and dollars in that place
    /// (systemd.service(5)), but does in arguments: env(1) then starts the program.
    private func command() throws -> String {
        guard executable.contains(where: { "\"'\\$".contains($0) }) else { return try Self.quoted(executable) }
        guard !executable.contains("=") else {
            throw DaemonError(
                .invalid,
                "a systemd unit cannot start \(executable): install the program at a path without the characters \" ' \\ $ ="
            )
        }
        return "/usr/bin/env " + (try Self.quoted(executable, isArgument: true))
    }

    /// A word in quotes (systemd.syntax(7)). `%` begins a specifier everywhere, `$` a variable in a command's arguments.
    private static func quoted(_ text: String, isArgument: Bool = false) throws -> String {
        var result = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"", "\\": result += "\\\(character)"
            case "%": result += "%%"
            case "$" where isArgument: result += "$$"
            case _ where character.value < 32 || character.value == 127:
                throw DaemonError(
                    .invalid, "a systemd unit cannot have the control character U+\(hexadecimal(character)) of a path")
            default: result.unicodeScalars.append(character)
            }
        }
        return result + "\""
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
