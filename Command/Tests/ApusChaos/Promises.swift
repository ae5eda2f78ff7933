/// The promises of a cluster, checked against the evidence.
struct Promises {
    private(set) var violations: [String] = []
    /// Each promise, and how often it was broken.
    private(set) var counts: [Promise: Int] = [:]

    /// Answered submissions that only a primary had that is gone.
    private(set) var tailLost = 0

    enum Promise: String, CaseIterable {
        /// What was answered is gone.
        case lost
        /// Something began before it was due, by the database's clock.
        case early
        /// A submission, an attempt or an outcome is there twice.
        case twice
        /// Something was written without owning its shard, or begun after its outcome; or what a promotion has lost
        /// came back.
        case oldEpoch
        /// Something has no outcome.
        case unfinished
        /// Something has an outcome that its command did not give it.
        case failed
        /// A node that runs has no share of the shards.
        case stuck
        /// A node has met a trap.
        case crashed
    }

    /// An occurrence of a job.
    private struct Occurrence: Hashable {
        var job: String
        var number: Int
    }

    private struct Attempt: Hashable {
        var occurrence: Occurrence
        var number: Int
    }

    let evidence: Evidence

    init(_ evidence: Evidence) {
        self.evidence = evidence
        checkJobs(evidence)
        checkOutcomes(evidence)
        checkStarts(evidence)
        for stranger in evidence.strangers { broken(.oldEpoch, "written without owning the shard: \(stranger)") }
    }

    mutating func broken(_ promise: Promise, _ text: String) {
        counts[promise, default: 0] += 1
        violations.append("\(promise.rawValue): \(text)")
    }

    /// What was answered is there, and once; except for what the primary answered that is gone, and the standby that
    /// was promoted had not got: that is not there.
    private mutating func checkJobs(_ evidence: Evidence) {
        let stored = Dictionary(grouping: evidence.jobs) { $0.name ?? "" }
        for record in evidence.records {
            let name = record.submission.name
            let found = stored[name]?.count ?? 0
            let tail = evidence.tails.first { $0.names.contains(name) }
            if let answered = record.answered, found == 0 {
                if tail != nil {
                    tailLost += 1
                } else {
                    broken(.lost, "\(name) was answered by \(record.node) at \(answered) and is gone")
                }
            }
            if found > 1 { broken(.twice, "\(name) is there \(found) times") }
            if let tail, let answered = record.answered, answered < tail.ended, found > 0 {
                broken(.oldEpoch, "\(name) was lost by a promotion, and is there")
            }
        }
    }

    /// Each occurrence has one outcome, and one that succeeded was begun and ended.
    private mutating func checkOutcomes(_ evidence: Evidence) {
        let submissions = Dictionary(
            uniqueKeysWithValues: evidence.records.map { ($0.submission.name, $0.submission) })
        var done: Set<Attempt> = []
        for effect in evidence.effects where !effect.isStart { done.insert(Self.attempt(effect)) }
        let runs = Dictionary(grouping: evidence.runs) { $0.name ?? "" }
        for job in evidence.jobs {
            guard let name = job.name, let submission = submissions[name] else {
                broken(.twice, "\(job.name ?? "a job without a name") was not submitted")
                continue
            }
            var outcomes: [Int: Int] = [:]
            for run in runs[name] ?? [] where run.final {
                for number in run.occurrence...max(run.occurrence, run.through) {
                    outcomes[number, default: 0] += 1
                }
                let attempt = Attempt(
                    occurrence: Occurrence(job: name, number: run.occurrence), number: run.attempt)
                if run.state == "succeeded", !done.contains(attempt) {
                    broken(.twice, "\(name) occurrence \(run.occurrence) succeeded and was never run")
                }
                if run.state != "succeeded", run.state != "skipped" {
                    broken(
                        .failed,
                        "\(name) occurrence \(run.occurrence) attempt \(run.attempt) ended as \(run.state): "
                            + (run.reason ?? "no reason"))
                }
            }
            for number in 1...submission.occurrences {
                let count = outcomes.removeValue(forKey: number) ?? 0
                if count == 0 {
                    broken(.unfinished, "\(name) (\(job.state)) occurrence \(number) has no outcome")
                }
                if count > 1 { broken(.twice, "\(name) occurrence \(number) has \(count) outcomes") }
            }
            for (number, _) in outcomes {
                broken(.twice, "\(name) has no occurrence \(number), and an outcome of it")
            }
        }
    }

    private static func attempt(_ effect: Evidence.Effect) -> Attempt {
        Attempt(occurrence: Occurrence(job: effect.job, number: effect.occurrence), number: effect.attempt)
    }

    /// No attempt begins early or twice, and none after its occurrence's outcome.
    private mutating func checkStarts(_ evidence: Evidence) {
        let records = Dictionary(uniqueKeysWithValues: evidence.records.map { ($0.submission.name, $0) })
        var finals: [Occurrence: Int] = [:]
        for run in evidence.runs where run.final {
            finals[Occurrence(job: run.name ?? "", number: run.occurrence)] = run.attempt
        }
        var begun: [Attempt: String] = [:]
        for effect in evidence.effects.sorted(by: { $0.instant < $1.instant }) where effect.isStart {
            let node = effect.node ?? "a node that was dead"
            let what = "\(effect.job) occurrence \(effect.occurrence) attempt \(effect.attempt) on \(node)"
            guard let record = records[effect.job] else {
                broken(.twice, "\(what) was not submitted")
                continue
            }
            let due = record.submission.due(effect.occurrence, sent: record.sent)
            if effect.instant < due {
                broken(.early, "\(what) began \(Double(due - effect.instant) / 1e6) ms early")
            }
            // The database knows nothing of what was begun meanwhile.
            if evidence.tails.contains(where: { $0.began...$0.ended ~= effect.instant }) { continue }
            if let other = begun.updateValue(node, forKey: Self.attempt(effect)) {
                broken(.twice, "\(what) had begun on \(other)")
            }
            let final = finals[Occurrence(job: effect.job, number: effect.occurrence)]
            if let final, final < effect.attempt {
                broken(.oldEpoch, "\(what) began, and attempt \(final) is the outcome")
            }
        }
    }
}
