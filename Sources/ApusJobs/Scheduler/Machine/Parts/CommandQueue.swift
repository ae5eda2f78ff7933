import ApusTimers

/// A command that is not answered yet.
struct PendingCommand: Sendable {
    /// Where a command comes from that the store keeps.
    struct Origin: Sendable {
        var sequence: Int64
        var submitted: WallInstant
        /// Another scheduler is answered.
        var isCall: Bool
        /// The shard whose owner takes it.
        var shard: ShardID
        /// Why it is only removed.
        var refusal: JobError?
    }

    var number: Int
    var command: SchedulerCommand
    /// The jobs that must be read before it can be planned.
    var needs: [JobReference] = []
    /// The store was asked: what is not loaded does not exist.
    var hasRead = false
    /// Jobs that were submitted with the keys of its requests.
    var earlier: [String: Job] = [:]
    /// Jobs that count as the same as its requests.
    var same: [JobReference.Unique: Job] = [:]
    /// Jobs of other schedulers that it concerns, as they were read for it.
    var foreign: [JobID: LoadedJob] = [:]
    /// A job that it concerns and that cannot be read.
    var unreadable: UnreadableJob?
    /// How often a foreign change came in between.
    var conflicts = 0
    /// Nothing else is in its way any more.
    var isPlannable = false
    /// `nil` for a caller's command.
    var submission: Origin?

    init(_ number: Int, _ command: SchedulerCommand) { (self.number, self.command) = (number, command.normalized) }

    init(_ submission: StoreSubmission, _ now: WallInstant) {
        self.init(0, .job(submission.command ?? .submit([])))
        var origin = Origin(
            sequence: submission.sequence, submitted: submission.submitted, isCall: submission.isCall,
            shard: submission.shard)
        switch submission.command {
        case .submit(let requests):
            // Before anything is read for it: a store need not be able to look for what no job may be.
            do throws(JobError) {
                for request in requests { try request.validate() }
                // No caller waits here, so it need not guess that its identifier is free.
                needs = SchedulerMachine.references(requests, at: now)
            } catch {
                origin.refusal = error
            }
        case .some: break
        case nil:
            origin.refusal = JobError(
                code: .invalid, message: "what is stored cannot be read: \(submission.problem ?? "it is no command")")
        }
        self.submission = origin
    }

    /// The jobs that were read for it may have changed.
    mutating func forgetRead() {
        (hasRead, earlier, same, foreign, unreadable) = (false, [:], [:], [:], nil)
    }
}

/// The commands that are in no committed turn yet: those of callers, and those that the store keeps, which applications
/// have submitted in their own transactions and other schedulers have forwarded.
///
/// The store's are read when the scheduler has started and when the store signals, a page at a time, each page when the
/// one before it was decided about. The turn that makes the job removes the submission. Until that is committed it is
/// in the store, so it is forgotten here whenever the store fails, and read again.
struct CommandQueue {
    /// In the order of their arrival.
    private(set) var waiting: [PendingCommand] = []
    /// There may be submissions in the store that were not read.
    private var mustReadSubmissions = true
    /// When submissions that could not be carried out, for reasons that pass, are read again.
    private(set) var readsAt: UptimeInstant?
    /// Callers that wait for the submissions that were there when they asked: until the last page is read, and then
    /// until it is decided about.
    private var readCalls: [Int] = []
    private var pageCalls: [Int] = []

    var isEmpty: Bool { waiting.isEmpty }
    private var hasSubmissions: Bool { waiting.contains { $0.submission != nil } }

    mutating func append(_ command: PendingCommand) { waiting.append(command) }

    /// It is planned before all others.
    mutating func insertFirst(_ command: PendingCommand) { waiting.insert(command, at: 0) }

    mutating func takeAll() -> [PendingCommand] {
        defer { waiting = [] }
        return waiting
    }

    /// After ``takeAll()``.
    mutating func putBack(_ commands: [PendingCommand]) { waiting = commands }

    // MARK: Reads for commands

    /// The jobs that the waiting commands need, each once.
    var needs: [JobReference] {
        var known: Set<JobReference> = []
        return waiting.flatMap(\.needs).filter { known.insert($0).inserted }
    }

    /// Which of the waiting commands need a job, by their positions.
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

    /// The store has answered.
    mutating func needsAreRead() {
        for index in waiting.indices where !waiting[index].needs.isEmpty {
            waiting[index].needs = []
            waiting[index].hasRead = true
        }
    }

    mutating func forgetReads() { for index in waiting.indices { waiting[index].forgetRead() } }

    // MARK: Submissions

    /// There may be new submissions. A caller that asks for them is answered when these have become jobs, or were
    /// refused.
    mutating func readSubmissions(for call: Int? = nil) {
        mustReadSubmissions = true
        if let call { readCalls.append(call) }
    }

    /// A submission stays in the store, since it could not be carried out for a reason that passes. The callers that
    /// wait for submissions get the error.
    mutating func leave(_ error: JobError, _ now: UptimeInstant, _ effects: inout [SchedulerEffect]) {
        readsAt = now.advanced(by: .seconds(1))
        failReads(error, &effects)
    }

    /// Reads what was left in the store when its time has come.
    mutating func resumeReading(_ now: UptimeInstant) {
        guard let readsAt, readsAt <= now else { return }
        self.readsAt = nil
        readSubmissions()
    }

    /// Drops what was read for a shard that is another scheduler's.
    mutating func forgetSubmissions(of shard: ShardID) { waiting.removeAll { $0.submission?.shard == shard } }

    /// A page of submissions, if there may be some and none of the last page is left.
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

    /// Answers the callers that wait for the last page if it is decided about.
    mutating func answerReads(_ effects: inout [SchedulerEffect]) {
        if pageCalls.isEmpty || hasSubmissions { return }
        for call in pageCalls { effects.answer(call, .success(.done)) }
        pageCalls = []
    }

    // MARK: Failures

    /// Drops a command that was not carried out because of the store or the scheduler. A caller gets the error; a
    /// submission is still in the store, or was taken.
    mutating func fail(_ command: PendingCommand, _ error: JobError, _ effects: inout [SchedulerEffect]) {
        guard command.submission == nil else { return readSubmissions() }
        effects.answer(command.number, .failure(error))
    }

    /// Fails those that are waiting.
    mutating func failAll(_ error: JobError, _ effects: inout [SchedulerEffect]) {
        for command in takeAll() { fail(command, error, &effects) }
    }

    /// Fails the callers that wait for submissions.
    mutating func failReads(_ error: JobError, _ effects: inout [SchedulerEffect]) {
        for call in pageCalls + readCalls { effects.answer(call, .failure(error)) }
        (readCalls, pageCalls) = ([], [])
    }

    /// Drops the submissions after a failure of the store; they are read again after the pause.
    mutating func forgetSubmissions(_ error: JobError, _ effects: inout [SchedulerEffect]) {
        failReads(error, &effects)
        if hasSubmissions { mustReadSubmissions = true }
        waiting.removeAll { $0.submission != nil }
    }

    // MARK: Invariants

    /// Describes a broken invariant; `nil` if there is none.
    func brokenInvariant() -> String? {
        let submissions = waiting.compactMap { $0.submission?.sequence }
        return Set(submissions).count < submissions.count ? "a submission was read twice" : nil
    }
}
