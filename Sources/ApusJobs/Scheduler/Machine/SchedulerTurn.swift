import ApusCalendar
import ApusTimers

/// The decisions of a turn, which are kept apart from the machine's state until they are committed.
///
/// It is an object, so that building and adopting it copies nothing for each part.
final class SchedulerTurn {
    /// One job of the turn, as it will be when the turn is committed; an object, so that it is changed in place.
    final class Draft {
        /// The key of a loaded job; `nil` for a new job.
        let key: Int64?
        let shard: ShardID
        /// The shard into which the job moves; `nil` if it stays.
        private(set) var destination: ShardID?
        var machine: JobMachine
        var action = JobMachine.Action.none

        /// Creates the draft of a new job.
        init(_ machine: JobMachine, in shard: ShardID) { (key, self.shard, self.machine) = (nil, shard, machine) }

        /// Creates the draft of a loaded job, and applies its news.
        init(_ entry: LoadedJobs.Entry, at now: SchedulerReading, in zones: any TimeZones) {
            (key, shard, machine) = (entry.key, entry.shard, entry.machine)
            let news = entry.news
            if news.isEmpty { return }
            if news.isInterrupted { action.merge(machine.recover(now: now.wall)) }
            for (run, progress) in news.progress.sorted(by: { $0.key < $1.key }) {
                action.merge(
                    machine.progressed(occurrence: run.occurrence, attempt: run.attempt, progress, now: now.wall))
            }
            // A delay before a retry counts from the latest possible instant of the wall clock.
            for end in news.ends { decide(end, now.latestWall) }
            if news.isOutdated { action.merge(machine.refresh(now: now.wall)) }
            if news.mustReadZone { action.merge(machine.zonesChanged(now: now.wall, in: zones)) }
            if let back = news.setBack { action.merge(machine.repeatAfterClockWasSet(back: back, now: now.wall)) }
        }

        private func decide(_ end: PendingEnd, _ now: WallInstant) {
            let (occurrence, attempt) = (end.key.occurrence, end.key.attempt)
            if let ended = end.ended {
                action.merge(
                    machine.ended(occurrence: occurrence, attempt: attempt, ended, now: now, jitter: end.jitter))
            } else {
                action.merge(
                    machine.returned(
                        occurrence: occurrence, attempt: attempt, snooze: end.snooze, now: now))
            }
        }

        func arrive(_ now: WallInstant) { action.merge(machine.arrive(now: now)) }

        /// Moves the job to another shard, whose owner has it from then on.
        ///
        /// The version grows, so the store refuses earlier decisions about the job.
        func move(to shard: ShardID, _ now: WallInstant) {
            precondition(!machine.open.contains { $0.state == .running }, "a job with a claimed run does not move")
            action.merge(machine.transition(now) { _, _ in })
            destination = shard
        }

        /// Admits the occurrences that are due, and claims a run if one is ready.
        ///
        /// - Returns: Whether a run starts.
        func arriveAndStart(_ now: WallInstant, unmet: JobConditions) -> Bool {
            let started = machine.arriveAndStart(now: now, limit: 1, unmet: unmet)
            action.merge(started)
            return !started.starts.isEmpty
        }
    }

    /// Drafts that succeed or fail together.
    struct Part: Sendable {
        /// The command, in a box so that a part is small.
        ///
        /// Most parts have no command, because each run that starts or ends has a part.
        private let pending: Shared<PendingCommand>?
        let reply: Reply
        /// The shard whose owner carries out the command; `nil` if this scheduler does.
        let forward: ShardID?
        /// The positions of the part's drafts in the turn's `drafts`.
        let drafts: Range<Int>

        init(command: PendingCommand? = nil, reply: Reply = .done, forward: ShardID? = nil, drafts: Range<Int>) {
            (pending, self.reply) = (command.map { Shared($0) }, reply)
            (self.forward, self.drafts) = (forward, drafts)
        }

        var command: PendingCommand? { pending?.value }
    }

    enum Reply: Sendable {
        case done
        case jobs([Existing])
        /// The jobs of the requests, with the effects of the submission.
        case submitted([Submitted])
        indirect case run(Run)
    }

    struct Submitted: Sendable {
        var job: Existing
        var outcome: SubmissionOutcome
    }

    enum Existing: Sendable {
        case job(Job)
        /// The position of a draft in the turn's `drafts`.
        case draft(Int)
    }

    /// The largest number of commands in one turn.
    static let maximumCommands = 1_000
    /// The largest number of jobs that a turn examines in addition to those of its commands.
    static let maximumJobs = 4_000

    let now: SchedulerReading
    var drafts: [Draft] = []
    private(set) var parts: [Part] = []
    /// The positions of the parts that are in the transaction; the other parts change nothing.
    private(set) var committed: [Int] = []
    /// The positions of the drafts of loaded jobs, by key.
    private var positions: [Int64: Int] = [:]
    /// The identifiers of the jobs that the turn's commands concern.
    private(set) var ids: Set<JobID> = []
    /// The kinds and contents of those submissions of the turn that are unique by their content.
    private var contents: Set<JobReference.Unique> = []
    /// The queues whose records are written.
    private(set) var queues: [QueueID: JobQueue] = [:]
    /// The callers that have changed queues.
    private(set) var configurations: [(number: Int, queue: QueueID)] = []
    /// The unreadable jobs that are set aside.
    var setAside: [UnreadableJob] = []
    var released: [ShardID] = []

    init(at now: SchedulerReading) { self.now = now }

    var isEmpty: Bool { committed.isEmpty && queues.isEmpty && setAside.isEmpty && released.isEmpty }

