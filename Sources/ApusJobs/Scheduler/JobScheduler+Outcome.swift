// Waiting for outcomes.
extension JobScheduler {
    /// Waits for the outcome of a run's occurrence, and returns its final attempt: the run itself or a later one.
    ///
    /// It returns at once if there is an outcome already. Each call follows the scheduler's ``events()`` while it
    /// waits.
    /// - Throws: ``JobError`` with `closed` if the scheduler stops first, `notFound` if the job was replaced or removed
    ///   before the call, or the store's errors; `CancellationError` if the task is cancelled.
    public func outcome(of run: Run) async throws -> Run {
        let occurrence = AwaitedOccurrence(jobKey: run.jobKey, job: run.jobID, number: run.occurrence)
        guard let outcome = try await outcome(following: { _ in occurrence }) else {
            if run.isFinal { return run }
            throw JobError(
                code: .notFound,
                message:
                    "\(run.jobID): the job was replaced or removed together with \(OccurrenceText.words(run.occurrence))"
            )
        }
        return outcome
    }

    /// Waits for the outcome of a job's current occurrence: the earliest open one, otherwise the next one.
    ///
    /// For a job that has ended, it returns the outcome of the last occurrence at once. So a job that is due once can
    /// be submitted and then waited for, whether it has run in the meantime or not. Runs by hand do not count: for
    /// these, pass the result of ``runNow(_:)``. Each call follows the scheduler's ``events()`` while it waits.
    /// - Returns: The outcome; `nil` if the job ends before the occurrence is due.
    /// - Throws: ``JobError`` with `notFound`, with `closed` if the scheduler stops first, or the store's errors;
    ///   `CancellationError` if the task is cancelled.
    public func outcome(of id: JobID) async throws -> Run? {
        try await outcome { store in
            guard let loaded = try await store.job(id) else {
                throw JobError(code: .notFound, message: "\(id): there is no such job")
            }
            return loaded.currentOccurrence(includingByHand: false).map {
                AwaitedOccurrence(jobKey: loaded.job.key, job: id, number: $0)
            }
        }
    }

    /// Waits for the outcome of the occurrence that `find` returns.
    ///
    /// It subscribes to the events before it reads the store, so that it misses no event.
    ///
    /// - Returns: The outcome; `nil` if `find` returns `nil`, or if the occurrence has no outcome and will never have
    ///   one.
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
                    code: .closed, message: "the scheduler stopped before \(occurrence) had an outcome", cause: error)
            case .submitted, .runStarted, .runPostponed, .output, .progress, .clockChanged: continue
            }
            if case .decided(let outcome) = try await occurrence.look(in: loop.store) { return outcome }
        }
        try Task.checkCancellation()
        throw JobError(code: .closed, message: "the scheduler has stopped, and \(occurrence) has no outcome yet")
    }
}

private struct AwaitedOccurrence: CustomStringConvertible {
    enum Answer {
        /// The outcome; `nil` if the occurrence has none and will never have one.
        case decided(Run?)
        case undecided
    }

    var jobKey: Int64
    var job: JobID
    var number: Int

    var description: String { "\(OccurrenceText.words(number)) of \(job)" }

    /// Returns whether the run, which may be a skipped range, is the outcome of the occurrence.
    func isDecided(by run: Run) -> Bool {
        run.jobKey == jobKey && run.isFinal && (run.occurrence...run.through).contains(number)
    }

    /// Reads the outcome from the store.
    ///
    /// The job is read before its runs. If the runs were read first, a run that ends between the two reads would be
    /// neither final in the first one nor open in the second one, so the occurrence would seem to have no outcome.
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
