import ApusTimers

/// What the store keeps for the scheduler: what applications have submitted in transactions of their own, and the commands
/// of other schedulers. No caller of this scheduler waits for them.
///
/// They are read when the scheduler has started and when the store signals, a page at a time, each page when the one
/// before it was decided about. The turn that makes the job removes the submission. Until that is committed it is in the
/// store, so it is forgotten here whenever the store fails, and read again.
extension SchedulerMachine {
    /// Where a pending command comes from.
    struct TakenFrom: Sendable {
        var sequence: Int64
        var submitted: WallInstant
        /// Another scheduler is to be answered.
        var isCall: Bool
        /// Why no job is made of it: it is only removed.
        var refusal: JobError?
    }

    /// What is known of the submissions in the store.
    struct SubmissionReading: Sendable {
        /// There may be some that were not read.
        var mustRead = true
        /// Callers that wait for those that were there when they asked: until the last page is read, and then until it is
        /// decided about.
        var calls: [Int] = []
        var callsAfterPage: [Int] = []
    }

    /// A page of submissions, if there may be some and none of the last page is left.
    var submissionsRead: SchedulerRead? {
        guard submissions.mustRead, !commands.contains(where: { $0.submission != nil }) else { return nil }
        return .submissions(limit: Self.pageSize)
    }

    mutating func took(_ found: [StoreSubmission], limit: Int, _ now: WallInstant) {
        submissions.mustRead = found.count >= limit
        if !submissions.mustRead {
            submissions.callsAfterPage += submissions.calls
            submissions.calls = []
        }
        for submission in found {
            var command = PendingCommand(number: 0, command: .job(submission.command ?? .submit([])))
            command.submission = TakenFrom(
                sequence: submission.sequence, submitted: submission.submitted, isCall: submission.isCall)
            switch submission.command {
            // No caller waits here, so it need not guess that its identifier is free.
            case .submit(let requests): command.needs = Self.references(requests, at: now)
            case .some: break
            case nil:
                command.submission!.refusal = JobError(
                    .invalid, "what is stored cannot be read: \(submission.problem ?? "it is no command")")
            }
            commands.append(command)
        }
    }

    /// From when on the trigger of a submission counts. A later instant than now is of a clock that was set back since.
    func instant(of pending: PendingCommand) -> WallInstant {
        min(pending.submission?.submitted ?? plan!.now.latestWall, plan!.now.latestWall)
    }

    // MARK: Answers

    mutating func takeSubmissions(_ number: Int) {
        guard phase.acceptsCommands else { return answer(number, .failure(Self.closed)) }
        submissions.mustRead = true
        submissions.calls.append(number)
    }

    /// Callers that wait for submissions are resumed when these have become jobs, or were refused.
    mutating func answerTaken() {
        if submissions.callsAfterPage.isEmpty || commands.contains(where: { $0.submission != nil }) { return }
        for number in submissions.callsAfterPage { answer(number, .success(.done)) }
        submissions.callsAfterPage = []
    }

    mutating func failTakeCalls(_ error: JobError) {
        for number in submissions.callsAfterPage + submissions.calls { answer(number, .failure(error)) }
        (submissions.calls, submissions.callsAfterPage) = ([], [])
    }

    /// The command cannot be carried out. A caller gets the error; a submission is removed by a part of the turn.
    mutating func refuse(_ pending: PendingCommand, _ error: JobError) {
        guard pending.submission != nil else { return answer(pending.number, .failure(error)) }
        var refused = pending
        refused.submission!.refusal = error
        add([], command: refused)
    }

    /// The command was not carried out because of the store or the scheduler. A caller gets the error; a submission is
    /// still in the store, or was taken.
    mutating func fail(_ command: PendingCommand, _ error: JobError) {
        if command.submission == nil { answer(command.number, .failure(error)) } else { submissions.mustRead = true }
    }

    /// The store has removed the submission.
    mutating func removed(_ submission: TakenFrom, _ command: PendingCommand) {
        guard let refusal = submission.refusal, !submission.isCall else { return }
        effect(.log(.submissionRefused(command.command.ids.first, refusal)))
    }

    /// The store has refused the part of a submission.
    /// - Returns: whether that is all; otherwise the command is planned again.
    mutating func settle(_ command: inout PendingCommand, after error: JobError, _ now: ClockReading) -> Bool {
        guard error.code == .conflict else {
            if command.submission!.refusal == nil, phase.acceptsCommands {
                // What the store does not take is removed.
                command.submission!.refusal = error
                commands.insert(command, at: 0)
            } else {
                submissions.mustRead = true
                storeFailed(error, now)
            }
            return true
        }
        guard command.conflicts >= 8 || !phase.acceptsCommands else { return false }
        submissions.mustRead = true
        if phase.acceptsCommands { storeFailed(error, now) }
        return true
    }

    /// What the store keeps is read again after the pause.
    mutating func forgetSubmissions(_ error: JobError) {
        failTakeCalls(error)
        let count = commands.count
        commands.removeAll { $0.submission != nil }
        if commands.count < count { submissions.mustRead = true }
    }
}
