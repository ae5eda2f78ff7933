import ApusCalendar
import ApusClient
import ApusJobs

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A crontab, read in bytes as cron reads it, with the result for each line.
struct Crontab {
    /// An entry that can become a job.
    struct Entry: Hashable {
        /// The line's number, from 1.
        var line: Int
        /// The five fields, or a word such as `@daily`.
        var schedule: String
        /// The zone of `CRON_TZ`, if that was set above the line.
        var zone: String?
        /// The user of the entry, in a system's crontab.
        var user: String?
        /// The line that the shell runs.
        var command: String
        /// The variables that were set above the line.
        var variables: [String: String]

        /// The shell that cron would use.
        var shell: String { variables["SHELL"] ?? "/bin/sh" }
    }

    private typealias Bytes = ArraySlice<UInt8>

    private(set) var entries: [Entry] = []
    /// The lines that cron would refuse.
    private(set) var invalid: [ImportReport.Line] = []
    /// The lines that cron accepts, but that cannot become jobs.
    private(set) var refused: [ImportReport.Line] = []
    /// Remarks about lines, such as differences from cron.
    private(set) var remarks: [ImportReport.Line] = []

    /// Reads a crontab.
    ///
    /// - Parameters:
    ///   - bytes: the contents of the file.
    ///   - isSystem: whether the sixth field is a user, as in `/etc/crontab` and the files of `/etc/cron.d`.
    ///   - user: the name of the importing user.
    init(_ bytes: some RandomAccessCollection<UInt8>, isSystem: Bool, user: String) {
        var variables: [String: String] = [:]
        for (index, line) in Array(bytes).textLines.enumerated() {
            let number = index + 1
            let line = line.drop(while: Self.isBlank)
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            guard String(validating: line, as: UTF8.self) != nil else {
                invalid.append(
                    .init(line: number, text: "the line is not UTF-8; convert the file, for instance with iconv"))
                continue
            }
            if let (name, value) = Self.assignment(line) {
                if name == "MAILTO" || name == "MAILFROM" {
                    if !value.isEmpty {
                        remarks.append(
                            .init(
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
                if let remark = Self.sixthField(entry, isSystem: isSystem, user: user) {
                    remarks.append(.init(line: number, text: remark))
                }
            } catch {
                let line = ImportReport.Line(line: number, text: error.text)
                if error.isInvalid { invalid.append(line) } else { refused.append(line) }
            }
        }
    }

    private struct Refusal: Error {
        var text: String
        var isInvalid = false
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func trimmed(_ bytes: Bytes) -> Bytes {
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    private static func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

    /// Reads `NAME=VALUE`, with the blanks and quotes that cron allows.
    private static func assignment(_ line: Bytes) -> (String, String)? {
        guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = unquoted(line[..<sign])
        let isName = name.unicodeScalars.allSatisfy {
            $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        guard isName, let first = name.unicodeScalars.first, first.properties.numericType == nil else { return nil }
        return (name, unquoted(line[line.index(after: sign)...]))
    }

    private static func unquoted(_ bytes: Bytes) -> String {
        let inner = trimmed(bytes)
        if inner.count >= 2, let quote = inner.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            inner.last == quote
        {
            return text(inner.dropFirst().dropLast())
        }
        return text(inner)
    }

    private static func entry(_ line: Bytes, _ number: Int, isSystem: Bool) throws(Refusal) -> Entry {
        var rest = line
        func word() -> String {
            let word = rest.prefix { !isBlank($0) }
            rest = rest.dropFirst(word.count).drop(while: isBlank)
            return text(word)
        }
        let first = word()
        if first == "@reboot" {
            throw Refusal(text: "@reboot: apus cannot run a command when the machine starts; use a systemd unit")
        }
        var schedule = first
        if first.utf8.first != UInt8(ascii: "@") { for _ in 0..<4 { schedule += " " + word() } }
        let user = isSystem ? word() : nil
        do { _ = try CalendarSchedule(cron: schedule) } catch {
            throw Refusal(text: error.description, isInvalid: true)
        }
        var command: [UInt8] = []
        var isEscaped = false
        for byte in trimmed(rest) {
            if byte == UInt8(ascii: "%"), !isEscaped {
                throw Refusal(
                    text:
                        "the text after % is the standard input of the command, which apus cannot set; write a script with it"
                )
            }
            if isEscaped, byte != UInt8(ascii: "%") { command.append(UInt8(ascii: "\\")) }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            if !isEscaped { command.append(byte) }
        }
        if isEscaped { command.append(UInt8(ascii: "\\")) }
        guard !command.isEmpty else { throw Refusal(text: "the command is missing", isInvalid: true) }
        return Entry(line: number, schedule: schedule, user: user, command: text(command), variables: [:])
    }

    /// Returns a remark if the first word of the command looks like another field: a sixth field of the schedule, or a
    /// user.
    private static func sixthField(_ entry: Entry, isSystem: Bool, user: String) -> String? {
        let word = text(entry.command.utf8.prefix { !isBlank($0) })
        let isSchedule =
            word.utf8.allSatisfy { "0123456789*/,-?".utf8.contains($0) }
            || ["sun", "mon", "tue", "wed", "thu", "fri", "sat"].contains(word.lowercased())
        if isSchedule {
            return
                "the command begins with \"\(word)\", as if the schedule had six fields; a cron schedule has five, without seconds"
        }
        guard !isSystem, word == "root" || word == user else { return nil }
        return "the command begins with the name of a user; if that user runs the command, use --system"
    }
}

/// The jobs of a crontab.
struct CrontabImport {
    private(set) var jobs: [WireExportedJob] = []
    private(set) var report: ImportReport

    /// Creates the jobs of a crontab for a user; `source` is a path, `crontab` or `-`.
    init(_ crontab: Crontab, source: String, zone: String, user: String, home: String) {
        report = ImportReport(
            source: source, invalid: crontab.invalid, refused: crontab.refused, remarks: crontab.remarks)
        var names: [String: Int] = [:]
        for entry in crontab.entries {
            if let runs = entry.user, runs != user {
                report.refused.append(
                    .init(line: entry.line, text: "the line is for the user \(runs); import it as that user"))
                continue
            }
            let calendar = WireCalendar(schedule: entry.schedule, form: .cron, zone: entry.zone ?? zone)
            do {
                let trigger = try calendar.parsed(at: When.now, in: SystemTimeZones.shared) { $0 }
                for warning in trigger.schedule.warnings {
                    report.remarks.append(.init(line: entry.line, text: warning))
                }
                let name = Self.name(of: entry, source: source, &names)
                let job = WireExportedJob(
                    Self.submission(entry, WireCalendar(trigger), name: name, source: source, user: user, home: home))
                _ = try job.hasEnded(at: When.now, in: SystemTimeZones.shared)
                jobs.append(job)
            } catch { report.invalid.append(.init(line: entry.line, text: ImportReport.text(of: error))) }
        }
        report.sort()
    }

    /// Returns a name for the job, from the file's name and the command.
    private static func name(of entry: Crontab.Entry, source: String, _ names: inout [String: Int]) -> String {
        func plain(_ text: String, _ limit: Int) -> String {
            String(
                decoding: text.utf8.prefix(limit).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
                as: UTF8.self)
        }
        let name = plain(URL(filePath: source).lastPathComponent, 40) + ": " + plain(entry.command, 200)
        names[name, default: 0] += 1
        return names[name] == 1 ? name : "\(name) (\(names[name]!))"
    }

    private static func submission(
        _ entry: Crontab.Entry, _ calendar: WireCalendar, name: String, source: String, user: String, home: String
    ) -> WireSubmission {
        var variables = ["PATH": "/usr/bin:/bin", "HOME": home, "LOGNAME": user, "USER": user]
        variables.merge(entry.variables) { _, new in new }
        variables["SHELL"] = entry.shell
        let isPlainShell = entry.shell == "/bin/sh"
        let command = Action.Command(
            argv: isPlainShell ? [entry.command] : [entry.shell, "-c", entry.command], shell: isPlainShell,
            cwd: variables["HOME"], env: variables)
        return WireSubmission(
            name: name, trigger: WireTrigger(calendar: calendar), action: Action(command: command),
            policies: WirePolicies(missed: "skip", overlap: "allow"), labels: ["crontab": source])
    }
}
