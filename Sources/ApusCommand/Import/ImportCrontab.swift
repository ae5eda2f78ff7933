import ApusCalendar
import ApusDaemon
import ApusJobs
import ArgumentParser
import Foundation

struct ImportCrontab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crontab",
        abstract: "Create a job for each line of a crontab.",
        discussion: """
            As cron does, the jobs run in the user's home with cron's few variables, miss what was due while nothing ran, and \
            may overlap. A job is known again by its file and command: a second import changes what has changed, and \
            prints which jobs are no longer in the file. Of a system's crontab only the lines of the user who imports it \
            are taken.
            """)

    @Argument(help: "The file, or - for standard input (default: what crontab -l prints).")
    var file: String?

    @Flag(help: "The sixth field is a user; assumed for /etc/crontab and the files in /etc/cron.d.")
    var system = false

    @Flag(help: "Print what would be done, and do nothing.")
    var dryRun = false

    @Flag(help: "Cancel jobs of an earlier import whose lines are gone.")
    var prune = false

    @Option(help: ArgumentHelp("The zone of the schedules (default: the system's).", valueName: "zone"))
    var tz: String?

    @Flag(help: "Print what was done as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let (text, source) = try contents()
            let isSystem = system || source == "/etc/crontab" || source.hasPrefix("/etc/cron.d/")
            let plan = try CrontabImport(
                Crontab(text, isSystem: isSystem), source: source, zone: tz ?? SystemTimeZones.shared.local.name,
                user: NSUserName(), home: NSHomeDirectory())
            var report = ImportReport(refused: plan.refused, remarks: plan.remarks, isDryRun: dryRun)
            let known = try await Session().call { try await $0.allJobs(labels: [plan.label]) }
            for submission in plan.submissions {
                let earlier = known.first { $0.name == submission.name }
                let isSame = try earlier.map { try plan.isSame(submission, as: $0) } ?? false
                let job = dryRun || isSame ? earlier : try await Session().call { try await $0.submit(submission) }
                report.jobs.append(
                    ImportedJob(
                        outcome: isSame ? .unchanged : earlier == nil ? .created : .changed, id: job?.id,
                        name: submission.name, schedule: When.trigger(submission.trigger),
                        action: submission.action.text))
            }
            let names = Set(plan.submissions.map(\.name))
            for job in known where !names.contains(job.name) {
                if prune, !dryRun { _ = try await Session().call { try await $0.cancel(job.id) } }
                report.jobs.append(
                    ImportedJob(
                        outcome: prune ? .cancelled : .gone, id: job.id, name: job.name,
                        schedule: When.trigger(job.trigger), action: job.action.text))
            }
            try report.print(json: json)
        }
    }

    private func contents() throws -> (text: String, source: String) {
        guard let file else {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["crontab", "-l"]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw ValidationError("crontab -l failed; name a file, or - for standard input")
            }
            return (String(decoding: data, as: UTF8.self), "crontab")
        }
        let data = try InputFile(file).contents()
        let source = file == "-" ? "-" : URL(fileURLWithPath: file).standardizedFileURL.path
        return (String(decoding: data, as: UTF8.self), source)
    }
}
