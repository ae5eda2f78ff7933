import ApusCalendar
import ApusClient
import ApusJobs

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The jobs of a crontab.
struct CrontabImport {
    private(set) var jobs: [WireExportedJob] = []
    private(set) var report: ImportReport

    /// The jobs of the crontab of that source (a path, `crontab`, or `-`), for a user.
    init(_ crontab: Crontab, source: String, zone: String, user: String, home: String) {
        report = ImportReport(
            source: source, invalid: crontab.invalid, refused: crontab.refused, remarks: crontab.remarks)
        var names: [String: Int] = [:]
        for entry in crontab.entries {
            if let runs = entry.user, runs != user {
                report.refused.append(.init(line: entry.line, text: "it is run by \(runs); import it as that user"))
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

    /// The file's name and the command.
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
