import ApusCalendar
import ApusClient
import ApusCommand
import ApusDaemon
import ApusJobs
import ApusSQLite
import ApusTimers
import ArgumentParser
import Foundation

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine what jobs need: home, disk, clock, zones, store, daemon, and what keeps jobs from running.",
        discussion: """
            It starts no daemon and changes nothing. Exit code 0 if nothing is wrong, 1 if something is; a dash marks \
            what is only worth knowing.
            """)

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let findings = await Examination(environment: ProcessEnvironment.current.variables).findings()
            let isWell = findings.allSatisfy { $0.status != .problem }
            if json {
                try Terminal.json(Report(ok: isWell, checks: findings))
            } else {
                let width = findings.map(\.check.count).max() ?? 0
                for finding in findings {
                    let padding = String(repeating: " ", count: width - finding.check.count)
                    Terminal.out("\(finding.mark) \(Colour.bold(finding.check + padding))  \(finding.text)")
                }
            }
            if !isWell { throw ExitCode(1) }
        }
    }

    private struct Report: Encodable {
        var ok: Bool
        var checks: [Finding]
    }

    struct Finding: Encodable {
        enum Status: String, Encodable {
            case ok, note, problem
        }
        var check: String
        var status: Status
        /// A description of the state, and the remedy.
        var text: String

        fileprivate var mark: TerminalText {
            switch status {
            case .ok: Colour.green("✓")
            case .note: Colour.yellow("-")
            case .problem: Colour.red("✗")
            }
        }
    }
}

/// The checks, which run one after another and change nothing.
private struct Examination {
    typealias Finding = Doctor.Finding

    let environment: [String: String]

    func findings() async -> [Finding] {
        let home: Home
        do { home = try Home(environment: environment) } catch {
            return [Finding(check: "home", status: .problem, text: "\(error)")]
        }
        var findings = [folder(home), disk(home), clock(), zones()]
        let settings: Settings
        do {
            settings = try Settings(environment: environment)
            findings.append(configuration(settings))
            findings += SettingKey.unknownVariables(in: environment).map {
                Finding(check: "settings", status: .note, text: "\($0)")
            }
            _ = try DaemonSettings(settings, home: home)
        } catch {
            return findings + [Finding(check: "settings", status: .problem, text: "\(error)")]
        }
        findings += await store(settings, home)
        findings += await daemon(home, settings.file)
        if let unit = await unit() { findings.append(unit) }
        return findings
    }

    private func folder(_ home: Home) -> Finding {
        do {
            guard try home.examine() else {
                return Finding(
                    check: "home", status: .note, text: "\(home.path) does not exist yet; the first job creates it")
            }
            return Finding(check: "home", status: .ok, text: "\(home.path), accessible to you alone")
        } catch {
            return Finding(check: "home", status: .problem, text: "\(error)")
        }
    }

    /// The free space of a disk, in bytes, below which the finding is a note (`littleSpace`) or a problem (`noSpace`).
    ///
    /// A busy daemon can use up this much space within hours.
    private static let (littleSpace, noSpace): (UInt64, UInt64) = (1 << 30, 64 << 20)

    private func disk(_ home: Home) -> Finding {
        // While the home does not exist, the nearest folder above it is examined.
        var path = home.path
        while !FileManager.default.fileExists(atPath: path), let slash = path.unicodeScalars.lastIndex(of: "/"),
            path.utf8.count > 1
        {
            path = slash == path.startIndex ? "/" : String(path.unicodeScalars[..<slash])
        }
        var info = statvfs()
        guard statvfs(path, &info) == 0 else {
            return Finding(check: "disk", status: .problem, text: "\(path): \(String(cString: strerror(errno)))")
        }
        let free = UInt64(info.f_bavail) * UInt64(info.f_frsize)
        let text = "\(SizeText.format(free)) free at \(path)"
        if free < Self.noSpace {
            return Finding(
                check: "disk", status: .problem,
                text: text + "; submissions are refused when the disk is full: free some space")
        }
        return Finding(check: "disk", status: free < Self.littleSpace ? .note : .ok, text: text)
    }

    private func clock() -> Finding {
        let now = When.now
        // Apus did not exist before 2025, so an earlier time is wrong.
        guard now.nanoseconds > 1_735_689_600_000_000_000 else {
            return Finding(
                check: "clock", status: .problem, text: "it shows \(now.iso8601), which is in the past: set the clock")
        }
        return Finding(check: "clock", status: .ok, text: now.iso8601)
    }

