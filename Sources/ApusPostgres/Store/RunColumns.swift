#if Postgres
    import ApusJobs
    import ApusTimers

    /// The columns of a run, of open ones and of those that are over.
    enum RunColumns {
        static let identity = ["job", "occurrence", "attempt"]
        static let values = [
            "through", "lost_before", "due", "stands_for", "state", "final", "reason", "not_before", "claimed",
            "started", "finished", "exit_code", "output", "result", "progress", "progress_message", "due_note",
        ]
        static let all = identity + values

        /// What ``read(_:job:isTriggerRelative:_:)`` reads.
        static func selected(of table: String) -> String { all.map { "\(table).\($0)" }.joined(separator: ", ") }

        /// `owner`: the job's key, or in a statement that makes jobs, the number of the job in it.
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

        static func read(
            _ row: inout RowReader, job: JobID, isTriggerRelative: Bool, _ axis: ElapsedAxis
        ) throws -> Run {
            let (key, occurrence, attempt) = (try row.next(Int64.self), try row.int(), try row.int())
            let (through, lostBefore) = (try row.int(), try row.int())
            let (due, standsFor): (Int64, Int) = (try row.next(), try row.int())
            guard let state = RunState(rawValue: try row.next()) else { throw JobColumns.unreadable("runs", of: job) }
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
            return run
        }
    }
#endif
