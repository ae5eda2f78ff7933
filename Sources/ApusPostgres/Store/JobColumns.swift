#if Postgres
    import ApusJobs
    import ApusTimers

    /// The columns of a job in writing and reading order.
    enum JobColumns {
        /// The columns that each run changes; parameters: ``addProgress(_:_:to:)``.
        static let progress = [
            "state", "updated", "first", "origin", "next_occurrence", "next_due", "due_note", "remainder",
            "occurrences", "missed",
            "wake", "elapsed_wake", "open_runs", "runs_since_retired", "kept_until",
        ]
        /// The columns of the request; parameters: ``addRequest(of:to:)``.
        static let request = [
            "name", "kind", "trigger", "trigger_ns", "trigger_anchor", "trigger_count", "trigger_calendar", "tolerance",
            "missed_runs",
            "missed_limit", "grace", "expiry", "overlap", "overlap_limit", "maximum_attempts", "maximum_lost",
            "initial_backoff",
            "maximum_backoff", "jitter", "time_limit", "conditions", "retention", "labels", "payload", "queue",
            "priority",
            "fairness_key", "key_group", "idempotency_key", "metadata", "unique_payload", "unique_within",
            "unique_key",
        ]

        static let table = "apus.job AS j JOIN apus.request AS r ON r.job = j.key"

        /// The columns of ``table`` that ``read(_:_:)`` reads.
        static let selected =
            (["j.key", "j.shard", "j.version", "j.id", "j.created"] + request.map { "r.\($0)" }
            + progress.map { "j.\($0)" }).joined(separator: ", ")

        /// The SQL expression for the lane of a request, in the form of `QueueLane.stored`.
        static let lane =
            "r.priority || ' ' || r.conditions || coalesce('.' || r.key_group, '') || ' ' || r.queue || ' ' || r.kind"

        /// The lane of a job without a request; no program can read such a job.
        static let laneWithoutRequest = "2 0 default "

        /// The labels of a request as JSON; null if they are invalid.
        ///
        /// Most jobs have no labels, so the parser is not called for them.
        static let labels = "CASE WHEN r.labels = '{}' THEN '{}'::jsonb ELSE apus.json(r.labels) END"

        /// Returns the expression for the value that makes a request of `table` unique: its key, or else a hash of its
        /// payload.
        ///
        /// A key has the prefix `k`, which no hash has, so a key never equals a hash. The indexes of
        /// `StoreSchema.version7` have the same expression, because PostgreSQL uses them only for queries that contain
        /// it.
        static func content(_ table: String) -> String {
            "coalesce('k' || \(table).unique_key, encode(sha256(\(table).payload), 'hex'))"
        }

        static let hasNotEnded = "j.state IN ('scheduled', 'suspended')"

        static func addProgress(_ job: Job, _ axis: ElapsedAxis, to rows: inout RowArrays) {
            let isRelative = job.isTriggerRelative
            func stored(_ instant: WallInstant) -> Int64 {
                isRelative ? axis.encode(instant) : StoreInstant.encode(instant)
            }
            rows.add(job.state.rawValue)
            rows.add(StoreInstant.encode(job.updated))
            rows.add(stored(job.firstDue))
            rows.add(job.bookkeeping.origin)
            rows.add(job.nextOccurrence)
            rows.add(job.nextDue.map(stored))
            rows.add(job.dueNote?.rawValue)
            rows.add(job.remainder?.wholeNanoseconds)
            rows.add(job.occurrenceCount)
            rows.add(job.missedCount)
            rows.add(job.bookkeeping.wake.map(StoreInstant.encode))
            rows.add(job.bookkeeping.elapsedWake.map(axis.encode))
            rows.add(job.openRunCount)
            rows.add(job.bookkeeping.runsSinceRetired)
            rows.add(job.keptUntil.map(StoreInstant.encode))
        }

        static func addRequest(of job: Job, to rows: inout RowArrays) {
            let request = job.request
            rows.add(request.name)
            rows.add(request.kind)
            add(request.trigger, to: &rows)
            add(request.policies, to: &rows)
            rows.add(LabelsJSON.encode(request.labels))
            rows.add(request.payload)
            rows.add(request.queue.rawValue)
            rows.add(request.priority.rawValue)
            rows.add(request.fairnessKey)
            rows.add(request.keyGroup)
            rows.add(request.idempotencyKey)
            rows.add(LabelsJSON.encode(request.metadata))
            rows.add(uniqueness(of: job))
            rows.add(request.uniqueness.period?.wholeNanoseconds)
            rows.add(request.uniqueness.key)
        }

        /// Returns 0 for a job that is not unique by its content; for others, 1 before their end, and 2 afterwards.
        static func uniqueness(of job: Job) -> Int {
            job.countsContent ? (job.state.isFinal ? 2 : 1) : 0
        }

        private static func add(_ trigger: Trigger, to rows: inout RowArrays) {
            switch trigger.kind {
            case .at(let instant):
                rows.add("at")
                rows.add(StoreInstant.encode(instant))
                rows.add(nil as Int64?)
                rows.add(nil as Int64?)
                rows.add(nil as String?)
            case .after(let duration):
                rows.add("after")
                rows.add(duration.wholeNanoseconds)
                rows.add(nil as Int64?)
                rows.add(nil as Int64?)
                rows.add(nil as String?)
            case .every(let interval, let anchor, let count):
                rows.add("every")
                rows.add(interval.wholeNanoseconds)
                rows.add(anchor.map(StoreInstant.encode))
                rows.add(count)
                rows.add(nil as String?)
            case .calendar(let calendar):
                rows.add("calendar")
                rows.add(0 as Int64)
                rows.add(nil as Int64?)
                rows.add(nil as Int64?)
                rows.add(calendar.stored)
            }
        }

        private static func add(_ policies: JobPolicies, to rows: inout RowArrays) {
            rows.add(policies.tolerance.wholeNanoseconds)
            let (missed, missedLimit): (String, Int?) =
                switch policies.missedRuns.kind {
                case .runOnce: ("runOnce", nil)
                case .skip: ("skip", nil)
                case .runAll(let limit): ("runAll", limit)
                }
            rows.add(missed)
            rows.add(missedLimit)
            rows.add(policies.grace?.wholeNanoseconds)
            rows.add(policies.expiry?.wholeNanoseconds)
            let (overlap, overlapLimit): (String, Int?) =
                switch policies.overlap.kind {
                case .skip: ("skip", nil)
                case .replace: ("replace", nil)
                case .queue(let limit): ("queue", limit)
                case .allow(let limit): ("allow", limit)
                }
            rows.add(overlap)
            rows.add(overlapLimit)
            let retry = policies.retry
            rows.add(retry.maximumAttempts)
            rows.add(retry.maximumLost)
            rows.add(retry.initialDelay.wholeNanoseconds)
            rows.add(retry.maximumDelay.wholeNanoseconds)
            rows.add(retry.jitter)
            rows.add(policies.timeLimit?.wholeNanoseconds)
            rows.add(Int64(policies.conditions.rawValue))
            rows.add(policies.retention?.wholeNanoseconds)
        }

        // MARK: Reading

        /// Reads the job of a row of ``selected``, and its shard.
        ///
        /// - Throws: ``UnreadableJob``, ``PostgresError``.
        static func read(_ row: inout RowReader, _ axis: ElapsedAxis) throws -> (job: Job, shard: ShardID) {
            let key: Int64 = try row.next()
            let shard = ShardID(rawValue: try row.int())
            let version: Int64 = try row.next()
            let id = JobID(try row.next())
            do {
                let job = try read(&row, axis, key: key, version: version, id)
                try job.checkStored()
                return (job, shard)
            } catch let problem as StoredProblem {
                throw UnreadableJob(key: key, id: id, shard: shard, problem: problem.text)
            }
        }

        private static func read(
            _ row: inout RowReader, _ axis: ElapsedAxis, key: Int64, version: Int64, _ id: JobID
        ) throws -> Job {
            let created = StoreInstant.decode(try row.next())
            let request = try readRequest(&row, id)
            guard let state = JobState(rawValue: try row.next()) else { throw StoredProblem.unknown("state") }
            let decode = request.trigger.isRelative ? axis.decode : StoreInstant.decode
            return Job(
                request: request, key: key, version: version, state: state, created: created,
                updated: StoreInstant.decode(try row.next()), firstDue: decode(try row.next()), origin: try row.int(),
                nextOccurrence: try row.int(), nextDue: try row.optional(Int64.self).map(decode),
                dueNote: try row.optional(String.self).map(DueNote.init),
                remainder: try row.optionalDuration(), occurrenceCount: try row.int(), missedCount: try row.int(),
                wake: try row.optional(Int64.self).map(StoreInstant.decode),
                elapsedWake: try row.optional(Int64.self).map(axis.decode), openRunCount: try row.int(),
                runsSinceRetired: try row.int(),
                keptUntil: try row.optional(Int64.self).map(StoreInstant.decode))
        }

        private static func readRequest(_ row: inout RowReader, _ id: JobID) throws -> JobRequest {
            let (name, kind): (String?, String) = (try row.optional(), try row.next())
            let trigger = try readTrigger(&row)
            let policies = try readPolicies(&row)
            guard let labels = LabelsJSON.decode(try row.next()) else { throw StoredProblem.unknown("labels") }
            let payload: [UInt8] = try row.next()
            let queue = QueueID(try row.next(String.self))
            guard let priority = JobPriority(rawValue: try row.int()) else { throw StoredProblem.unknown("priority") }
            let fairnessKey: String? = try row.optional()
            // This is the key group, which is derived from the fairness key.
            _ = try row.optionalInt()
            let idempotencyKey: String? = try row.optional()
            guard let metadata = LabelsJSON.decode(try row.next()) else { throw StoredProblem.unknown("metadata") }
            let uniqueness = JobUniqueness(
                countsContent: try row.int() > 0, period: try row.optionalDuration(), key: try row.optional())
            return JobRequest(
                id: id, name: name, kind: kind, trigger: trigger, policies: policies, labels: labels, payload: payload,
                queue: queue, priority: priority, fairnessKey: fairnessKey, metadata: metadata,
                uniqueness: uniqueness, idempotencyKey: idempotencyKey)
        }

        /// Returns whether the trigger with these columns counts elapsed time.
        static func isRelative(trigger: String, anchor: Int64?) -> Bool {
            trigger == "after" || trigger == "every" && anchor == nil
        }

        private static func readTrigger(_ row: inout RowReader) throws -> Trigger {
            let (kind, value): (String, Int64) = (try row.next(), try row.next())
            let anchor = try row.optional(Int64.self).map(StoreInstant.decode)
            let count = try row.optionalInt()
            let calendar = try row.optional(String.self).flatMap(CalendarTrigger.init(stored:))
            return switch (kind, calendar) {
            case ("at", nil): .at(StoreInstant.decode(value))
            case ("after", nil): .after(.nanoseconds(value))
            case ("every", nil): .every(.nanoseconds(value), anchoredAt: anchor, count: count)
            case ("calendar", let calendar?): Trigger(kind: .calendar(calendar))
            default: throw StoredProblem.unknown("trigger")
            }
        }

        private static func readPolicies(_ row: inout RowReader) throws -> JobPolicies {
            var policies = JobPolicies(tolerance: try row.duration())
            switch (try row.next(String.self), try row.optionalInt()) {
            case ("runOnce", _): policies.missedRuns = .runOnce
            case ("skip", _): policies.missedRuns = .skip
            case ("runAll", let limit?): policies.missedRuns = .runAll(limit: limit)
            default: throw StoredProblem.unknown("missed_runs")
            }
            policies.grace = try row.optionalDuration()
            policies.expiry = try row.optionalDuration()
            switch (try row.next(String.self), try row.optionalInt()) {
            case ("skip", _): policies.overlap = .skip
            case ("replace", _): policies.overlap = .replace
            case ("queue", let limit?): policies.overlap = .queue(limit: limit)
            case ("allow", let limit?): policies.overlap = .allow(limit: limit)
            default: throw StoredProblem.unknown("overlap")
            }
            policies.retry = RetryPolicy.exponential(
                attempts: try row.int(), maximumLost: try row.int(), from: try row.duration(),
                to: try row.duration(), jitter: try row.next())
            policies.timeLimit = try row.optionalDuration()
            policies.conditions = JobConditions(rawValue: try row.int())
            policies.retention = try row.optionalDuration()
            return policies
        }
    }

    extension RowReader {
        mutating func duration() throws(PostgresError) -> Duration { .nanoseconds(try next(Int64.self)) }
        mutating func optionalDuration() throws(PostgresError) -> Duration? {
            try optional(Int64.self).map { .nanoseconds($0) }
        }
    }

    /// The columns of a run, open or ended.
    enum RunColumns {
        static let identity = ["job", "occurrence", "attempt"]
        static let values = [
            "through", "lost_before", "due", "stands_for", "state", "final", "reason", "not_before", "claimed",
            "started", "finished", "exit_code", "output", "result", "progress", "progress_message", "due_note",
        ]
        static let all = identity + values

        /// Returns the columns that ``read(_:job:isTriggerRelative:_:)`` reads.
        static func selected(of table: String) -> String { all.map { "\(table).\($0)" }.joined(separator: ", ") }

        /// Adds a run to rows of ``all``.
        ///
        /// `owner` is the job's key or, in a statement that inserts jobs, the number of the job in the statement.
        static func add(
            _ run: Run, owner: Int64, isTriggerRelative: Bool, _ axis: ElapsedAxis, to rows: inout RowArrays
        ) {
            let isWaiting = run.state == .waiting
            let dueIsElapsed = isWaiting && run.dueCountsElapsed(isTriggerRelative)
            rows.add(owner)
            rows.add(run.occurrence)
            rows.add(run.attempt)
            rows.add(run.through)
            rows.add(run.lostBefore)
            rows.add(dueIsElapsed ? axis.encode(run.due) : StoreInstant.encode(run.due))
            rows.add(run.standsFor)
            rows.add(run.state.rawValue)
            rows.add(run.isFinal)
            rows.add(run.reason?.withoutNull)
            rows.add(run.notBefore.map(isWaiting ? axis.encode : StoreInstant.encode))
            rows.add(run.claimed.map(StoreInstant.encode))
            rows.add(run.started.map(StoreInstant.encode))
            rows.add(run.finished.map(StoreInstant.encode))
            rows.add(run.exitCode)
            rows.add(run.output)
            rows.add(run.result)
            rows.add(run.progress?.fraction)
            rows.add(run.progress?.message?.withoutNull)
            rows.add(run.dueNote?.rawValue)
        }

        /// Reads the run of a row of ``selected(of:)``.
        ///
        /// - Throws: ``StoredProblem``, ``PostgresError``.
        static func read(
            _ row: inout RowReader, job: JobID, isTriggerRelative: Bool, _ axis: ElapsedAxis
        ) throws -> Run {
            let (key, occurrence, attempt) = (try row.next(Int64.self), try row.int(), try row.int())
            let (through, lostBefore) = (try row.int(), try row.int())
            let (due, standsFor): (Int64, Int) = (try row.next(), try row.int())
            guard let state = RunState(rawValue: try row.next()) else { throw StoredProblem.unknown("run's state") }
            let isWaiting = state == .waiting
            var run = Run(
                jobKey: key, jobID: job, occurrence: occurrence, through: through, attempt: attempt,
                lostBefore: lostBefore, due: StoreInstant.decode(due), standsFor: standsFor, state: state,
                isFinal: try row.next(), reason: try row.optional(),
                notBefore: try row.optional(Int64.self).map(isWaiting ? axis.decode : StoreInstant.decode),
                claimed: try row.optional(Int64.self).map(StoreInstant.decode),
                started: try row.optional(Int64.self).map(StoreInstant.decode),
                finished: try row.optional(Int64.self).map(StoreInstant.decode), exitCode: try row.optionalInt(),
                output: try row.next(), result: try row.optional())
            let (fraction, message): (Double?, String?) = (try row.optional(), try row.optional())
            run.progress = fraction.map { RunProgress(fraction: $0, message: message) }
            run.dueNote = try row.optional(String.self).map(DueNote.init)
            if isWaiting, run.dueCountsElapsed(isTriggerRelative) { run.due = axis.decode(due) }
            try run.checkStored()
            return run
        }
    }
#endif
