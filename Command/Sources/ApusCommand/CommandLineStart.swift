import ApusClient
import ApusJobs
package import ArgumentParser

/// Reads the arguments of `apus` and `apusd`, and runs the subcommand.
package enum CommandLineStart {
    /// Checks the arguments and the environment, and then runs the subcommand that the arguments name.
    ///
    /// If any of these steps fails, the process ends.
    package static func run(_ root: any AsyncParsableCommand.Type) async {
        do throws(DaemonError) {
            try ProcessEnvironment.check(arguments: ProcessEnvironment.arguments)
            try ProcessEnvironment.current.check { name in
                name == "HOME" || ["APUS_", "XDG_", "PG"].contains { name.utf8.starts(with: $0.utf8) }
            }
            try SubcommandNames.check(Array(CommandLine.arguments.dropFirst()), root: root)
        } catch {
            Terminal.note("apus: \(error)")
            root.exit(withError: ExitCode.validationFailure)
        }
        // The parser takes `-5s` for an option, and would report that the duration is missing.
        let words = Array(CommandLine.arguments.dropFirst().prefix(2))
        if words.count == 2, ["after", "every", "at", "countdown"].contains(words[0]),
            words[1].first == "-", words[1].dropFirst().first?.isNumber == true
        {
            let error = TextError(
                argument: words[0] == "at" ? "time" : "duration", given: words[1],
                message: "it is not in the future",
                acceptedForms: words[0] == "at" ? TimeText.acceptedForms : DurationText.acceptedForms)
            Terminal.note("apus: \(error)")
            root.exit(withError: ExitCode.validationFailure)
        }
        await root.main(joiningTimes(Array(CommandLine.arguments.dropFirst())))
    }

    /// Joins the words of a time, a duration or a schedule into one argument.
    ///
    /// The parser does not support a list of words before the list of the command's words. Because the words are
    /// joined, `every weekday at 18:30 -- …` and `after 5 minutes -- …` need no quotes.
    package static func joiningTimes(_ arguments: [String]) -> [String] {
        guard let verb = arguments.first, ["after", "at", "countdown", "every"].contains(verb) else { return arguments }
        let rest = arguments.dropFirst()
        let words = rest.prefix { !$0.hasPrefix("-") }
        if words.isEmpty { return arguments }
        return [verb, words.joined(separator: " ")] + rest.dropFirst(words.count)
    }
}

/// The subcommands that only talk to a daemon.
package enum ClientCommands {
    package static let groups = [
        CommandGroup(name: "Schedule", subcommands: [After.self, Every.self, At.self, Cron.self, Countdown.self]),
        CommandGroup(
            name: "Inspect",
            subcommands: [
                List.self, Show.self, Top.self, History.self, Logs.self, Stats.self, Why.self, Wait.self, Preview.self,
            ]),
        CommandGroup(
            name: "Change",
            subcommands: [
                Edit.self, Cancel.self, Delete.self, Suspend.self, Resume.self, Run.self, Retry.self, Queue.self,
            ]),
        CommandGroup(name: "Transfer", subcommands: [Import.self, Export.self]),
    ]
    /// The subcommands about the daemon, which the help lists with those that only `apusd` has.
    package static let ofDaemon: [any ParsableCommand.Type] = [
        Stop.self, Status.self, Nodes.self, Demo.self, Completions.self,
    ]
}
