import ApusCalendar

/// A crontab, read as cron reads it: what becomes of each line.
struct Crontab {
    /// An entry that can be a job.
    struct Entry: Hashable {
        /// The line's number, from 1.
        var line: Int
        /// The five fields, or a word such as `@daily`.
        var schedule: String
        /// The zone of `CRON_TZ`, if that was set above the line.
        var zone: String?
        /// Of a system's crontab: who runs it.
        var user: String?
        /// What the shell runs.
        var command: String
        /// Variables that were set above the line.
        var variables: [String: String]

        /// The shell that cron would use.
        var shell: String { variables["SHELL"] ?? "/bin/sh" }
    }

    /// A line, or a part of one, that is not carried over.
    struct Remark: Hashable {
        var line: Int
        var text: String
    }

    private(set) var entries: [Entry] = []
    /// Lines that become no jobs.
    private(set) var refused: [Remark] = []
    /// What is different for the jobs of some lines.
    private(set) var remarks: [Remark] = []

    /// Reads a crontab.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isSystem: Whether the sixth field is a user, as in `/etc/crontab` and the files of `/etc/cron.d`.
    init(_ text: String, isSystem: Bool) {
        var variables: [String: String] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let number = index + 1
            let line = line.drop { $0 == " " || $0 == "\t" }
            if line.isEmpty || line.first == "#" || line.allSatisfy(\.isWhitespace) { continue }
            if let (name, value) = Self.assignment(line) {
                if name == "MAILTO" || name == "MAILFROM" {
                    if !value.isEmpty {
                        remarks.append(
                            Remark(
                                line: number, text: "\(name): no mail is sent; apus logs shows what a command printed"))
                    }
                } else {
                    variables[name] = value
                }
                continue
            }
            do {
                var entry = try Self.entry(line, number, isSystem: isSystem)
                entry.zone = variables["CRON_TZ"]
                entry.variables = variables
                entry.variables["CRON_TZ"] = nil
                entries.append(entry)
            } catch { refused.append(Remark(line: number, text: error.text)) }
        }
    }

    private struct Refusal: Error {
        var text: String
    }

    /// `NAME=VALUE` with blanks and quotes as cron allows them.
    private static func assignment(_ line: Substring) -> (String, String)? {
        guard let sign = line.firstIndex(of: "="), let first = line.first,
            first.isLetter || first == "_" || "\"'".contains(first)
        else { return nil }
        let name = unquoted(line[..<sign])
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return nil }
        return (name, unquoted(line[line.index(after: sign)...]))
    }

    private static func unquoted(_ text: Substring) -> String {
        let inner = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
        let string = String(inner)
        if string.count >= 2, let quote = string.first, "\"'".contains(quote), string.last == quote {
            return String(string.dropFirst().dropLast())
        }
        return string
    }

    private static func entry(_ line: Substring, _ number: Int, isSystem: Bool) throws(Refusal) -> Entry {
        var rest = line
        func word() -> String {
            let word = rest.prefix { !$0.isWhitespace }
            rest = rest.dropFirst(word.count).drop { $0.isWhitespace }
            return String(word)
        }
        let first = word()
        if first == "@reboot" {
            throw Refusal(text: "@reboot: a daemon does not know why it started; use a systemd unit")
        }
        var schedule = first
        if !first.hasPrefix("@") { for _ in 0..<4 { schedule += " " + word() } }
        let user = isSystem ? word() : nil
        do { _ = try CalendarSchedule(cron: schedule) } catch { throw Refusal(text: error.description) }
        var command = ""
        var isEscaped = false
        for character in rest {
            if isEscaped {
                command += character == "%" ? "%" : "\\\(character)"
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "%" {
                throw Refusal(
                    text: "the command gets a text after % on its standard input; write a script that has it")
            } else {
                command.append(character)
            }
        }
        if isEscaped { command += "\\" }
        while command.last?.isWhitespace == true { command.removeLast() }
        guard !command.isEmpty else { throw Refusal(text: "the command is missing") }
        return Entry(line: number, schedule: schedule, user: user, command: command, variables: [:])
    }
}
