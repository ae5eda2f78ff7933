#if Postgres
    /// The promises of a cluster, checked against the evidence.
    struct Promises {
        private(set) var violations: [String] = []
        /// Each promise, and how often it was broken.
        private(set) var counts: [Promise: Int] = [:]

        enum Promise: String, CaseIterable {
            case lost, unfinished, doubled, early, stale, failed
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

        init(_ evidence: Evidence) {
            checkJobs(evidence)
            checkOutcomes(evidence)
            checkStarts(evidence)
            for stranger in evidence.strangers { broken(.stale, "written without owning the shard: \(stranger)") }
        }

        private mutating func broken(_ promise: Promise, _ text: String) {
            counts[promise, default: 0] += 1
            violations.append("\(promise.rawValue): \(text)")
        }

        /// What was answered is there, and once.
        private mutating func checkJobs(_ evidence: Evidence) {
            let stored = Dictionary(grouping: evidence.jobs, by: \.id)
            for record in evidence.records {
                let found = stored[record.submission.id]?.count ?? 0
                if record.answered != nil, found == 0 {
                    broken(.lost, "\(record.submission.id) was answered by \(record.node) and is gone")
                }
                if found > 1 { broken(.doubled, "\(record.submission.id) is there \(found) times") }
            }
        }

        /// Each occurrence has one outcome, and one that succeeded was begun and ended.
        private mutating func checkOutcomes(_ evidence: Evidence) {
            let submissions = Dictionary(
                uniqueKeysWithValues: evidence.records.map { ($0.submission.id, $0.submission) })
            var done: Set<Attempt> = []
            for effect in evidence.effects where !effect.isStart { done.insert(Self.attempt(effect)) }
            let runs = Dictionary(grouping: evidence.runs, by: \.id)
            for job in evidence.jobs {
                guard let submission = submissions[job.id] else {
                    broken(.doubled, "nobody has submitted \(job.id)")
                    continue
                }
                var outcomes: [Int: Int] = [:]
                for run in runs[job.id] ?? [] where run.final {
                    for number in run.occurrence...max(run.occurrence, run.through) {
                        outcomes[number, default: 0] += 1
                    }
                    let attempt = Attempt(
                        occurrence: Occurrence(job: job.id, number: run.occurrence), number: run.attempt)
                    if run.state == "succeeded", !done.contains(attempt) {
                        broken(.doubled, "\(job.id) occurrence \(run.occurrence) succeeded and was never run")
                    }
                    if run.state != "succeeded", run.state != "skipped" {
                        broken(
                            .failed,
                            "\(job.id) occurrence \(run.occurrence) attempt \(run.attempt) ended as \(run.state): "
                                + (run.reason ?? "no reason"))
                    }
                }
                for number in 1...submission.occurrences {
                    let count = outcomes.removeValue(forKey: number) ?? 0
                    if count == 0 {
                        broken(.unfinished, "\(job.id) (\(job.state)) occurrence \(number) has no outcome")
                    }
                    if count > 1 { broken(.doubled, "\(job.id) occurrence \(number) has \(count) outcomes") }
                }
                for (number, _) in outcomes {
                    broken(.doubled, "\(job.id) has no occurrence \(number), and an outcome of it")
                }
            }
        }

        private static func attempt(_ effect: Evidence.Effect) -> Attempt {
            Attempt(occurrence: Occurrence(job: effect.job, number: effect.occurrence), number: effect.attempt)
        }

        /// No attempt begins early or twice, and none after its occurrence's outcome.
        private mutating func checkStarts(_ evidence: Evidence) {
            let records = Dictionary(uniqueKeysWithValues: evidence.records.map { ($0.submission.id, $0) })
            var finals: [Occurrence: Int] = [:]
            for run in evidence.runs where run.final {
                finals[Occurrence(job: run.id, number: run.occurrence)] = run.attempt
            }
            var begun: [Attempt: String] = [:]
            for effect in evidence.effects where effect.isStart {
                let what = "\(effect.job) occurrence \(effect.occurrence) attempt \(effect.attempt) on \(effect.node)"
                guard let record = records[effect.job] else {
                    broken(.doubled, "\(what) was not submitted")
                    continue
                }
                let due = record.submission.due(effect.occurrence, sent: record.sent)
                if effect.instant < due {
                    broken(.early, "\(what) began \(Double(due - effect.instant) / 1e6) ms early")
                }
                if let other = begun.updateValue(effect.node, forKey: Self.attempt(effect)) {
                    broken(.doubled, "\(what) had begun on \(other)")
                }
                let final = finals[Occurrence(job: effect.job, number: effect.occurrence)]
                if let final, final < effect.attempt {
                    broken(.stale, "\(what) began, and attempt \(final) is the outcome")
                }
            }
        }
    }
#endif
