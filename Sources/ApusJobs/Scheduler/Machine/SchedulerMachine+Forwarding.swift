import ApusTimers

/// Commands for jobs of shards that other schedulers own.
///
/// ```
///  caller ─► command ─► its job is in another shard ─► a turn puts it into the store, with a number
///                                                        │
///            answer ◄─ signal ◄─ reply ◄─ the turn of the shard's owner that carries it out, and removes it
/// ```
///
/// The command, its effect and the reply are one transaction of the owner: it is carried out once, whatever becomes of
/// the schedulers. After ``callPatience`` the caller gets an error: the fate is unknown.
extension SchedulerMachine {
    /// Longer than a dead scheduler's shards need to be taken over.
    static let callPatience: Duration = .seconds(30)

    mutating func forward(_ pending: PendingCommand, to shard: ShardID) -> Outcome {
        add([], command: pending)
        plan!.parts[plan!.parts.count - 1].forward = shard
        return .done
    }

    func origin(of part: Plan.Part) -> ForwardedCommand.Origin {
        guard let command = part.command, case .job(let asked) = command.command else {
            preconditionFailure("only commands for jobs are forwarded")
        }
        if let submission = command.submission { return .submission(submission.sequence) }
        return .call(command.number, asked, submitted: plan!.now.latestWall)
    }

    /// What the sender of a command is answered if its part is applied.
    func storedReply(_ part: Plan.Part, _ submission: TakenFrom) -> JobReply {
        if let refusal = submission.refusal {
            return .refused(code: refusal.code.description, message: refusal.message)
        }
        return switch part.reply {
        case .done: .jobs([])
        case .run(let run): .run(run)
        case .jobs(let existing):
            .jobs(
                existing.map {
                    switch $0 {
                    case .job(let job): job.id
                    case .draft(let position): plan!.drafts[position].machine.job.id
                    }
                })
        }
    }

    /// The command is in the store.
    mutating func forwarded(_ command: PendingCommand, _ now: UptimeInstant) {
        if command.submission == nil { calls[command.number] = now.advanced(by: Self.callPatience) }
    }

    mutating func replied(_ call: Int, _ reply: JobReply) {
        // It may have been given up.
        guard calls.removeValue(forKey: call) != nil else { return }
        switch reply {
        case .run(let run): answer(call, .success(.run(run)))
        case .refused(let code, let message):
            answer(call, .failure(JobError(JobError.Code(named: code) ?? .unavailable, message)))
        case .jobs(let ids): commands.append(PendingCommand(number: call, command: .read(ids)))
        }
    }

    mutating func giveUpCalls(_ now: UptimeInstant) {
        for (call, deadline) in calls.sorted(by: { $0.key < $1.key }) where deadline <= now {
            calls[call] = nil
            let patience = Self.callPatience.components.seconds
            answer(
                call,
                .failure(
                    JobError(
                        .unavailable,
                        "the node that runs the job has not answered within \(patience) s; whether it was done is not known, and it may be done yet"
                    )))
        }
    }
}
