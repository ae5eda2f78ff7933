import ApusClient
import ApusCommand
import ApusDaemon
import ApusJobs

/// A page of the manual for `apus` or one of its subcommands, in the macros of man(7).
struct ManualPage {
    /// The name of the page, such as `apus-queue-limit`, which man-db also finds as `man apus queue limit`.
    var name: String
    var text: String

    static func all(of root: CommandHelp.Command, date: String) -> [ManualPage] {
        func pages(_ command: CommandHelp.Command) -> [ManualPage] {
            [ManualPage(command, date: date)] + command.ownSubcommands.flatMap(pages)
        }
        return pages(root)
    }

    private init(_ command: CommandHelp.Command, date: String) {
        let isRoot = command.superCommands == nil
        let name = command.path.joined(separator: "-")
        // lexgrog and apropos require one line, without a period.
        var summary = command.abstract ?? ""
        if summary.hasSuffix(".") { summary.removeLast() }
        var lines = [
            #".TH "\#(name.uppercased())" 1 "\#(date)" "apus \#(ApusVersion.current)" "Apus""#,
            ".SH NAME",
            Self.escaped(name) + #" \- "# + Self.escaped(String(summary.unicodeScalars.filter { $0 != "`" })),
            ".SH SYNOPSIS", Self.synopsis(command),
            ".SH DESCRIPTION", Self.prose(command.abstract ?? ""),
        ]
        if let discussion = command.discussion { lines += [".PP", Self.prose(discussion)] }
        func list(_ title: String, _ items: [(tag: String, text: String)]) {
            if items.isEmpty { return }
            lines.append(".SH " + title)
            for item in items { lines += [".TP", item.tag, Self.prose(item.text, paragraph: ".IP")] }
        }
        func help(_ argument: CommandHelp.Argument) -> String {
            let text = [argument.abstract, argument.discussion].compactMap(\.self).joined(separator: "\n\n")
            return text.isEmpty ? argument.valueName ?? "" : text
        }
        list("SUBCOMMANDS", command.ownSubcommands.map { (Self.bold($0.commandName), $0.abstract ?? "") })
        list(
            "ARGUMENTS", command.positionals.map { (Self.italic($0.valueName ?? ""), help($0)) })
        list("OPTIONS", command.options.map { (Self.spelling($0), help($0)) })
        if command.ownSubcommands.isEmpty {
            list("EXIT STATUS", ExitStatus.codes(of: command).map { (Self.bold($0.code), $0.meaning) })
        } else {
            lines += [".SH EXIT STATUS", Self.prose("That of the subcommand; 64 if there is no such subcommand.")]
        }
        if isRoot || command.commandName == "serve" {
            list("ENVIRONMENT", Self.variables.map { (Self.bold($0.name), $0.text) })
            list("FILES", Self.files.map { (Self.italic($0.name), $0.text) })
        } else {
            lines += [".SH ENVIRONMENT", Self.prose("APUS_HOME, APUS_STORE and the others of"), ".BR apus (1)."]
            lines += [".SH FILES", Self.prose("The home, the database and the log: see"), ".BR apus (1)."]
        }
        let above = (1..<max(1, command.path.count)).map { command.path.prefix($0).joined(separator: "-") }
        let below = command.ownSubcommands.map { "\(name)-\($0.commandName)" }
        lines.append(".SH SEE ALSO")
        let others = above + below
        for (index, other) in others.enumerated() {
            lines.append(".BR \(Self.escaped(other)) (1)\(index == others.count - 1 ? "" : ",")")
        }
        self.name = name
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func synopsis(_ command: CommandHelp.Command) -> String {
        var words = [bold(command.path.joined(separator: " "))]
        guard command.ownSubcommands.isEmpty else {
            words.append(italic("subcommand") + " ...")
            return ".nh\n" + words.joined(separator: " ") + "\n.hy"
        }
        if !command.options.isEmpty { words.append("[" + italic("options") + "]") }
        for argument in command.positionals {
            let value = italic(argument.valueName ?? "") + (argument.isRepeating ? " ..." : "")
            let word = (argument.isCommand ? bold("--") + " " : "") + value
            words.append(argument.isOptional ? "[\(word)]" : word)
        }
        return ".nh\n" + words.joined(separator: " ") + "\n.hy"
    }

    private static func spelling(_ argument: CommandHelp.Argument) -> String {
        let names = argument.spellings.map(bold).joined(separator: ", ")
        return argument.kind == "option" ? names + " " + italic(argument.valueName ?? "value") : names
    }

    private static let variables: [(name: String, text: String)] =
        [
            ("APUS_HOME", "The folder of the jobs; no file outside it is used, unless another variable names one."),
            ("APUS_CONFIG", "The configuration file."),
        ]
        + SettingKey.allCases.map {
            ($0.variable, "Like \($0.option) of `apus serve`, for every daemon that is started.")
        }
        + [
            (
                "XDG_STATE_HOME",
                "Without APUS_HOME, the home is the folder apus in this folder (default: ~/.local/state)."
            ),
            (
                "XDG_RUNTIME_DIR",
                "Without APUS_HOME, the socket is in the folder apus in this folder, if it is your own."
            ),
            (
                "XDG_CONFIG_HOME",
                "Without APUS_HOME, the configuration file is in the folder apus in this folder (default: ~/.config)."
            ),
            ("NO_COLOR", "If it is not empty, the output has no colours."),
            ("TZ", "The time zone of times and schedules that name none."),
        ]

    private static let files: [(name: String, text: String)] = [
        ("~/.local/state/apus", "The home."),
        ("~/.local/state/apus/apus.db", "The database of the jobs and of their runs."),
        ("~/.local/state/apus/apus.log", "The log of a daemon in the background."),
        ("~/.config/apus/config.json", "The settings: see `apus config`."),
        ("$XDG_RUNTIME_DIR/apus/apus.sock", "The socket of the daemon; else apus.sock in the home."),
        ("~/.config/systemd/user/apus.service", "The unit that `apus install` writes."),
    ]

    // MARK: - roff

    /// Returns a text as paragraphs; lines that begin with spaces are kept as they are.
    private static func prose(_ text: String, paragraph: String = ".PP") -> String {
        var lines: [String] = []
        var isKept = false
        for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let keeps = line.hasPrefix("  ")
            if keeps != isKept { lines += keeps ? [".RS 4", ".nf"] : [".fi", ".RE"] }
            isKept = keeps
            if keeps {
                lines.append(escaped(String(line.drop { $0 == " " })))
            } else if line.isEmpty {
                lines.append(paragraph)
            } else {
                lines.append(marked(line))
            }
        }
        if isKept { lines += [".fi", ".RE"] }
        return lines.joined(separator: "\n")
    }

