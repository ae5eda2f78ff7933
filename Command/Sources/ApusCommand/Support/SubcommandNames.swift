import ApusClient
import ArgumentParser

/// Checks the names of subcommands.
///
/// For an unknown name, the parser would report an unexpected argument, and `apus help WORD` would show the general
/// help.
enum SubcommandNames {
    /// Checks the words that can only be subcommands.
    ///
    /// - Parameters:
    ///   - arguments: the arguments of the process, without its name.
    ///   - root: the command that has all subcommands.
    /// - Throws: `DaemonError` with `invalid` for a word that is not a subcommand.
    static func check(_ arguments: [String], root: any ParsableCommand.Type) throws(DaemonError) {
        let isHelp = arguments.first == "help"
        var path = "apus"
        var command: any ParsableCommand.Type = root
        for word in arguments.dropFirst(isHelp ? 1 : 0) {
            let subcommands = command.configuration.subcommands
            // After `help`, every word is a subcommand.
            guard !word.hasPrefix("-"), word != "help", isHelp || !subcommands.isEmpty else { return }
            if let next = subcommands.first(where: { $0.configuration.commandName == word }) {
                command = next
                path += " \(word)"
                continue
            }
            if !isHelp, command.configuration.defaultSubcommand != nil { return }
            let names = subcommands.compactMap { $0.configuration.commandName }
            let problem = "\(command == root ? "there is" : "\(path) has") no subcommand \"\(word)\""
            let nearest = NearestName.of(word, among: names)
            throw DaemonError(
                .invalid,
                "\(problem); "
                    + (nearest.map { "did you mean \(path) \($0)?" } ?? "\(path) --help lists the subcommands")
            )
        }
    }
}
