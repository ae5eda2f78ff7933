import ApusTimers

/// The scheduler of all jobs as a state machine: what is loaded, what is due, what runs, what is still to be written.
/// No clock, no lock, no task, no I/O; the rules of one job are ``JobMachine``'s.
///
/// ```
///  inputs ──► receive ──► next ──► commit ──► committed ─────► effects
///                          │ ▲        └─────► commitFailed ─┐
///                          │ └──────────────────────────────┘ as before the turn, and again after a pause
///                          ├──► read ──► read(_:), readFailed
///                          └──► wait, retire, close
/// ```
///
/// A loop owns the machine. It brings inputs as they come, asks for the next step, does it, and brings its result; while
/// it does, inputs wait. A turn decides about all of them at once and is one transaction of the store. What it decided
/// becomes true in the machine, and has effects, only when it is committed: until then it is a ``Plan`` beside the
/// state. If the commit fails, the plan is dropped; where its fate is unknown, the jobs that it concerned are doubtful,
/// and are read from the store before anything else is done with them.
package struct SchedulerMachine: ~Copyable {
    enum Phase: Sendable {
        /// Runs that a crash interrupted are decided about, page by page.
        case recovering(after: Int64)
        case running
        case stopping(Stopping)
        case closing(JobError?)
        case stopped

        var isRunning: Bool { if case .running = self { true } else { false } }
        var isStopping: Bool { if case .stopping = self { true } else { false } }
        var acceptsCommands: Bool {
            switch self {
            case .recovering, .running: true
            case .stopping, .closing, .stopped: false
            }
        }
    }

    /// The state of a stop in progress.
    struct Stopping: Sendable {
        /// When handlers are cancelled, and then, when they are not waited for any longer; `nil` for never.
        var deadline: UptimeInstant?
        var handlersAreCancelled = false
        /// Commits that have failed since.
        var failures = 0
    }

    /// A handler's result that is not written yet.
    struct PendingEnd: Sendable {
        var key: RunKey
        /// `nil`: the attempt did not begin, and the run waits again.
        var ended: JobMachine.Ended?
        var postponement: JobPostponement?
        var jitter: Double
    }

    /// A loaded job. An object, so that a step finds it once and changes it in its place; the machine that holds it
    /// cannot be copied.
    final class Entry {
        var machine: JobMachine {
            didSet { isChecked = false }
        }
        /// The invariants of its machine were checked since that has changed.
        var isChecked = false
        var shard: ShardID
        var ends: [PendingEnd] = []
        /// What running handlers have reported, and is not written yet.
        var progress: [RunKey: RunProgress] = [:]
        /// It is in `dirty`: the next turn looks at it.
        var isDirty = false
        /// How it waits for a place, if it does.
        var offer: Offer?
        /// The fate of its last commit is unknown: the store must be asked.
        var isDoubtful = false
        /// Its claimed runs are an earlier owner's.
        var isInterrupted = false
        /// The wall clock was set back by that much, which it has not yet handled.
        var setBack: Duration?
        /// The rules of time zones may have changed, which it has not yet handled.
        var mustReadZone = false
        /// The store would have it looked at earlier than there is anything to do.
        var isOutdated = false
        /// When it is looked at, if its element in `wakes` says the same.
        var armed: WallInstant?

        /// Something has happened to it that is not written yet.
        var hasNews: Bool { !ends.isEmpty || !progress.isEmpty || isInterrupted || isOutdated || isSwept }
        /// A change of the wall clock, or of zones, concerns it.
        var isSwept: Bool { setBack != nil || mustReadZone }

        init(_ machine: JobMachine, shard: ShardID) { (self.machine, self.shard) = (machine, shard) }
    }

    /// Where a job waits for a place.
    struct Offer: Sendable {
        var number: UInt64
        var queue: QueueID
        var priority: JobPriority
        var lane: QueueLane { QueueLane(queue, priority) }
    }

    /// A caller's command that is not answered yet.
    struct PendingCommand: Sendable {
        var number: Int
        var command: SchedulerCommand
        /// What has to be read before it can be planned.
        var needs: [JobReference] = []
        /// The store was asked: what is not loaded is not there.
        var hasRead = false
        /// Jobs that were submitted with the keys of its requests.
        var earlier: [String: Job] = [:]
        /// Jobs that count as the same as its requests, by kind and payload.
        var same: [JobReference: Job] = [:]
        /// How often a foreign change came in between.
        var conflicts = 0
        /// Nothing else is in its way any more.
        var isPlannable = false
        /// It comes from the store: from an application's transaction, or from another scheduler.
        var submission: TakenFrom?
        /// Jobs of other schedulers that it concerns, as they were read for it.
        var foreign: [JobID: LoadedJob] = [:]

        /// What was read for it is not known any more.
        mutating func forgetRead() { (hasRead, same, foreign) = (false, [:], [:]) }
    }

    /// An element of a heap, valid if the job's entry says the same.
    struct Timed: Comparable, Sendable {
        var instant: WallInstant
        var number: UInt64
        var key: Int64
        /// When it is looked at, where `instant` is the latest that this may be.
        var start: WallInstant
        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.instant, lhs.number) < (rhs.instant, rhs.number) }
    }

    let configuration: JobScheduler.Configuration
    var phase = Phase.recovering(after: 0)
    package internal(set) var session: StoreSession
    var clock: StoreClock
    /// The clock record is to be written.
    var isClockChanged: Bool
    /// By how much the wall clock was set, to be reported when that is written.
    var clockSteps: [Duration] = []
    /// All jobs on the wall clock are looked at, page by page.
    var sweep: WallClockSweep?
    /// There are calendar triggers, as far as is known, so that the rules of zones have to be looked at now and then.
    var usesTimeZones = false
    /// Kinds with a handler.
    var kinds: Set<String> = []
    var parkedKinds: Set<String> = []

    var entries: [Int64: Entry] = [:]
    /// The loaded job that an identifier means.
    var keys: [JobID: Int64] = [:]
    /// Attempts whose handlers have not returned, and the queues whose places they have.
    var running: [RunKey: QueueID] = [:]
    var commands: [PendingCommand] = []
    var submissions = SubmissionReading()
    var shards = ShardChanges()
    /// Callers' commands that other schedulers carry out, and until when their answers are waited for.
    var calls: [Int: UptimeInstant] = [:]
    var stopCalls: [Int] = []
    /// Whether metrics are reported.
    package var countsRuns = false

    /// Loaded jobs that the next turn looks at, in this order.
    var dirty: [Int64] = []
    var doubtful: Set<Int64> = []
    /// Jobs with a run that may start.
    var board: QueueBoard
    /// Jobs by when they are to be looked at, and by when that must have happened.
    var wakes = Heap<Timed>()
    var deadlines = Heap<Timed>()
    /// Queues whose records in the store may be others than the board's: they are written anew.
    var doubtfulQueues: Set<QueueID> = []
    var counter: UInt64 = 0
    /// Jobs whose handlers are registered nowhere here.
    var parked: Set<Int64> = []
    /// Jobs with runs that are due and wait for conditions. The host is followed while there are any.
    var held: Set<Int64> = []
    var unmet: JobConditions = []
    var isFollowing = false
    /// The conditions were read for this turn.
    var hasConditions = false
    /// Jobs among those that wait for a place that ask for conditions.
    var conditionalReady: Set<Int64> = []

    /// When jobs are loaded next, and when that must have happened.
    var load: (at: WallInstant, latest: WallInstant)?
    /// There are jobs within the horizon that found no room.
    var isTruncated = false
    /// Of these, so many wait that the last load left out the others.
    var fullLanes: Set<QueueLane> = []
    var isStarting = true
    var lastRetired: WallInstant?
    var mustRetire = false
    private var hasRetired = false
    /// Failed accesses to the store in a row, and until when none is tried.
    var failures = 0
    var retryAt: UptimeInstant?
    /// That has been reported.
    var isStoreFailing = false

    var plan: Plan?
    private var effects: [SchedulerEffect] = []

    /// The machine of a store that was just opened.
    package init(
        session: StoreSession, configuration: JobScheduler.Configuration, at now: ClockReading
    ) {
        self.session = session
        self.configuration = configuration
        let bootID = configuration.bootID
        // A copy, assigned once: changed in its place before all properties had values, its text was released once too
        // often by release builds of Swift 6.3.
        var clock = session.clock ?? StoreClock(bootID: bootID, wallOffset: now.wallOffset, elapsedOffset: .zero)
        // Across boots, and from machine to machine, the clocks cannot be compared: the wall clock is believed.
        if bootID == nil || clock.bootID != bootID || session.isShared { clock.wallOffset = now.wallOffset }
        clock.bootID = bootID
        self.clock = clock
        // The rules of zones may have changed since the jobs were written.
        if session.mayHaveCalendars { sweep = WallClockSweep(mustReadZones: true) }
        isClockChanged = clock != session.clock && !session.isShared
        // What is stored is by the wall clock as it was recorded. That it was set since is noticed later.
        var recorded = now
        recorded.wall = now.wall.advanced(by: clock.wallOffset - now.wallOffset)
        board = QueueBoard(session.queues, isShared: session.isShared, now: recorded)
    }

    // MARK: Inputs

    /// Takes notice of what has happened. What follows from it is decided by ``next(at:)``.
    package mutating func receive(_ input: SchedulerInput, at now: ClockReading) {
        switch input {
        case .command(let number, .stop(let grace)): stop(number, grace: grace, now)
        case .command(let number, .takeSubmissions): takeSubmissions(number)
        case .command(let number, let command):
            guard phase.acceptsCommands else { return answer(number, .failure(Self.closed)) }
            commands.append(PendingCommand(number: number, command: command))
        case .ended(let key, let ended, let jitter):
            took(PendingEnd(key: key, ended: ended, postponement: nil, jitter: jitter))
        case .notBegun(let key, let postponement):
            took(PendingEnd(key: key, ended: nil, postponement: postponement, jitter: 0))
        case .progress(let key, let progress):
            guard entries[key.job] != nil, running[key] != nil else { return }
            entries[key.job]!.progress[key] = progress
            markDirty(key.job)
        case .conditions(let unmet):
            hasConditions = true
            conditionsAre(unmet)
        case .handler(let kind):
            kinds.insert(kind)
            parkedKinds.remove(kind)
            for key in parked.sorted() where entries[key]?.machine.job.request.kind == kind { markDirty(key) }
        case .signal(let signal): receive(signal, now)
        case .timeZonesChanged: begin(WallClockSweep(mustReadZones: true))
        }
    }

    private mutating func took(_ end: PendingEnd) {
        if let queue = running.removeValue(forKey: end.key) { board.ended(queue) }
        if case .stopping(var stopping) = phase {
            // What failed before says nothing of whether this can be written.
            stopping.failures = 0
            phase = .stopping(stopping)
        }
        guard !endOrphan(end.key), let entry = entries[end.key.job] else { return }
        entry.ends.append(end)
        markDirty(end.key.job)
    }

    private mutating func receive(_ signal: StoreSignal, _ now: ClockReading) {
        switch signal {
        case .wake: loadSoon(now.wall)
        case .submissions: submissions.mustRead = true
        case .reply(let call, let reply): replied(call, reply)
        case .queue(let queue, let places): board.adopt(queue, noted: places, now)
        case .granted(let shard, let epoch): granted(shard, epoch, now)
        case .revoked(let shard): revoked(shard)
        case .ended: halt(JobError(.notOwner, "other schedulers of the store have taken this one for dead"))
        case .share(let count): if !phase.isStopping { share(count, now.wall) }
        case .cutOff: cutOff()
        case .connected: connected(now.wall)
        }
    }

    static let closed = JobError(.closed, "the scheduler has stopped; start another one")

    // MARK: Effects

    mutating func effect(_ effect: SchedulerEffect) { effects.append(effect) }

    mutating func reserveEffects(_ count: Int) { effects.reserveCapacity(effects.count + count) }

    mutating func answer(_ number: Int, _ result: Result<SchedulerReply, JobError>) { effect(.answer(number, result)) }

    /// What is to be done now, in this order.
    package mutating func takeEffects() -> [SchedulerEffect] {
        if effects.isEmpty { return [] }
        defer { effects = [] }
        return effects
    }

    // MARK: The next step

    /// Decides what the loop does next.
    package mutating func next(at now: ClockReading) -> SchedulerStep {
        precondition(plan == nil, "the result of the last commit was not brought")
        noteClock(now)
        moveOnStopping(now)
        answerTaken()
        giveUpCalls(now.uptime)
        switch phase {
        case .stopped: return .wait(nil)
        case .closing: return .close
        case .recovering, .running, .stopping: break
        }
        let isPaused = retryAt.map { now.uptime < $0 } ?? false
        // A turn and a piece of the history alternate.
        if mustRetire, !hasRetired { return retire(now) }
        hasRetired = false
        repeat {
            if let read = nextRead(now, isPaused: isPaused) { return .read(read) }
            if !isPaused {
                takeDue(now.wall)
                if mustReadConditions(now) { return .readConditions }
            }
            if isPaused, commands.isEmpty { break }
            if let turn = makePlan(now, isPaused: isPaused) { return .commit(turn) }
            // Planning may have found that there is more to look at, or that what waited for a place has nothing to start.
        } while !isPaused && (!dirty.isEmpty || phase.isRunning && isDrained)
            || commands.contains { $0.isPlannable }
        hasConditions = false
        // What was found to be written already is waited for no longer.
        moveOnStopping(now)
        if case .closing = phase { return .close }
        if mustRetire { return retire(now) }
        removeStale()
        return .wait(wake(now, isPaused: isPaused))
    }

    private mutating func retire(_ now: ClockReading) -> SchedulerStep {
        mustRetire = false
        hasRetired = true
        lastRetired = now.wall
        return .retire(
            endedBefore: now.wall.advanced(by: .zero - configuration.finishedJobsKept), budget: Self.retiredAtOnce)
    }

    /// How many ended jobs are removed in one piece.
    static let retiredAtOnce = 100

    /// A piece of the history was removed.
    package mutating func retired(hasMore: Bool) { mustRetire = hasMore && phase.isRunning }

    /// It could not be removed. The next hour is soon enough, unless that is not this scheduler's any more.
    package mutating func retireFailed(_ error: JobError) {
        if error.code == .notOwner || error.code == .closed { halt(error) }
    }

    /// Jobs that are due, in the order of their instants, are looked at.
    private mutating func takeDue(_ now: WallInstant) {
        guard phase.isRunning else { return }
        while let first = wakes.first, first.instant <= now {
            _ = wakes.pop()
            guard entries[first.key]?.armed == first.instant else { continue }
            entries[first.key]!.armed = nil
            markDirty(first.key)
        }
    }

    mutating func markDirty(_ key: Int64) {
        guard let entry = entries[key], !entry.isDirty else { return }
        entry.isDirty = true
        dirty.append(key)
    }
}
