import ApusClient
import ArgumentParser

/// The check that a subcommand is one: the parser would call the word an unexpected argument, and show the general help for
/// `apus help WORD`.
enum SubcommandNames {
    /// - Parameters:
    ///   - arguments: those of the process, without its name.
    ///   - root: the command that has all subcommands.
    /// - Throws: `DaemonError` with `invalid` for a word that is no subcommand where only a subcommand can be.
    static func check(_ arguments: [String], root: any ParsableCommand.Type) throws(DaemonError) {
        let isHelp = arguments.first == "help"
        var path = "apus"
        var command: any ParsableCommand.Type = root
        for word in arguments.dropFirst(isHelp ? 1 : 0) {
            let subcommands = command.configuration.subcommands
            // Help has no other words than subcommands.
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
                "\(problem); " + (nearest.map { "did you mean \(path) \($0)?" } ?? "\(path) --help shows what there is")
            )
        }
    }
}
