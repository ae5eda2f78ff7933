/// Waiting for outcomes.
extension JobScheduler {
    /// The outcome of a run's occurrence: its final attempt, which may be the run itself or a later one. Waits until
    /// there is one, at once if it is there already.
    ///
    /// Each call follows the scheduler's ``events()`` while it waits.
    /// - Throws: ``JobError`` with `closed` if the scheduler stops first, `notFound` if the job was replaced or removed
    ///   before the call, or the store's errors; `CancellationError` if the task is cancelled.
    public func outcome(of run: Run) async throws -> Run {
        let occurrence = AwaitedOccurrence(jobKey: run.jobKey, job: run.jobID, number: run.occurrence)
        guard let outcome = try await outcome(following: { _ in occurrence }) else {
            if run.isFinal { return run }
            throw JobError(
                code: .notFound,
                message:
                    "\(run.jobID): the job was replaced or removed, and \(OccurrenceText.words(run.occurrence)) with it"
            )
        }
        return outcome
    }

    /// The outcome of a job's current occurrence: the earliest that is open, else the next one. Waits until there is
    /// one. Of a job that has ended, the outcome of its last occurrence, at once.
    ///
    /// So a job that is due once may be submitted and then waited for, whether it has run meanwhile or not. Runs by hand
    /// do not count: pass what ``runNow(_:)`` returned. Each call follows the scheduler's ``events()`` while it waits.
    /// - Returns: the outcome; `nil` if the job ends before the occurrence comes.
    /// - Throws: ``JobError`` with `notFound`, with `closed` if the scheduler stops first, or the store's errors;
    ///   `CancellationError` if the task is cancelled.
    public func outcome(of id: JobID) async throws -> Run? {
        try await outcome { store in
            guard let loaded = try await store.job(id) else {
                throw JobError(code: .notFound, message: "there is no job \(id)")
            }
            return loaded.currentOccurrence(includingByHand: false).map {
                AwaitedOccurrence(jobKey: loaded.job.key, job: id, number: $0)
            }
        }
    }

    /// Subscribes before it looks at the store, so that no event is missed.
    private func outcome(
        following find: (any JobStore) async throws -> AwaitedOccurrence?
    ) async throws -> Run? {
        let events = events()
        try Task.checkCancellation()
        guard let occurrence = try await find(loop.store) else { return nil }
        if case .decided(let outcome) = try await occurrence.look(in: loop.store) { return outcome }
        for await event in events {
            switch event {
            case .runEnded(let run), .skipped(let run):
                if occurrence.isDecided(by: run) { return run }
            case .changed(let job):
                guard job.key == occurrence.jobKey, job.state.isFinal else { continue }
            case .deleted(let id):
                guard id == occurrence.job else { continue }
            case .dropped(let events, _):
                guard events > 0 else { continue }
            case .stopped(let error):
                throw JobError(
                    code: .closed, message: "the scheduler stopped before \(occurrence) had its outcome", cause: error)
            case .submitted, .runStarted, .runPostponed, .output, .progress, .clockChanged: continue
            }
            if case .decided(let outcome) = try await occurrence.look(in: loop.store) { return outcome }
        }
        try Task.checkCancellation()
        throw JobError(code: .closed, message: "the scheduler has stopped; \(occurrence) has no outcome so far")
    }
}

/// An occurrence whose outcome is awaited.
private struct AwaitedOccurrence: CustomStringConvertible {
    enum Answer {
        /// Its outcome; `nil` if it has none, and never will.
        case decided(Run?)
        case undecided
    }

    var jobKey: Int64
    var job: JobID
    var number: Int

    var description: String { "\(OccurrenceText.words(number)) of \(job)" }

    /// Whether the run is its outcome. A skipped range is that of many.
    func isDecided(by run: Run) -> Bool {
        run.jobKey == jobKey && run.isFinal && (run.occurrence...run.through).contains(number)
    }

    /// What the store says. The job is read first: what is open then, and is decided afterwards, is an event.
    func look(in store: any JobStore) async throws -> Answer {
        let loaded = try await store.load([.key(jobKey)])[0]
        if let loaded, loaded.open.contains(where: { $0.occurrence == number }) { return .undecided }
        for try await page in store.pages(of: RunQuery(jobID: job, occurrence: number)) {
            if let run = page.runs.first(where: isDecided) { return .decided(run) }
        }
        guard let job = loaded?.job, !job.state.isFinal, number >= job.nextOccurrence else { return .decided(nil) }
        return .undecided
    }
}