    /// The shards of the submissions that are taken, and of the jobs that are set aside.
    var shardsBeside: Set<ShardID> {
        Set(parts.compactMap { $0.command?.submission?.shard }).union(setAside.map(\.shard))
    }

    // MARK: Drafts

    func position(of key: Int64) -> Int? { positions[key] }

    /// Adds drafts that succeed or fail together; `reply` gets the position of the first draft, and returns the reply.
    func add(
        _ new: [Draft], command: PendingCommand? = nil, forward: ShardID? = nil, reply: (Int) -> Reply = { _ in .done }
    ) {
        let start = drafts.count
        for (index, draft) in new.enumerated() {
            if let key = draft.key { positions[key] = start + index }
        }
        drafts += new
        parts.append(
            Part(command: command, reply: reply(start), forward: forward, drafts: start..<start + new.count))
    }

    /// Adds a draft that succeeds or fails alone.
    ///
    /// - Returns: The position of the draft.
    func add(_ draft: Draft) -> Int {
        let position = drafts.count
        drafts.append(draft)
        if let key = draft.key { positions[key] = position }
        parts.append(Part(drafts: position..<position + 1))
        return position
    }

    // MARK: Concerned jobs

    func concern(_ ids: [JobID]) { for id in ids { self.ids.insert(id) } }

    func hasSubmitted(_ reference: JobReference) -> Bool { reference.unique.map(contents.contains) ?? false }

    func submit(_ contents: some Sequence<JobReference.Unique>) { self.contents.formUnion(contents) }

    // MARK: Queues

    func write(_ queue: JobQueue) { queues[queue.id] = queue }

    func configure(_ queue: JobQueue, for caller: Int) {
        write(queue)
        configurations.append((caller, queue.id))
    }

    // MARK: The transaction

    /// Returns the transaction, without the parts that change nothing.
    ///
    /// `known` returns the queues as the session knows them.
    func transaction(
        _ clock: StoreClock, keeping limits: HistoryLimits, isShared: Bool, isStopping: Bool,
        known: (QueueID) -> JobQueue
    ) -> StoreTurn {
        var turn = StoreTurn(
            parts: [], clock: clock, setAside: setAside, released: released, isLeaving: isShared && isStopping)
        for (index, part) in parts.enumerated() {
            let changes = part.drafts.compactMap { drafts[$0].change(keeping: limits) }
            let submission = part.command?.submission
            if changes.isEmpty, submission == nil, part.forward == nil { continue }
            precondition(changes.count == part.drafts.count || part.command != nil)
            if let shard = part.forward {
                turn.forwarded.append(ForwardedCommand(origin(of: part), shard: shard, part: turn.parts.count))
            } else if let submission {
                let reply = submission.isCall ? storedReply(part, submission) : nil
                turn.taken.append(
                    TakenSubmission(
                        submission.sequence, shard: submission.shard, part: turn.parts.count, reply: reply,
                        refusal: storedRefusal(submission)))
            }
            committed.append(index)
            turn.parts.append(changes)
        }
        turn.queues = queues.values.sorted { $0.id < $1.id }
        if isShared { turn.knownQueues = turn.queues.map { known($0.id) } }
        return turn
    }

    /// The parts that are not in the transaction.
    var unwritten: [Part] {
        var isWritten = Array(repeating: false, count: parts.count)
        for index in committed { isWritten[index] = true }
        return parts.indices.filter { !isWritten[$0] }.map { parts[$0] }
    }

    private func origin(of part: Part) -> ForwardedCommand.Origin {
        guard let command = part.command, case .job(let asked) = command.command else {
            preconditionFailure("only commands for jobs are forwarded")
        }
        if let submission = command.submission { return .submission(submission.sequence, from: submission.shard) }
        return .call(command.number, asked, submitted: now.latestWall)
    }

    /// Returns the refusal to store for an application's submission.
    ///
    /// It is `nil` for a command of another scheduler, which has the refusal in its reply.
    private func storedRefusal(_ submission: PendingCommand.Origin) -> SubmissionRefusal? {
        guard let refusal = submission.refusal, !submission.isCall else { return nil }
        return SubmissionRefusal(refused: now.wall, code: refusal.code.description, message: refusal.message)
    }

    /// Returns the reply to the scheduler that has sent the command; the store keeps the reply with the part.
    private func storedReply(_ part: Part, _ submission: PendingCommand.Origin) -> JobReply {
        if let refusal = submission.refusal {
            return .refused(code: refusal.code.description, message: refusal.message)
        }
        return switch part.reply {
        case .done: .jobs([])
        case .run(let run): .run(run)
        case .jobs(let existing): .jobs(existing.map { id(of: $0) })
        case .submitted(let submitted):
            .submitted(submitted.map { JobReply.Submitted(job: id(of: $0.job), outcome: $0.outcome) })
        }
    }

    func id(of existing: Existing) -> JobID {
        switch existing {
        case .job(let job): job.id
        case .draft(let position): drafts[position].machine.job.id
        }
    }
}

extension SchedulerTurn.Draft {
    fileprivate func change(keeping limits: HistoryLimits) -> JobChange? {
        guard var change = action.change else { return nil }
        change.shard = shard
        change.destination = destination
        if change.isStateChanged || change.expected == .absent {
            change.job.keptUntil = change.job.state.isFinal ? limits.keptUntil(endedBy: change) : nil
        }
        // The older runs of a job are removed together, once enough runs were added since the last removal.
        if change.job.bookkeeping.runsSinceRetired > max(1, min(limits.runs / 8, 128)) {
            change.job.bookkeeping.runsSinceRetired = 0
            change.keptRuns = limits.runs
        }
        return change
    }
}
