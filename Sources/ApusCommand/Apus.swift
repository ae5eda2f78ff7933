import ApusDaemon
import ApusJobs
import ArgumentParser

/// Where the process begins.
@main
enum Main {
    @MainActor static func main() async {
        // The parser takes `-5s` for an option and would say that the duration is missing.
        let words = Array(CommandLine.arguments.dropFirst().prefix(2))
        if words.count == 2, ["after", "every", "at", "countdown"].contains(words[0]),
            words[1].first == "-", words[1].dropFirst().first?.isNumber == true
        {
            let error = TextError(
                argument: words[0] == "at" ? "time" : "duration", given: words[1],
                message: "it does not lie in the future",
                acceptedForms: words[0] == "at" ? TimeText.acceptedForms : DurationText.acceptedForms)
            Terminal.note("apus: \(error)")
            Apus.exit(withError: ExitCode.validationFailure)
        }
        // Commands end soon; the daemon is idle for days.
        if words.first == "serve" { EventLoopExecutor.install() }
        await Apus.main(joiningTimes(Array(CommandLine.arguments.dropFirst())))
    }

    /// The words of a time, a duration or a schedule as one argument: `every weekday at 18:30 -- …` and `after 5 minutes -- …`
    /// need no quotes. The parser has no list of words before the list that is the command.
    static func joiningTimes(_ arguments: [String]) -> [String] {
        guard let verb = arguments.first, ["after", "at", "countdown", "every"].contains(verb) else { return arguments }
        let rest = arguments.dropFirst()
        let words = rest.prefix { !$0.hasPrefix("-") }
        if words.isEmpty { return arguments }
        return [verb, words.joined(separator: " ")] + rest.dropFirst(words.count)
    }
}

/// The `apus` command.
struct Apus: AsyncParsableCommand {
    // Each subcommand says its name too: to derive it from the type, the runtime needs a sixth of a command's time.
    static let configuration = CommandConfiguration(
        commandName: "apus",
        abstract:
            "Run commands later: after a duration, repeatedly, or at a time. Jobs survive the end of the terminal and of the daemon, and a restart of the machine.",
        discussion: """
            Examples:
              apus after 25m -- notify-send tea
              apus every 1h --name backup --missed run-once -- /usr/local/bin/backup
              apus every weekday at 9:25 --notify "Stand-up"
              apus at tomorrow 9:00 -- ./report
              apus countdown 25m && echo done
            """,
        version: ApusVersion.current,
        groupedSubcommands: [
            CommandGroup(name: "Schedule", subcommands: [After.self, Every.self, At.self, Cron.self, Countdown.self]),
            CommandGroup(
                name: "Look",
                subcommands: [
                    List.self, Show.self, Top.self, History.self, Logs.self, Stats.self, Why.self, Wait.self,
                    Preview.self,
                ]),
            CommandGroup(
                name: "Change",
                subcommands: [Edit.self, Cancel.self, Suspend.self, Resume.self, Run.self, Retry.self, Queue.self]),
            CommandGroup(name: "Move", subcommands: [Import.self, Export.self]),
            CommandGroup(
                name: "Daemon",
                subcommands: [
                    Serve.self, Stop.self, Status.self, Config.self, Doctor.self, Nodes.self, Store.self, Install.self,
                    Demo.self, Completions.self,
                ]),
        ]
    )
}
