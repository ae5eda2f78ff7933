import ApusCalendar
import ApusClient
import ApusCommand
import ApusJobs
import ApusTimers
import ArgumentParser

/// Completes a command line, for the scripts of `apus completions`.
///
/// The scripts receive lines and insert them; no shell evaluates a candidate as source text.
struct Completion {
    /// The kind of an answer, which is its first line.
    ///
    /// After `words`, each line is a candidate, followed by a tab and a description if it has one.
    enum Kind: String {
        case words, files, folders
    }

    struct Candidate {
        var word: String
        var description: String?
    }

    /// The kind of the phrase that follows a subcommand, keyed by the subcommand's name.
    private static let phrases: [String: PhraseCompletion.Kind] = [
        "every": .afterEvery, "at": .moment, "preview": .schedule,
    ]

    let root: CommandHelp.Command

    /// Returns the answer for a shell.
    ///
    /// - Parameters:
    ///   - line: the command line up to the cursor, as it was typed.
    ///   - piece: the end of the line that bash replaces, which may begin within a word, after a quote, `:` or `=`;
    ///     `nil` for a shell that replaces whole words and quotes them itself.
    /// - Returns: lines, of which the first is a ``Kind``.
    func answer(line: String, piece: String?) async -> String {
        let typed = ShellLine(line)
        let start =
            typed.words.firstIndex { $0.unicodeScalars.split(separator: "/").last.map(String.init) == "apus" } ?? 0
        let words = typed.words.dropFirst(start + 1)
        guard let partial = words.last else { return Kind.words.rawValue + "\n" }
        let (kind, candidates) = await offer(after: Array(words.dropLast()), partial)
        var lines = [kind.rawValue]
        for candidate in candidates where candidate.word.utf8.starts(with: partial.utf8) {
            if let piece {
                // The part of the word before the piece stays in the line.
                let kept = ShellLine(String(line.unicodeScalars.dropLast(piece.unicodeScalars.count)))
                let before = kept.words[kept.words.count - 1].unicodeScalars
                guard candidate.word.unicodeScalars.starts(with: before) else { continue }
                lines.append(
                    ShellLine.quoted(candidate.word.unicodeScalars.dropFirst(before.count), in: kept.quote))
            } else {
                lines.append(candidate.word + (candidate.description.map { "\t\($0)" } ?? ""))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func offer(after words: [String], _ partial: String) async -> (Kind, [Candidate]) {
        var command = root
        var (positional, isOfHelp) = (0, false)
        var option: CommandHelp.Argument?
        // The words of a schedule or a time so far; `nil` after an option, because a phrase ends there.
        var phrase: [String]? = []
        for word in words {
            if option != nil {
                option = nil
            } else if word == "--" {
                return (.files, [])
            } else if word.hasPrefix("-") {
                phrase = nil
                option = command.options.first { $0.kind == "option" && $0.spellings.contains(word) }
            } else if positional == 0, let subcommand = command.subcommand(word) {
                command = subcommand
            } else if command.superCommands == nil, word == "help" {
                isOfHelp = true
            } else {
                positional += 1
                phrase?.append(word)
            }
        }
        if let option { return await values(of: option, partial) }
        if partial.hasPrefix("-") {
            let parts = partial.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(String.init)
            if parts.count == 2 {
                guard let option = command.options.first(where: { $0.spellings.contains(parts[0]) }) else {
                    return (.words, [])
                }
                let (_, found) = await values(of: option, parts[1])
                return (.words, found.map { Candidate(word: "\(parts[0])=\($0.word)") })
            }
            return (.words, flags(of: command, given: words))
        }
        let subcommands = command.ownSubcommands.map { Candidate(word: $0.commandName, description: $0.abstract) }
        if positional == 0, subcommands.contains(where: { $0.word.hasPrefix(partial) }) { return (.words, subcommands) }
        if isOfHelp { return (.words, []) }
        command = command.subcommand(command.defaultSubcommand) ?? command
        if let phrase, let kind = Self.phrases[command.commandName] {
            let today = SystemTimeZones.shared.local.rules.local(
                at: Int64(clamping: When.now.nanoseconds / 1_000_000_000)
            ).date
            // A word with several meanings is offered once.
            var seen: Set<String> = []
            let next = PhraseCompletion.words(after: phrase.joined(separator: " "), kind, today: today)
                .filter { seen.insert($0).inserted }.map { Candidate(word: $0) }
            return (.words, phrase.isEmpty ? next : next + flags(of: command, given: words))
        }
        let positionals = command.positionals.filter { !$0.isCommand }
        if let argument = positionals.dropFirst(positional).first ?? positionals.last(where: \.isRepeating) {
            return await values(of: argument, partial)
        }
        return (.words, flags(of: command, given: words))
    }

    private func flags(of command: CommandHelp.Command, given words: [String]) -> [Candidate] {
        command.options.filter { $0.isRepeating || !$0.spellings.contains(where: words.contains) }.flatMap { option in
            option.spellings.map { Candidate(word: $0, description: option.abstract) }
        }
    }

    private func values(of argument: CommandHelp.Argument, _ partial: String) async -> (Kind, [Candidate]) {
        if let list = argument.completionKind?.list {
            let words = list.values.isEmpty ? await JobCompletion.candidates(partial) : list.values
            return (.words, words.map { Candidate(word: $0) })
        }
        return switch argument.valueName {
        case "file", "path": (.files, [])
        case "folder": (.folders, [])
        default: (.words, [])
        }
    }
}