    /// Returns a line in which text between backticks is bold.
    private static func marked(_ text: String) -> String {
        let parts = text.unicodeScalars.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        guard parts.count % 2 == 1 else { return escaped(text) }
        return parts.enumerated().map { $0 % 2 == 1 ? bold($1) : escaped($1, atStart: $0 == 0) }.joined()
    }

    private static func bold(_ text: String) -> String { #"\fB"# + escaped(text, atStart: false) + #"\fR"# }
    private static func italic(_ text: String) -> String { #"\fI"# + escaped(text, atStart: false) + #"\fR"# }

    /// Returns text that groff prints unchanged in every locale.
    private static func escaped(_ text: String, atStart: Bool = true) -> String {
        var result = atStart && (text.hasPrefix(".") || text.hasPrefix("'")) ? #"\&"# : ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += #"\e"#
            case "-": result += #"\-"#
            case "'": result += #"\(aq"#
            case "`": result += #"\(ga"#
            case "^": result += #"\(ha"#
            case "~": result += #"\(ti"#
            case "…": result += "..."
            case "“": result += #"\(lq"#
            case "”": result += #"\(rq"#
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += #"\[u"# + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            }
        }
        return result
    }
}

/// The exit codes of the subcommands.
private enum ExitStatus {
    static func codes(of command: CommandHelp.Command) -> [(code: String, meaning: String)] {
        let failure = (
            "1", "Failure: the job or run does not exist, or the daemon refused the request or did not answer."
        )
        let usage = ("64", "An argument is missing, unknown or invalid, or the job's state does not allow the request.")
        let name = command.path.dropFirst().joined(separator: " ")
        let (done, more): (String, [(String, String)]) =
            switch name {
            case "countdown":
                ("The countdown has ended.", [("3", "The daemon was stopped."), ("130", "Detached by Ctrl-C.")])
            case "top":
                (
                    "Ended by q.",
                    [("129", "Its terminal was closed."), ("130", "Ended by Ctrl-C."), ("143", "It was terminated.")]
                )
            case "wait":
                (
                    "The run succeeded. After a failure, the exit code of the command.",
                    [
                        ("124", "The time limit of --timeout has passed."),
                        ("125", "The run was cancelled, skipped or lost, or the job ended before it."),
                        ("127", "The command could not be started."),
                    ]
                )
            case "serve":
                (
                    "Stopped.",
                    [
                        ("74", "Under a service manager: the store could not be used for 10 minutes."),
                        ("75", "Stopped, and running commands were cut off; they are tried again."),
                    ]
                )
            case "status": ("A daemon runs.", [("3", "No daemon runs.")])
            case "doctor": ("Nothing is wrong.", [])
            default: ("Done.", [])
            }
        return ([("0", done)] + (name == "preview" ? [] : [failure]) + more + [usage]).sorted {
            Int($0.0)! < Int($1.0)!
        }
    }
}
