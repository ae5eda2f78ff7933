import ApusCalendar
import ApusDaemon
import ApusJobs

/// The jobs of a crontab.
struct CrontabImport {
    /// What the jobs of this file have in common.
    let label: String
    private(set) var submissions: [WireSubmission] = []
    private(set) var refused: [ImportReport.Line]
    private(set) var remarks: [ImportReport.Line]

    /// The jobs of the crontab of that source (a path, `crontab`, or `-`), for a user.
    init(_ crontab: Crontab, source: String, zone: String, user: String, home: String) throws {
        label = "crontab=\(source)"
        refused = crontab.refused.map { .init(line: $0.line, text: $0.text) }
        remarks = crontab.remarks.map { .init(line: $0.line, text: $0.text) }
        var names: [String: Int] = [:]
        for entry in crontab.entries {
            if let runs = entry.user, runs != user {
                refused.append(.init(line: entry.line, text: "it is run by \(runs); import it as that user"))
                continue
            }
            let calendar = WireCalendar(schedule: entry.schedule, form: .cron, zone: entry.zone ?? zone)
            do {
                let trigger = try calendar.parsed(at: When.now, in: SystemTimeZones.shared) { $0 }
                for warning in trigger.schedule.warnings { remarks.append(.init(line: entry.line, text: warning)) }
                let name = Self.name(of: entry, source: source, &names)
                submissions.append(
                    Self.submission(entry, WireCalendar(trigger), name: name, source: source, user: user, home: home))
            } catch { refused.append(.init(line: entry.line, text: "\(error)")) }
        }
        refused.sort { $0.line < $1.line }
        remarks.sort { $0.line < $1.line }
    }

    /// The file's name and the command, so that a job is the same one when other lines of the file change.
    private static func name(of entry: Crontab.Entry, source: String, _ names: inout [String: Int]) -> String {
        let file = source.split(separator: "/").last.map(String.init) ?? source
        let command = String(entry.command.map { $0.isASCII && !$0.isNewline && $0 >= " " ? $0 : "?" }.prefix(200))
        let name = "\(file): \(command)"
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
            policies: WirePolicies(missed: "skip", overlap: "allow"), labels: ["crontab": source], conflict: "update")
    }

    /// Whether a job is what the submission would make it.
    func isSame(_ submission: WireSubmission, as job: WireJob) throws -> Bool {
        guard let calendar = submission.trigger.calendar, let other = job.trigger.calendar else { return false }
        func parsed(_ calendar: WireCalendar) throws -> CalendarTrigger {
            try calendar.parsed(at: When.now, in: SystemTimeZones.shared) { $0 }
        }
        let policies = (submission.policies?.missed, submission.policies?.overlap)
        return try parsed(calendar) == parsed(other) && submission.action == job.action
            && policies == (job.policies.missed, Self.plain(job.policies.overlap))
    }

    /// `allow:N` with the default N is `allow`.
    private static func plain(_ policy: String?) -> String? {
        guard let policy, let parsed = try? PolicyText.overlap(policy), parsed == .allow() else { return policy }
        return "allow"
    }
}
