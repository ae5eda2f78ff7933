import ApusClient
import ApusCommand
import ArgumentParser

/// The subcommands and arguments as the parser declares them (`--experimental-dump-help`).
///
/// Manual pages and completions are made from these declarations, so no option can be missing from either.
struct CommandHelp: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String
            /// The name as it is typed.
            var spelling: String { kind == "long" ? "--\(name)" : "-\(name)" }
        }
        struct Completion: Decodable {
            struct List: Decodable { var values: [String] }
            var list: List?
        }
        var kind: String
        var shouldDisplay: Bool
        var isOptional: Bool
        var isRepeating: Bool
        var parsingStrategy: String
        var names: [Name]?
        var valueName: String?
        var defaultValue: String?
        var completionKind: Completion?
        var abstract: String?
        var discussion: String?

        var spellings: [String] { (names ?? []).map(\.spelling) }
        /// Whether the argument takes everything after `--`.
        var isCommand: Bool { parsingStrategy == "postTerminator" }
    }

    struct Command: Decodable {
        var superCommands: [String]?
        var commandName: String
        var abstract: String?
        var discussion: String?
        var subcommands: [Command]?
        var defaultSubcommand: String?
        var arguments: [Argument]?

        /// The subcommands without the parser's own `help`.
        var ownSubcommands: [Command] { (subcommands ?? []).filter { $0.commandName != "help" } }
        var shown: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }
        var positionals: [Argument] { shown.filter { $0.kind == "positional" } }
        var options: [Argument] { shown.filter { $0.kind != "positional" } }
        /// The names from `apus` to this command.
        var path: [String] { (superCommands ?? []) + [commandName] }

        func subcommand(_ name: String?) -> Command? { ownSubcommands.first { $0.commandName == name } }
    }

    var command: Command

    static func ofApus() throws -> Command {
        try LenientJSON.decode(CommandHelp.self, from: Apus._dumpHelp().utf8).command
    }
}
