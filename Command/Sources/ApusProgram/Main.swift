import ApusClient
import ApusCommand
import ArgumentParser
import PlatformC

/// The program `apus`, with the subcommands that only talk to a daemon.
///
/// It does not link the modules of the daemon, so that each call is cheap. Everything else, including the list of all
/// subcommands, is left to `apusd` in the same folder, which gets the same arguments.
@main
enum Main {
    static func main() async {
        let subcommands = Client.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let name = CommandLine.arguments.dropFirst().first, subcommands.contains(name) else {
            return execDaemonProgram()
        }
        await CommandLineStart.run(Client.self)
    }

    /// Replaces this process by `apusd`; if that cannot be started, prints the reason and exits with code 1.
    private static func execDaemonProgram() {
        let path = ProgramPath.of("apusd")
        // A list of processes shows this argument as the name of the program.
        CommandLine.unsafeArgv[0] = strdup(path)
        execv(path, CommandLine.unsafeArgv)
        let reason = String(cString: strerror(errno))
        Terminal.note("apus: \(path) cannot be started (\(reason)); apus needs it in the same folder, so install both")
        exit(1)
    }
}

/// The subcommands of `apus`, with the same command name as in `apusd`, so that the messages are the same.
private struct Client: AsyncParsableCommand {
    /// The prefix of the parser's errors, which all other errors have too.
    // swift-format-ignore: NoLeadingUnderscores
    static let _errorPrefix = "apus: "

    static let configuration = CommandConfiguration(
        commandName: "apus", subcommands: ClientCommands.groups.flatMap { $0.subcommands } + ClientCommands.ofDaemon)
}
