#if SQLite
    import ApusJobs
    import ApusTimers

    /// The columns of a job in reading and writing order.
    ///
    /// The columns that each run changes are in the table `apus_job`, those of the request in `apus_request`.
    enum JobRow {
        /// The columns that each run changes, in the order of ``bindProgress(_:_:to:)``.
        private static let progress = [
            "updated", "first", "origin", "next_occurrence", "next_due", "due_note", "remainder", "occurrences",
            "missed",
            "wake",
            "elapsed_wake", "open_runs", "runs_since_retired",
        ]
        /// The columns of the request that are in the table of jobs.
        private static let place = ["queue", "priority"]
        /// The columns of ``place``, and the column `lane`, which is derived from the request (`QueueLane.stored`).
        private static let lane = place + ["lane"]
        /// The columns that change with the state of a job.
        private static let state = ["state", "kept_until"]
        /// The other columns of the request, in the order of ``bindRequest(_:_:to:)``.
        private static let request = [
            "name", "kind", "trigger", "trigger_ns", "trigger_anchor", "trigger_count", "trigger_calendar", "tolerance",
            "missed_runs",
            "missed_limit", "grace", "expiry", "overlap", "overlap_limit", "maximum_attempts", "maximum_lost",
            "initial_backoff",
            "maximum_backoff", "jitter", "time_limit", "conditions", "retention", "labels", "payload",
            "fairness_key", "key_group",
            "idempotency_key",
            "metadata", "unique_payload", "unique_within", "unique_key",
        ]

        /// The join of `apus_job` and `apus_request`.
        static let table = "apus_job AS job JOIN apus_request AS request ON request.job = job.key"

        /// The value that makes a request unique: its key, or else its payload.
        ///
        /// It is the expression of the indexes, because SQLite uses them only for the same expression.
        static let content = "ifnull(unique_key, payload)"

        /// The join of `apus_request` and `apus_job` for jobs with a calendar trigger.
        static let calendars = """
            apus_request AS request INDEXED BY apus_request_calendar JOIN apus_job AS job ON job.key = request.job
            """

        /// The columns of ``table`` that ``read(_:_:)`` reads.
        static let columns =
            ((["key", "version", "id", "created"] + place).map { "job.\($0)" } + request.map { "request.\($0)" }
            + (state + progress).map { "job.\($0)" }).joined(separator: ", ")

        /// The conditions for jobs that have ended, and for jobs that have not ended.
        ///
        /// They are the expressions of the partial indexes, because SQLite uses a partial index only for the same
        /// expression.
        static let hasEnded = "(job.state = 'cancelled' OR job.state = 'finished')"
        static let hasNotEnded = "(job.state = 'scheduled' OR job.state = 'suspended')"
        /// The condition for jobs that have ended or have an unknown state.
        static let isNotOpen = "NOT \(hasNotEnded)"

        /// The condition for a label; parameters: the label and its value.
        static let hasLabel = """
            EXISTS (
                SELECT 1 FROM json_each(iif(json_valid(request.labels), request.labels, '{}')) AS label
                WHERE label.key = ? AND label.value = ?)
            """

        private static let insert = insert(
            "apus_job", ["key", "id"] + progress + state + lane + ["created"],
            also: [("version", "1"), ("unique_until", "0")])
        private static let insertRequest = insert("apus_request", ["job"] + request)

        /// Updates a job and its lane; parameters: progress, state, lane, key, version, id.
        static let update = update(progress + state + lane)

        /// Updates a job whose state changes; parameters: progress, state, key, version, id.
        static let updateState = update(progress + state)

        /// Updates a job whose state does not change; parameters: progress, key, version, id.
        ///
        /// It does not write the state, because that would update three indexes.
        static let updateProgress = update(progress)

        /// Updates the request of a job; parameters: request, key.
        static let updateRequest = SQLText(
            "UPDATE apus_request SET \(request.map { "\($0) = ?" }.joined(separator: ", ")) WHERE job = ?")

        /// Updates `unique_payload` of a request; parameters: ``uniqueness(_:_:)``, key.
        static let updateUniqueness = SQLText("UPDATE apus_request SET unique_payload = ? WHERE job = ?")

        private static func insert(
            _ table: String, _ columns: [String], also constants: [(column: String, value: String)] = []
        ) -> SQLText {
            let names = columns + constants.map(\.column)
            let values = columns.map { _ in "?" } + constants.map(\.value)
            return SQLText(
                "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))")
        }

        private static func update(_ columns: [String]) -> SQLText {
            SQLText(
                """
                UPDATE apus_job SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")), version = version + 1
                WHERE key = ? AND version = ? AND id = ?
                """)
        }

        // These functions take a job and its request, because each access of this module to `Job.request` copies the
        // request.

        /// Inserts a new job with version 1, and counts the inserted rows.
        static func insert(
            _ job: Job, _ axis: ElapsedAxis, counting rows: inout Int, on connection: Connection
        ) throws {
            let request = job.request
            let statement = try connection.statement(insert).bind(job.key).bind(request.id.rawValue)
            bindProgress(job, axis, to: statement)
            bindState(job, to: statement)
            bindLane(job, request, to: statement)
            rows += try statement.bind(job.created.stored).run()
            let other = try connection.statement(insertRequest).bind(job.key)
            bindRequest(job, request, to: other)
            rows += try other.run()
        }

        /// Binds the columns that each run changes.
        static func bindProgress(_ job: Job, _ axis: ElapsedAxis, to statement: PreparedStatement) {
            let isRelative = job.isTriggerRelative
            statement.bind(job.updated.stored)
            statement.bind(isRelative ? axis.encode(job.firstDue) : job.firstDue.stored).bind(
                Int64(job.bookkeeping.origin))
            statement.bind(Int64(job.nextOccurrence))
            statement.bind(isRelative ? job.nextDue.map(axis.encode) : job.nextDue?.stored)
            statement.bind(job.dueNote?.rawValue).bind(job.remainder?.wholeNanoseconds)
            statement.bind(Int64(job.occurrenceCount)).bind(Int64(job.missedCount))
            statement.bind(job.bookkeeping.wake?.stored).bind(job.bookkeeping.elapsedWake.map(axis.encode))
            statement.bind(Int64(job.openRunCount)).bind(Int64(job.bookkeeping.runsSinceRetired))
        }

        static func bindState(_ job: Job, to statement: PreparedStatement) {
            statement.bind(constant: job.state.stored).bind(job.keptUntil?.stored)
        }

        static func bindLane(_ job: Job, _ request: JobRequest, to statement: PreparedStatement) {
            statement.bind(request.queue.rawValue).bind(Int64(request.priority.rawValue))
            statement.bind(request.lane.stored)
        }

        static func bindRequest(_ job: Job, _ request: JobRequest, to statement: PreparedStatement) {
            statement.bind(request.name).bind(request.kind)
            bind(request.trigger, to: statement)
            bind(request.policies, to: statement)
            statement.bind(LabelsJSON.encode(request.labels)).bind(request.payload)
            statement.bind(request.fairnessKey).bind(request.keyGroup.map(Int64.init))
            statement.bind(request.idempotencyKey)
            statement.bind(LabelsJSON.encode(request.metadata))
            statement.bind(uniqueness(job, request)).bind(request.uniqueness.period?.wholeNanoseconds)
                .bind(request.uniqueness.key)
        }

        /// Returns 0 for a job that is not unique by its content; otherwise 1 before the job's end, and 2 afterwards.
        static func uniqueness(_ job: Job, _ request: JobRequest) -> Int64 {
            request.uniqueness.countsContent ? (job.state.isFinal ? 2 : 1) : 0
        }

        /// Binds the value with which ``content`` is compared.
        static func bind(_ content: JobUniqueness.Content, to statement: PreparedStatement) {
            switch content {
            case .payload(let bytes): statement.bind(bytes)
            case .key(let key): statement.bind(key)
            }
        }

        private static func bind(_ trigger: Trigger, to statement: PreparedStatement) {
            switch trigger.kind {
            case .at(let instant): statement.bind(constant: "at").bind(instant.stored).bindNull().bindNull().bindNull()
            case .after(let duration):
                statement.bind(constant: "after").bind(duration.wholeNanoseconds).bindNull().bindNull().bindNull()
            case .every(let interval, let anchor, let count):
                statement.bind(constant: "every").bind(interval.wholeNanoseconds).bind(anchor?.stored).bind(
                    count.map(Int64.init)
                ).bindNull()
            case .calendar(let calendar):
                statement.bind(constant: "calendar").bind(0 as Int64).bindNull().bindNull().bind(calendar.stored)
            }
        }

        private static func bind(_ policies: JobPolicies, to statement: PreparedStatement) {
            statement.bind(policies.tolerance.wholeNanoseconds)
            bind(policies.missedRuns, to: statement)
            statement.bind(policies.grace?.wholeNanoseconds)
            statement.bind(policies.expiry?.wholeNanoseconds)
            bind(policies.overlap, to: statement)
            bind(policies.retry, to: statement)
            statement.bind(policies.timeLimit?.wholeNanoseconds)
            statement.bind(Int64(policies.conditions.rawValue))
            statement.bind(policies.retention?.wholeNanoseconds)
        }

        private static func bind(_ missedRuns: MissedRunPolicy, to statement: PreparedStatement) {
            switch missedRuns.kind {
            case .runOnce: statement.bind(constant: "runOnce").bindNull()
            case .skip: statement.bind(constant: "skip").bindNull()
            case .runAll(let limit): statement.bind(constant: "runAll").bind(Int64(limit))
            }
        }

        private static func bind(_ overlap: OverlapPolicy, to statement: PreparedStatement) {
            switch overlap.kind {
            case .skip: statement.bind(constant: "skip").bindNull()
            case .replace: statement.bind(constant: "replace").bindNull()
            case .queue(let limit): statement.bind(constant: "queue").bind(Int64(limit))
            case .allow(let limit): statement.bind(constant: "allow").bind(Int64(limit))
            }
        }

        private static func bind(_ retry: RetryPolicy, to statement: PreparedStatement) {
            statement.bind(Int64(retry.maximumAttempts)).bind(Int64(retry.maximumLost))
            statement.bind(retry.initialDelay.wholeNanoseconds).bind(retry.maximumDelay.wholeNanoseconds)
            statement.bind(retry.jitter)
        }

        /// Reads the job of a row of ``columns``.
        static func read(_ row: PreparedStatement, _ axis: ElapsedAxis) throws(UnreadableJob) -> Job {
            let key = row.integer()
            let version = row.integer()
            let id = JobID(row.text())
            do throws(StoredProblem) {
                let job = try read(row, axis, key: key, version: version, id)
                try job.checkStored()
                return job
            } catch {
                throw UnreadableJob(key: key, id: id, problem: error.text)
            }
        }

        private static func read(
            _ row: PreparedStatement, _ axis: ElapsedAxis, key: Int64, version: Int64, _ id: JobID
        ) throws(StoredProblem) -> Job {
            let created = row.instant()
            let queue = QueueID(row.text())
            guard let priority = JobPriority(rawValue: Int(row.integer())) else { throw .unknown("priority") }
            let name = row.optionalText()
            let kind = row.text()
            let trigger = try readTrigger(row)
            let policies = try readPolicies(row)
            guard let labels = LabelsJSON.decode(row.text()) else { throw .unknown("labels") }
            let payload = row.blob()
            let fairnessKey = row.optionalText()
            // This is the key group, which is derived from the fairness key.
            _ = row.optionalInteger()
            let idempotencyKey = row.optionalText()
            guard let metadata = LabelsJSON.decode(row.text()) else { throw .unknown("metadata") }
            let uniqueness = JobUniqueness(
                countsContent: row.integer() > 0, period: row.optionalDuration(), key: row.optionalText())
            let request = JobRequest(
                id: id, name: name, kind: kind, trigger: trigger, policies: policies, labels: labels, payload: payload,
                queue: queue, priority: priority, fairnessKey: fairnessKey, metadata: metadata,
                uniqueness: uniqueness, idempotencyKey: idempotencyKey)
            guard let state = JobState(rawValue: row.text()) else { throw .unknown("state") }
            let keptUntil = row.optionalInstant()
            let decode = trigger.isRelative ? axis.decode : StoreInstant.decode
            return Job(
                request: request, key: key, version: version, state: state, created: created, updated: row.instant(),
                firstDue: decode(row.integer()), origin: Int(row.integer()), nextOccurrence: Int(row.integer()),
                nextDue: row.optionalInteger().map(decode),
                dueNote: row.optionalText().map(DueNote.init), remainder: row.optionalDuration(),
                occurrenceCount: Int(row.integer()), missedCount: Int(row.integer()), wake: row.optionalInstant(),
                elapsedWake: row.optionalInteger().map(axis.decode), openRunCount: Int(row.integer()),
                runsSinceRetired: Int(row.integer()), keptUntil: keptUntil)
        }

        /// Returns whether the trigger with these columns counts elapsed time.
        static func isRelative(trigger: String, anchor: Int64?) -> Bool {
            trigger == "after" || trigger == "every" && anchor == nil
        }

        private static func readTrigger(_ row: PreparedStatement) throws(StoredProblem) -> Trigger {
            let kind = row.text()
            let value = row.integer()
            let anchor = row.optionalInstant()
            let count = row.optionalInteger().map(Int.init)
            let calendar = row.optionalText().flatMap(CalendarTrigger.init(stored:))
            switch (kind, calendar) {
            case ("at", nil): return .at(StoreInstant.decode(value))
            case ("after", nil): return .after(.nanoseconds(value))
            case ("every", nil): return .every(.nanoseconds(value), anchoredAt: anchor, count: count)
            case ("calendar", let calendar?): return Trigger(kind: .calendar(calendar))
            default: throw .unknown("trigger")
            }
        }

        private static func readPolicies(_ row: PreparedStatement) throws(StoredProblem) -> JobPolicies {
            var policies = JobPolicies(tolerance: .nanoseconds(row.integer()))
            switch (row.text(), row.optionalInteger()) {
            case ("runOnce", _): policies.missedRuns = .runOnce
            case ("skip", _): policies.missedRuns = .skip
            case ("runAll", let limit?): policies.missedRuns = .runAll(limit: Int(limit))
            default: throw .unknown("missed_runs")
            }
            policies.grace = row.optionalDuration()
            policies.expiry = row.optionalDuration()
            switch (row.text(), row.optionalInteger()) {
            case ("skip", _): policies.overlap = .skip
            case ("replace", _): policies.overlap = .replace
            case ("queue", let limit?): policies.overlap = .queue(limit: Int(limit))
            case ("allow", let limit?): policies.overlap = .allow(limit: Int(limit))
            default: throw .unknown("overlap")
            }
            policies.retry = RetryPolicy.exponential(
                attempts: Int(row.integer()), maximumLost: Int(row.integer()),
                from: .nanoseconds(row.integer()),
                to: .nanoseconds(row.integer()), jitter: row.real())
            policies.timeLimit = row.optionalDuration()
            policies.conditions = JobConditions(rawValue: Int(row.integer()))
            policies.retention = row.optionalDuration()
            return policies
        }
    }

    extension JobState {
        var stored: StaticString {
            switch self {
            case .scheduled: "scheduled"
            case .suspended: "suspended"
            case .cancelled: "cancelled"
            case .finished: "finished"
            }
        }
    }

    extension WallInstant {
        var stored: Int64 { StoreInstant.encode(self) }
    }

    extension PreparedStatement {
        func instant() -> WallInstant { StoreInstant.decode(integer()) }
        func optionalInstant() -> WallInstant? { optionalInteger().map(StoreInstant.decode) }
        func optionalDuration() -> Duration? { optionalInteger().map { .nanoseconds($0) } }
    }
#endif
