import ApusTimers

/// A command that is not answered yet.
struct PendingCommand: Sendable {
    /// The origin of a command that the store keeps.
    struct Origin: Sendable {
        var sequence: Int64
        var submitted: WallInstant
        /// Whether another scheduler gets the reply.
        var isCall: Bool
        /// The shard whose owner takes the submission.
        var shard: ShardID
        /// The reason why the submission is only removed; `nil` if it is carried out.
        var refusal: JobError?
    }

    var number: Int
    var command: SchedulerCommand
    /// The jobs that must be read before the command can be planned.
    var needs: [JobReference] = []
    /// Whether the store was read for the command; if so, a job that is not loaded does not exist.
    var hasRead = false
    /// The jobs that were submitted with the idempotency keys of the command's requests.
    var earlier: [String: Job] = [:]
    /// The jobs with the kind and the unique content of the command's requests.
    var same: [JobReference.Unique: Job] = [:]
    /// The command's jobs in other schedulers' shards, as they were read for it.
    var foreign: [JobID: LoadedJob] = [:]
    /// A job of the command that cannot be read.
    var unreadable: UnreadableJob?
    /// The number of times that the store has refused the command's part of a turn because of a concurrent change.
    var conflicts = 0
    /// Whether the next turn can plan the command, if necessary after a read.
    var isPlannable = false
    /// The submission in the store; `nil` for a caller's command.
    var submission: Origin?

    init(_ number: Int, _ command: SchedulerCommand) { (self.number, self.command) = (number, command.normalized) }

    init(_ submission: StoreSubmission, _ now: WallInstant) {
        self.init(0, .job(submission.command ?? .submit([])))
        var origin = Origin(
            sequence: submission.sequence, submitted: submission.submitted, isCall: submission.isCall,
            shard: submission.shard)
        switch submission.command {
        case .submit(let requests):
            // The requests are validated before anything is read for them, because a store need not be able to search
            // for invalid values.
            do throws(JobError) {
                for request in requests { try request.validate() }
                // The jobs that may conflict are always read first. No caller waits for this submission, so the read
                // need not be fast.
                needs = SchedulerMachine.references(requests, at: now)
            } catch {
                origin.refusal = error
            }
        case .some: break
        case nil:
            origin.refusal = JobError(
                code: .invalid,
                message: "the stored submission cannot be read: \(submission.problem ?? "it is not a command")")
        }
        self.submission = origin
    }

    /// Forgets the jobs that were read for the command, because they may have changed.
    mutating func forgetRead() {
        (hasRead, earlier, same, foreign, unreadable) = (false, [:], [:], [:], nil)
    }
}

/// The commands that are in no committed turn yet: callers' commands, applications' submissions in the store, and
/// commands in the store that other schedulers have forwarded.
///
/// The store's commands are read when the scheduler has started and whenever the store signals new ones. They are read
/// in pages, and a page is read once a turn has decided about the previous page. The turn that makes a submission's job
/// also removes the submission. Until that turn is committed, the store has the submission. So when the store fails,
/// the submission is forgotten here and read again later.
struct CommandQueue {
    /// The commands in the order of their arrival.
    private(set) var waiting: [PendingCommand] = []
    /// Whether the store may have submissions that were not read.
    private var mustReadSubmissions = true
    /// The instant at which submissions that could not be carried out, because of a transient error, are read again.
    private(set) var readsAt: UptimeInstant?
    /// The callers that wait for the submissions that existed when they called.
    ///
    /// When the last page of these submissions has been read, the callers move to `pageCalls`.
    private var readCalls: [Int] = []
    /// The callers that wait until a turn has decided about the last page.
    private var pageCalls: [Int] = []

    var isEmpty: Bool { waiting.isEmpty }
    private var hasSubmissions: Bool { waiting.contains { $0.submission != nil } }

    mutating func append(_ command: PendingCommand) { waiting.append(command) }

    /// Inserts a command that is planned before all others.
    mutating func insertFirst(_ command: PendingCommand) { waiting.insert(command, at: 0) }

    mutating func takeAll() -> [PendingCommand] {
        defer { waiting = [] }
        return waiting
    }

    /// Sets the waiting commands after ``takeAll()``.
    mutating func putBack(_ commands: [PendingCommand]) { waiting = commands }

    // MARK: Reads for commands

