import ApusClient
import ApusCommand
import ApusDaemon
import ApusJobs
import ArgumentParser

/// The program `apusd`: the daemon, and all subcommands of `apus` with their help, manual and completions.
@main
enum Main {
    static func main() async {
        if let request = ToolRequest(CommandLine.arguments) { return await request.answer() }
        // Only the daemon needs the executor, because it is idle for days; the other subcommands end soon.
        if CommandLine.arguments.dropFirst().first == "serve" { EventLoopExecutor.install() }
        await CommandLineStart.run(Apus.self)
    }
}

/// The `apus` command.
struct Apus: AsyncParsableCommand {
    /// The prefix of the parser's errors, which all other errors have too.
    // swift-format-ignore: NoLeadingUnderscores
    static let _errorPrefix = "apus: "

    // Each subcommand states its name, because deriving the name from the type would take a sixth of the time of a
    // whole command.
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
        groupedSubcommands: ClientCommands.groups + [
            CommandGroup(
                name: "Daemon",
                subcommands: [Serve.self, Config.self, Doctor.self, Store.self, Install.self] + ClientCommands.ofDaemon)
        ]
    )
}