    private func zones() -> Finding {
        let name = SystemTimeZones.shared.local.name
        do {
            _ = try TimeText.zone(named: "Europe/Berlin")
            _ = try WireCalendar(schedule: "every day at 9:00", form: .words, zone: name)
                .parsed(at: When.now, in: SystemTimeZones.shared) { $0 }
        } catch {
            return Finding(
                check: "zones", status: .problem,
                text:
                    "the rules of time zones, which schedules need, are missing: install tzdata, or set TZDIR (\(error))"
            )
        }
        if let given = environment["TZ"], !given.isEmpty, name == "UTC", !given.hasSuffix("UTC") {
            return Finding(
                check: "zones", status: .note,
                text:
                    "TZ is \"\(given)\", which is not a time zone here, so the zone is UTC: set TZ to a zone such as Europe/Berlin"
            )
        }
        return Finding(check: "zones", status: .ok, text: "the zone is \(name)")
    }

    private func configuration(_ settings: Settings) -> Finding {
        let named = SettingKey.allCases.filter { settings[$0]?.origin == .environment }.map(\.variable)
        let variables = named.isEmpty ? "" : "; in the environment: \(named.joined(separator: ", "))"
        guard settings.file.isPresent, let path = settings.file.path else {
            let place = settings.file.path.map { " at \($0)" } ?? ""
            return Finding(check: "settings", status: .ok, text: "no configuration file\(place)\(variables)")
        }
        return Finding(check: "settings", status: .ok, text: path + variables)
    }

    private func store(_ settings: Settings, _ home: Home) async -> [Finding] {
        do {
            let location = try StoreLocation(settings, home: home)
            var findings: [Finding] = []
            if location.isFile {
                findings.append(library())
                guard FileManager.default.fileExists(atPath: location.description) else {
                    return findings + [
                        Finding(
                            check: "store", status: .note,
                            text: "\(location) does not exist yet; the first job creates it")
                    ]
                }
            }
            let status = try await location.inspection.status()
            let count = status.jobs.values.reduce(0, +)
            let jobs = "\(jobCount(count)), \(SizeText.format(UInt64(status.bytes)))"
            guard status.schema <= status.newestSchema else {
                return findings + [
                    Finding(
                        check: "store", status: .problem,
                        text:
                            "\(location) has schema \(status.schema), and this apus reads up to \(status.newestSchema): update apus"
                    )
                ]
            }
            return findings + [Finding(check: "store", status: .ok, text: "\(location), \(jobs)")] + leftOut(status)
        } catch {
            return [Finding(check: "store", status: .problem, text: "\(error)")]
        }
    }

    /// Returns findings about jobs that cannot be read, and about submissions that could not become jobs.
    private func leftOut(_ status: StoreStatus) -> [Finding] {
        var findings: [Finding] = []
        if status.setAsideCount > 0 {
            let named = status.setAside.prefix(3).map { "\($0.id) (\($0.problem))" }
            let rest = status.setAsideCount > named.count ? ["…"] : []
            findings.append(
                Finding(
                    check: "jobs", status: .problem,
                    text: "\(jobCount(status.setAsideCount)) that cannot be read: "
                        + "\((named + rest).joined(separator: ", ")); update apus if a newer version has written them; "
                        + "otherwise repair their rows (apus store check), and restart the daemon"))
        }
        if status.refusals > 0 {
            findings.append(
                Finding(
                    check: "jobs", status: .note,
                    text:
                        "\(status.refusals) refused \(status.refusals == 1 ? "submission" : "submissions") of applications: apus list --refused"
                ))
        }
        return findings
    }

    private func library() -> Finding {
        let library = SQLiteLibrary.linked
        guard library.mayLosePages else { return Finding(check: "SQLite", status: .ok, text: library.version) }
        return Finding(
            check: "SQLite", status: .note,
            text:
                "\(library.version): before 3.51.3, and without a distribution's fix, a file that two programs write can lose pages (https://sqlite.org/wal.html#walresetbug); this affects only programs with their own tables in the jobs' file"
        )
    }