    /// The jobs that the waiting commands need, each once.
    var needs: [JobReference] {
        var known: Set<JobReference> = []
        return waiting.flatMap(\.needs).filter { known.insert($0).inserted }
    }

    /// The positions of the waiting commands that need each job.
    var positions: [JobReference: [Int]] {
        var positions: [JobReference: [Int]] = [:]
        for index in waiting.indices {
            for reference in waiting[index].needs { positions[reference, default: []].append(index) }
        }
        return positions
    }

    mutating func update(at positions: [Int], _ body: (inout PendingCommand) -> Void) {
        for index in positions { body(&waiting[index]) }
    }

    /// Notes that the needed jobs were read.
    mutating func needsAreRead() {
        for index in waiting.indices where !waiting[index].needs.isEmpty {
            waiting[index].needs = []
            waiting[index].hasRead = true
        }
    }

    mutating func forgetReads() { for index in waiting.indices { waiting[index].forgetRead() } }

    // MARK: Submissions

    /// Requests a read of submissions; the caller `call` is answered once they have become jobs or were refused.
    mutating func readSubmissions(for call: Int? = nil) {
        mustReadSubmissions = true
        if let call { readCalls.append(call) }
    }

    /// Leaves a submission in the store after a transient error.
    ///
    /// The callers that wait for submissions get the error.
    mutating func leave(_ error: JobError, _ now: UptimeInstant, _ effects: inout [SchedulerEffect]) {
        readsAt = now.advanced(by: .seconds(1))
        failReads(error, &effects)
    }

    /// Requests a read of the submissions that were left in the store, when their time has come.
    mutating func resumeReading(_ now: UptimeInstant) {
        guard let readsAt, readsAt <= now else { return }
        self.readsAt = nil
        readSubmissions()
    }

    /// Forgets the submissions of a shard that another scheduler owns.
    mutating func forgetSubmissions(of shard: ShardID) { waiting.removeAll { $0.submission?.shard == shard } }

    /// Returns the next read of submissions; `nil` if all have been read, or if a submission that was read is still
    /// waiting.
    func read(limit: Int) -> SchedulerRead? {
        mustReadSubmissions && !hasSubmissions ? .submissions(limit: limit) : nil
    }

    mutating func took(_ found: [StoreSubmission], limit: Int, _ now: WallInstant) {
        mustReadSubmissions = found.count >= limit
        if !mustReadSubmissions {
            pageCalls += readCalls
            readCalls = []
        }
        for submission in found { waiting.append(PendingCommand(submission, now)) }
    }

    /// Answers the callers that wait for the last page, once a turn has decided about it.
    mutating func answerReads(_ effects: inout [SchedulerEffect]) {
        if pageCalls.isEmpty || hasSubmissions { return }
        for call in pageCalls { effects.answer(call, .success(.done)) }
        pageCalls = []
    }

    // MARK: Failures

    /// Drops a command that could not be carried out because the store failed or the scheduler stops.
    ///
    /// The caller of a command gets the error. A submission is read again, unless it was removed from the store.
    mutating func fail(_ command: PendingCommand, _ error: JobError, _ effects: inout [SchedulerEffect]) {
        guard command.submission == nil else { return readSubmissions() }
        effects.answer(command.number, .failure(error))
    }

    mutating func failAll(_ error: JobError, _ effects: inout [SchedulerEffect]) {
        for command in takeAll() { fail(command, error, &effects) }
    }

    /// Fails the callers that wait for submissions.
    mutating func failReads(_ error: JobError, _ effects: inout [SchedulerEffect]) {
        for call in pageCalls + readCalls { effects.answer(call, .failure(error)) }
        (readCalls, pageCalls) = ([], [])
    }

    /// Forgets the submissions after a failure of the store; they are read again after the pause that follows it.
    mutating func forgetSubmissions(_ error: JobError, _ effects: inout [SchedulerEffect]) {
        failReads(error, &effects)
        if hasSubmissions { mustReadSubmissions = true }
        waiting.removeAll { $0.submission != nil }
    }

    // MARK: Invariants

    /// Returns a description of a broken invariant; `nil` if there is none.
    func brokenInvariant() -> String? {
        let submissions = waiting.compactMap { $0.submission?.sequence }
        return Set(submissions).count < submissions.count ? "a submission was read twice" : nil
    }
}
