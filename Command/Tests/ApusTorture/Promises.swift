import ApusClient
import ApusJobs
import ApusTimers
import Foundation

/// The record that a command wrote at its beginning, independent of the daemon.
struct Witness {
    var job: String
    var occurrence: Int
    /// The command's beginning in milliseconds since 1970.
    var started: Int
    var due: Int

    static func read(_ path: String) throws -> [Witness] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 4, let occurrence = Int(words[1]), let started = Int(words[2]),
                let due = try? TimeText.parseISO8601(String(words[3]))
            else { return nil }
            return Witness(
                job: String(words[0]), occurrence: occurrence, started: started, due: Int(due.nanoseconds / 1_000_000))
        }
    }
}

/// The promises, checked against the history and the witnesses.
struct Promises {
    let answered: [String: String]
    let violations: [String]
    let summary: String

    init(answered: [String: String], jobs: [WireJob], runs: [WireRun], witnesses: [Witness]) {
        self.answered = answered
        var violations: [String] = []
        let known = Dictionary(grouping: jobs, by: { $0.name ?? "" })
        for (key, id) in answered where !jobs.contains(where: { $0.id == id }) {
            violations.append("job \(id) of submission \(key) was answered and is gone")
        }
        for (key, same) in known where same.count > 1 {
            violations.append("submission \(key) is there \(same.count) times: \(same.map(\.id))")
        }
        let byJob = Dictionary(grouping: runs, by: \.job)
        let witnessed = Dictionary(grouping: witnesses) { "\($0.job) \($0.occurrence)" }
        // A job may occasionally get an ended job's identifier.
        for (id, same) in Dictionary(grouping: jobs, by: \.id) {
            violations += Self.broken(id, same, byJob[id] ?? [], witnessed)
        }
        for witness in witnesses where witness.started < witness.due {
            violations.append(
                "occurrence \(witness.occurrence) of \(witness.job) began \(witness.due - witness.started) ms early")
        }
        self.violations = violations
        let lost = runs.count { $0.outcome == "lost" }
        let skipped = runs.filter { $0.outcome == "skipped" }.reduce(0) { $0 + $1.through - $1.occurrence + 1 }
        summary =
            "\(runs.count { $0.attempt > 0 }) attempts, \(lost) of them lost and tried again, \(skipped) occurrences skipped; "
            + "\(witnesses.count) starts witnessed; \(violations.count) promises broken"
    }

    /// Returns the promises that are broken for the jobs with an identifier.
    ///
    /// Each occurrence has one outcome, and is not recorded as early. An occurrence that succeeded has a witness. No
    /// occurrence fails, or is lost before ten crashes have interrupted it.
    private static func broken(
        _ id: String, _ jobs: [WireJob], _ runs: [WireRun], _ witnessed: [String: [Witness]]
    ) -> [String] {
        var violations: [String] = []
        var outcomes: [Int: Int] = [:]
        for run in runs where run.final {
            for occurrence in run.occurrence...run.through { outcomes[occurrence, default: 0] += 1 }
            if run.outcome == "succeeded", witnessed["\(id) \(run.occurrence)"] == nil {
                violations.append("occurrence \(run.occurrence) of \(id) succeeded and was never begun")
            }
            // An occurrence that ten crashes interrupted is given up, as documented.
            let isGivenUp = run.outcome == "lost" && run.attempt >= 10
            if run.outcome == "failed" || run.outcome == "lost", !isGivenUp {
                violations.append(
                    "occurrence \(run.occurrence) of \(id) ended as \(run.outcome): \(run.reason ?? "")")
            }
        }
        for run in runs {
            if let started = run.started, started < run.due {
                violations.append("occurrence \(run.occurrence) of \(id) is recorded as early")
            }
        }
        let counts = jobs.map { $0.trigger.count ?? 1 }
        for occurrence in 1...(counts.max() ?? 1) {
            let (found, expected) = (outcomes[occurrence] ?? 0, counts.count { $0 >= occurrence })
            if found != expected {
                violations.append("occurrence \(occurrence) of \(id) has \(found) outcomes, not \(expected)")
            }
        }
        return violations
    }
}
