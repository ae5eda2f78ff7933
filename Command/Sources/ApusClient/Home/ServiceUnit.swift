/// The text of a systemd unit that runs the daemon for its user.
public struct ServiceUnit: Sendable {
    /// The absolute path of the program.
    public var executable: String
    /// The variables of the daemon's environment, in this order.
    public var environment: [(name: String, value: String)]

    /// Creates a unit.
    public init(executable: String, environment: [(name: String, value: String)] = []) {
        self.executable = executable
        self.environment = environment
    }

    /// Returns the text of the unit's file.
    ///
    /// - Throws: ``DaemonError`` with `invalid` if a path has characters that a unit cannot have.
    public func text() throws -> String {
        let variables = try environment.map { "Environment=\(try Self.quoted("\($0.name)=\($0.value)"))\n" }.joined()
        return """
            [Unit]
            Description=Apus, which runs commands later
            # It is started again for as long as its store cannot be used.
            StartLimitIntervalSec=0

            [Service]
            # The daemon says when requests are answered.
            Type=notify
            NotifyAccess=main
            # A daemon of the same home that a command has started in the background is asked to stop first.
            ExecStart=\(try command()) serve --take-over
            \(variables)Restart=on-failure
            RestartSec=1
            # Options and variables that are wrong stay so.
            RestartPreventExitStatus=64
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

    /// Returns the program as the first word of a command line.
    ///
    /// systemd accepts quotes, backslashes and dollar signs in the arguments of a command, but not in its first word
    /// (systemd.service(5)). A program whose path has such characters is therefore started by env(1), as its argument.
    private func command() throws -> String {
        guard executable.unicodeScalars.contains(where: { "\"'\\$".unicodeScalars.contains($0) }) else {
            return try Self.quoted(executable)
        }
        guard !executable.unicodeScalars.contains("=") else {
            throw DaemonError(
                .invalid,
                "a systemd unit cannot start \(executable): install the program at a path without the characters \" ' \\ $ ="
            )
        }
        return "/usr/bin/env " + (try Self.quoted(executable, isArgument: true))
    }

    /// Returns a word in quotes (systemd.syntax(7)).
    ///
    /// `%` is doubled, because it begins a specifier. `$` is doubled in the arguments of a command, where it begins a
    /// variable.
    private static func quoted(_ text: String, isArgument: Bool = false) throws -> String {
        var result = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"", "\\": result += "\\\(character)"
            case "%": result += "%%"
            case "$" where isArgument: result += "$$"
            case _ where character.value < 32 || character.value == 127:
                throw DaemonError(
                    .invalid,
                    "a systemd unit cannot contain the control character U+\(hexadecimal(character)); use a path without it"
                )
            default: result.unicodeScalars.append(character)
            }
        }
        return result + "\""
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Returns the absolute path of the program that a unit's file starts.
    ///
    /// - Returns: `nil` if the file has no `ExecStart`, or one that begins with a specifier or a name without a folder.
    package static func executable(in text: String) -> String? {
        let key = "ExecStart="
        let lines = Array(text.utf8).textLines.map { String(decoding: $0, as: UTF8.self).unicodeScalars }
        guard let line = lines.last(where: { $0.starts(with: key.unicodeScalars) && $0.count > key.count }) else {
            return nil
        }
        // systemd accepts marks before the program (systemd.service(5)).
        var rest = line.dropFirst(key.count).drop { "@-:+!| ".unicodeScalars.contains($0) }
        guard var word = nextWord(&rest) else { return nil }
        if String(word) == "/usr/bin/env", let scalars = nextWord(&rest) {
            word = scalars.replacing("$$".unicodeScalars, with: "$".unicodeScalars)
        }
        word.replace("%%".unicodeScalars, with: "%".unicodeScalars)
        return word.first == "/" ? String(word) : nil
    }

    /// Removes and returns the next word of a command line, without its quotes.
    private static func nextWord(_ rest: inout Substring.UnicodeScalarView) -> String.UnicodeScalarView? {
        rest = rest.drop { $0 == " " }
        guard let first = rest.first else { return nil }
        let quote = first == "\"" || first == "'" ? rest.removeFirst() : nil
        var word = "".unicodeScalars
        while let character = rest.popFirst(), character != (quote ?? " ") {
            if character == "\\", let escaped = rest.popFirst() {
                word.append(escaped)
            } else {
                word.append(character)
            }
        }
        return word
    }
}
