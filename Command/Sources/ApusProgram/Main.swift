import ApusClient
import ApusCommand
import ArgumentParser
import PlatformC

/// `apus`: the subcommands that only talk to a daemon, without what a daemon is made of, so that each call is cheap. All
/// else, the list of all subcommands included, is for `apusd` beside it, which gets the same arguments.
@main
enum Main {
    static func main() async {
        let subcommands = Client.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let name = CommandLine.arguments.dropFirst().first, subcommands.contains(name) else {
            return execDaemonProgram()
        }
        await CommandLineStart.run(Client.self)
    }

    /// Replaces this process; returns if there is no such program.
    private static func execDaemonProgram() {
        let path = ProgramPath.of("apusd")
        // A list of processes shows it by its own name.
        CommandLine.unsafeArgv[0] = strdup(path)
        execv(path, CommandLine.unsafeArgv)
        let reason = String(cString: strerror(errno))
        Terminal.note("apus: \(path) cannot be started (\(reason)); it belongs to apus, in the same folder")
        exit(1)
    }
}

/// Named as `apusd` is, so that the messages are the same.
private struct Client: AsyncParsableCommand {
    /// The parser's errors begin as all others do.
    // swift-format-ignore: NoLeadingUnderscores
    static let _errorPrefix = "apus: "

    static let configuration = CommandConfiguration(
        commandName: "apus", subcommands: ClientCommands.groups.flatMap { $0.subcommands } + ClientCommands.ofDaemon)
}
