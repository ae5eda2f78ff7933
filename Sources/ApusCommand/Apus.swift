import ApusDaemon
import ApusJobs
import ArgumentParser

/// Where the process begins.
@main
enum Main {
    static func main() async {
        // The parser takes `-5s` for an option and would say that the duration is missing.
        let words = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
        if let negative = words.dropFirst().first(where: { $0.first == "-" && $0.dropFirst().first?.isNumber == true }),
            ["after", "every", "at", "countdown"].contains(words.first)
        {
            let error = TextError(
                argument: words.first == "at" ? "time" : "duration", given: negative,
                message: "it does not lie in the future",
                acceptedForms: words.first == "at" ? TimeText.acceptedForms : DurationText.acceptedForms)
            Terminal.note("apus: \(error)")
            Apus.exit(withError: ExitCode.validationFailure)
        }
        await Apus.main()
    }
}

/// The `apus` command.
struct Apus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apus",
        abstract:
            "Run commands later: after a while, again and again, at a time. They outlive the terminal, the daemon and the machine's restart.",
        discussion: """
            Examples:
              apus after 25m -- notify-send tea
              apus every 1h --name backup --missed run-once -- /usr/local/bin/backup
              apus at "tomorrow 9:00" --notify "Stand-up"
              apus countdown 25m && echo done
            """,
        version: ApusVersion.current,
        groupedSubcommands: [
            CommandGroup(name: "Schedule", subcommands: [After.self, Every.self, At.self, Countdown.self]),
            CommandGroup(name: "Look", subcommands: [List.self, Show.self, History.self, Logs.self]),
            CommandGroup(name: "Change", subcommands: [Cancel.self, Suspend.self, Resume.self, Run.self]),
            CommandGroup(
                name: "Daemon",
                subcommands: [Serve.self, Stop.self, Status.self, Install.self, Demo.self, Completions.self]),
        ]
    )
}
