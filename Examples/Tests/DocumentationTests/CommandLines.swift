import ApusCalendar
import ApusJobs
import ApusTimers
import Foundation

/// The command's description of itself (`--experimental-dump-help` of swift-argument-parser).
struct CommandHelp: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable {
            var name: String
        }
        var kind: String
        var names: [Name]?
        var valueName: String?
        var isOptional: Bool
        var isRepeating: Bool
        var parsingStrategy: String
        var allValues: [String]?
    }
    struct Command: Decodable {
        var commandName: String
        var arguments: [Argument]?
        var subcommands: [Command]?
        var defaultSubcommand: String?
    }
    var command: Command

    /// Returns the description that the program beside the test bundle prints; the program is run only once.
    static func ofBuiltCommand() throws -> CommandHelp { try built.get() }

    private static let built = Result { try ask() }

    private static func ask() throws -> CommandHelp {
        let process = Process()
        let output = Pipe()
        process.executableURL = try program()
        process.arguments = ["--experimental-dump-help"]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode(CommandHelp.self, from: data)
    }

    /// Returns the path of a program of the same build.
    static func program(_ name: String = "apus") throws -> URL {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path.count > 1 {
            let candidate = folder.appending(path: name)
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder), !isFolder.boolValue {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// Returns the reason why the command would refuse the words after `apus`; `nil` if it accepts them.
    func objection(to words: [String]) -> String? {
        guard let name = words.first else { return nil }
        if name.hasPrefix("-") { return Self.objection(to: words[...], of: command) }
        return objection(to: name, Self.joiningTimes(words), in: command)
    }

    /// Joins into one argument the words of a time or a schedule that follow the verb directly, as the program does.
    private static func joiningTimes(_ words: [String]) -> ArraySlice<String> {
        let rest = words.dropFirst()
        let time = rest.prefix { !$0.hasPrefix("-") }
        guard ["every", "at"].contains(words[0]), !time.isEmpty else { return rest }
        return [time.joined(separator: " ")] + rest.dropFirst(time.count)
    }

    private func objection(to name: String, _ words: ArraySlice<String>, in command: Command) -> String? {
        guard let subcommand = command.subcommands?.first(where: { $0.commandName == name }) else {
            return "there is no subcommand \(name)"
        }
        guard subcommand.subcommands?.isEmpty == false else { return Self.objection(to: words, of: subcommand) }
        guard let next = words.first else { return "\(name) needs a subcommand" }
        if let byDefault = subcommand.defaultSubcommand,
            subcommand.subcommands?.contains(where: { $0.commandName == next }) == false
        {
            return objection(to: byDefault, words, in: subcommand)
        }
        return objection(to: next, words.dropFirst(), in: subcommand)
    }

    private static func objection(to words: ArraySlice<String>, of command: Command) -> String? {
        let arguments = command.arguments ?? []
        var positionals = arguments.filter { $0.kind == "positional" && $0.parsingStrategy != "postTerminator" }[...]
        let takesCommand = arguments.contains { $0.parsingStrategy == "postTerminator" }
        let dialect = zip(words, words.dropFirst()).first { $0.0 == "--dialect" }.flatMap {
            CronDialect(rawValue: $0.1)
        }
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                guard takesCommand, !rest.isEmpty else { return "the command after -- is missing or not allowed" }
                break
            }
            if word.hasPrefix("-") {
                let bare = String(word.drop { $0 == "-" })
                guard let option = arguments.first(where: { $0.names?.contains { $0.name == bare } == true }) else {
                    return "\(command.commandName) has no option \(word)"
                }
                guard option.kind == "option" else { continue }
                guard let value = rest.popFirst(), value != "--" else { return "\(word) needs a value" }
                if let problem = problem(with: value, for: option, dialect) { return "\(word): \(problem)" }
            } else {
                guard let positional = positionals.first else { return "\(command.commandName) takes no \(word)" }
                if let problem = problem(with: word, for: positional, dialect) { return problem }
                if !positional.isRepeating { positionals = positionals.dropFirst() }
            }
        }
        guard let missing = positionals.first(where: { !$0.isOptional && !$0.isRepeating }) else { return nil }
        return "\(command.commandName) needs a \(missing.valueName ?? "value")"
    }

    /// Returns the reason why the command would refuse a duration, time or enumerated value; `nil` if it accepts it.
    private static func problem(with value: String, for argument: Argument, _ dialect: CronDialect?) -> String? {
        if let values = argument.allValues, !values.contains(value) { return "\(value) is not one of \(values)" }
        do {
            switch argument.valueName {
            case "duration": _ = try DurationText.parse(value)
            // `when` is the argument of `apus every`.
            case "when":
                if (try? DurationText.parse(value)) == nil { _ = try CalendarSchedule(words: "every \(value)") }
            case "fields": _ = try CalendarSchedule(cron: value, dialect: dialect ?? .standard)
            case "event": _ = try CalendarSchedule(onCalendar: value)
            // The suffix shows that the argument is a file.
            case "rule" where value.hasSuffix(".ics"): break
            case "rule":
                let now = CivilDateTime(localSeconds: 1_767_225_600)
                _ = try CalendarSchedule(text: value, form: .rrule, now: now)
            // A relative time needs a present instant. It must be the same in each run, and earlier than all instants
            // in the examples.
            case "time":
                _ = try TimeText.parse(
                    value, now: WallInstant(secondsSince1970: 1_767_225_600), timeZone: TimeText.zone(named: "UTC"))
            default: break
            }
            return nil
        } catch {
            return "\(error)"
        }
    }
}

/// The parser of shell lines, as far as documents need it: quotes, `&&`, `|`, `;`, redirections and comments.
enum ShellLine {
    static func commands(in line: String) -> [[String]] {
        var commands: [[String]] = [[]]
        var word: String?
        var quote: Character?
        func isSeparator(_ character: Character) -> Bool { "|&;()<>".contains(character) }
        func endWord() {
            if let whole = word { commands[commands.count - 1].append(whole) }
            word = nil
        }
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == "#", word == nil {
                break
            } else if isSeparator(character) {
                endWord()
                commands.append([])
            } else if character == " " {
                endWord()
            } else {
                word = (word ?? "") + String(character)
            }
        }
        endWord()
        return commands.filter { !$0.isEmpty }
    }

    /// Returns the lines that a reader types: all lines of an `sh` block, or those after the prompt in a `console`
    /// block.
    static func typed(in block: Documents.Block) -> [String] {
        let lines = block.text.split(separator: "\n").map(String.init)
        switch block.language {
        case "sh": return lines
        case "console": return lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
        default: return []
        }
    }
}