    private func daemon(_ home: Home, _ file: ConfigurationFile) async -> [Finding] {
        let client = DaemonClient(home: home, patience: .seconds(10))
        do {
            let health = try await client.health()
            guard health.version == ApusVersion.current else {
                return [
                    Finding(
                        check: "daemon", status: .problem,
                        text:
                            "process \(health.pid) has version \(health.version), and this is \(ApusVersion.current): use apus stop, and the next command starts the new version"
                    )
                ]
            }
            let answers = Finding(
                check: "daemon", status: .ok, text: "process \(health.pid), version \(health.version), answers")
            return [answers] + troubles(of: health) + inherited(from: health) + stale(health, file)
                + (try await obstacles(client))
        } catch let error as DaemonError where error.code == .notRunning {
            return [
                Finding(
                    check: "daemon", status: .note,
                    text: "none is running; the first command that needs one starts it, and until then no job runs")
            ]
        } catch {
            return [Finding(check: "daemon", status: .problem, text: "\(error)")]
        }
    }

    /// Returns the problems that keep the daemon itself from its work.
    private func troubles(of daemon: WireHealth) -> [Finding] {
        var findings: [Finding] = []
        if let problem = daemon.problem {
            let since = daemon.problemSince.map { " since \(When.local($0))" } ?? ""
            findings.append(
                Finding(
                    check: "daemon", status: .problem,
                    text: "its store cannot be used\(since), and nothing starts until it can: \(problem)"))
        }
        if daemon.stuck > 0 {
            findings.append(
                Finding(
                    check: "commands", status: .problem,
                    text: "\(daemon.stuck) \(daemon.stuck == 1 ? "was" : "were") cancelled and "
                        + "\(daemon.stuck == 1 ? "has" : "have") not ended: apus why shows the state of the job"))
        }
        return findings
    }

    private func inherited(from daemon: WireHealth) -> [Finding] {
        let differences = InheritedLimits.differences(of: daemon.pid)
        guard !differences.isEmpty else { return [] }
        return [
            Finding(
                check: "commands", status: .note,
                text:
                    "they inherit \(differences.joined(separator: ", ")) from what started the daemon: use apus stop, and "
                    + "start it from a shell without these limits, or with systemd (apus install)")
        ]
    }

    /// Returns a note if the settings were changed after the daemon read them.
    private func stale(_ health: WireHealth, _ file: ConfigurationFile) -> [Finding] {
        guard let path = file.path, let changed = file.changed,
            let started = try? TimeText.parseISO8601(health.started),
            Int64(changed) > started.nanoseconds / 1_000_000_000
        else { return [] }
        return [
            Finding(
                check: "settings", status: .note,
                text:
                    "\(path) was changed after the daemon started: use apus stop, and the next command starts a daemon that reads it"
            )
        ]
    }

    /// The number of jobs with a finding, and the first three of these jobs.
    private struct Concerned {
        private(set) var count = 0
        private(set) var first: [WireJob] = []

        mutating func add(_ job: WireJob) {
            count += 1
            if first.count < 3 { first.append(job) }
        }
    }

    /// Returns findings about due jobs that do not run, and about jobs that fail.
    private func obstacles(_ client: DaemonClient) async throws -> [Finding] {
        let open = ["scheduled", "suspended"]
        var findings: [Finding] = []
        func note(_ count: Int, _ concerned: [WireJob], _ text: String, _ status: Finding.Status = .note) {
            guard !concerned.isEmpty else { return }
            let names = concerned.prefix(3).map { $0.name ?? $0.id } + (count > 3 ? ["…"] : [])
            findings.append(
                Finding(
                    check: "jobs", status: status, text: "\(count) \(text): \(names.joined(separator: ", "))"))
        }
        var zoneless: [String: Concerned] = [:]
        var (parked, held) = (Concerned(), Concerned())
        var after: String?
        repeat {
            let page = try await client.obstructedJobs(limit: 1_000, after: after)
            for job in page.jobs {
                if let zone = job.trigger.calendar?.zone { zoneless[zone, default: Concerned()].add(job) }
                if job.parked { parked.add(job) }
                if job.waitingFor != nil { held.add(job) }
            }
            after = page.next
        } while after != nil
        for (zone, jobs) in zoneless.sorted(by: { $0.key < $1.key })
        where (try? SystemTimeZones.shared.zone(zone)) == nil {
            note(
                jobs.count, jobs.first,
                "unable to run, because the time zone \(zone) is missing (install tzdata, or use apus edit --tz)",
                .problem)
        }
        note(parked.count, parked.first, "waiting for a program with the right handler")
        note(held.count, held.first, "due, and waiting for network, power or an idle machine")
        let suspended = try await client.jobCount(states: ["suspended"])
        note(suspended, try await client.jobs(states: ["suspended"], lastRun: false, limit: 3).jobs, "suspended")
        let failing = try await client.jobCount(states: open, failed: true)
        note(
            failing, try await client.jobs(states: open, failed: true, lastRun: false, limit: 3).jobs,
            "failed the last time")
        for queue in try await client.queues().queues where queue.paused {
            findings.append(
                Finding(
                    check: "queues", status: .note,
                    text:
                        "\(queue.name) is paused, and \(queue.waiting) of its jobs wait: apus queue resume \(queue.name)"
                ))
        }
        guard findings.isEmpty else { return findings }
        let count = try await client.jobCount(states: open)
        let text = count == 0 ? "none is scheduled" : "nothing keeps \(jobCount(count)) from running"
        return [Finding(check: "jobs", status: .ok, text: text)]
    }

