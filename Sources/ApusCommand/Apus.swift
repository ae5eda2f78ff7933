import ApusDaemon
import ArgumentParser

/// The `apus` command.
@main
struct Apus: AsyncParsableCommand {
    // Each subcommand says its name too: to derive it from the type, the runtime needs a sixth of a command's time.
    static let configuration = CommandConfiguration(
        commandName: "apus",
        abstract: "Run commands later: after a while, again and again, at a time. They outlive the terminal, the daemon and the machine's restart.",
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
            CommandGroup(name: "Daemon", subcommands: [Serve.self, Stop.self, Status.self, Install.self, Demo.self, Completions.self]),
        ]
    )
}
