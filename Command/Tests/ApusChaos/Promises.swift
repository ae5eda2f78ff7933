/// The promises of a cluster, checked against the evidence.
struct Promises {
    private(set) var violations: [String] = []
    /// The number of violations of each promise.
    private(set) var counts: [Promise: Int] = [:]

    /// The number of answered submissions that only a lost primary had.
    private(set) var tailLost = 0

    enum Promise: String, CaseIterable {
        /// An answered submission is missing.
        case lost
        /// A run began before it was due by the database's clock.
        case early
        /// A submission, an attempt or an outcome exists twice.
        case twice
        /// A node wrote without owning the shard, a run began after its outcome, or a job lost in a promotion
        /// reappeared.
        case oldEpoch
        /// An occurrence has no outcome.
        case unfinished
        /// An occurrence has an outcome other than its command's.
        case failed
        /// A running node has no share of the shards.
        case stuck
        /// A node has trapped.
        case crashed
    }

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

    /// Checks that each answered job exists once, except jobs that the promoted standby had not received.
    ///
    /// A job that only the lost primary had must not exist.
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

    /// Checks that each occurrence has one outcome, and that a succeeded one began and ended.
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

    /// Checks that no attempt begins early, twice, or after its occurrence's outcome.
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
            // The promoted database does not know the runs that began in this period.
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