    private func unit() async -> Finding? {
        // If `APUS_HOME` is set, there is no service, because the unit belongs to the default home.
        guard let service = UserService(environment: environment) else { return nil }
        guard await service.isEnabled() else {
            return Finding(check: "unit", status: .note, text: Self.remedy(UnitFiles(environment: environment).used()))
        }
        return Finding(check: "unit", status: .ok, text: "\(UserService.unit) is enabled")
    }

    /// Returns why systemd does not start the daemon, and the commands that change this.
    private static func remedy(_ unit: UnitFiles.File?) -> String {
        guard let unit else {
            return "no enabled systemd unit starts the daemon at login or with the machine: use apus install"
        }
        let enable = "systemctl --user enable --now apus"
        if unit.isMasked { return "\(unit.path) masks the unit: use systemctl --user unmask apus, then \(enable)" }
        let program = ProgramPath.of("apus")
        guard let started = unit.program, !isSameFile(started, program) else {
            return
                "\(unit.path) is not enabled, so nothing starts the daemon at login or with the machine: use \(enable)"
        }
        return
            "\(unit.path) is not enabled, and starts \(started): use \(enable), or apus install for a unit that starts \(program)"
    }

    private static func isSameFile(_ one: String, _ other: String) -> Bool {
        URL(filePath: one).resolvingSymlinksInPath() == URL(filePath: other).resolvingSymlinksInPath()
    }
}

/// The attributes that commands inherit from the daemon, and that the daemon inherits from its own parent.
///
/// They are the niceness, the processors, the resource limits and the adjustment for the OOM killer.
enum InheritedLimits {
    /// Returns, in words, the attributes that differ from the defaults of a process.
    ///
    /// The attributes are read from `/proc` (proc(5)); on systems without `/proc`, the result is empty.
    static func differences(of process: Int32) -> [String] {
        func content(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        func value(of name: String, in file: String) -> String? {
            let scalars = content("/proc/\(process)/\(file)").unicodeScalars
            let line = scalars.split(separator: "\n").map(String.init).first { $0.hasPrefix(name) }
            return line?.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first.map(String.init)
        }
        var found: [String] = []
        // The niceness is the 19th field; the second is the program's name in parentheses, which may contain spaces.
        let scalars = content("/proc/\(process)/stat").unicodeScalars
        let fields = scalars.split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
        if fields.count > 16, fields[16] != "0" { found.append("niceness \(fields[16])") }
        let online = content("/sys/devices/system/cpu/online").trimmingCharacters(in: .whitespacesAndNewlines)
        if let allowed = value(of: "Cpus_allowed_list:", in: "status"), !online.isEmpty, allowed != online {
            found.append("the processors \(allowed) of \(online)")
        }
        if let adjustment = value(of: "", in: "oom_score_adj"), adjustment != "0" {
            found.append("oom_score_adj \(adjustment)")
        }
        for name in ["cpu time", "file size", "data size", "resident set", "address space"] {
            guard let limit = value(of: "Max \(name)", in: "limits"), limit != "unlimited" else { continue }
            found.append("the limit \(limit) of \(name)")
        }
        return found
    }
}
