import ApusJobs
import ApusTimers
import ApusVirtualTime

/// What was seen from outside: submissions, commands and their answers, and calls of handlers. The first broken promise
/// stays here.
///
/// It belongs to no process: whatever happens to those, it remembers.
final class Ledger: Sendable {
    /// One instant on both clocks, in nanoseconds: elapsed since the beginning, and the wall clock.
    struct Moment: Sendable, Hashable {
        var elapsed: Int64
        var wall: Int64
    }

    /// A submission, and what is known of the job that it made.
    struct Facts: Sendable {
        var plan: JobPlan
        var number: Int
        var issued: Moment
        var answered: Moment?
        /// An application has committed it, and no caller waits for an answer.
        var isInTransaction = false
        /// The store's number of the job.
        var key: Int64?
        /// Its identifier: that of the submission, or of the job that the submission has updated.
        var jobID: JobID?
        /// It was answered that there is such a job, so it must not have an effect.
        var isRefused = false
        /// The job has had other definitions.
        var isMixed = false
        /// Where the trigger's occurrences are counted from: when it was submitted, between which moments, and how many
        /// occurrences came before it. `nil`: that is not known.
        var phase: Phase?
        /// Whether this submission was acknowledged with a job of its own.
        var isAcknowledged = false
        var isCancelIssued = false
        var isReplaceIssued = false
        /// The job may be removed once it has ended.
        var isDeleteIssued = false
        /// Acknowledged, so nothing of it may start any more.
        var ended: Moment?
        /// That is because a later job has the identifier.
        var hasGivenWay = false
        var runsByHandIssued = 0
        var isSuspendIssued = false
        var isResumeIssued = false
        /// Certainly suspended since then, and before.
        var suspendedSince: Int64?
        var suspended: [ClosedRange<Int64>] = []
        /// Perhaps suspended since then, and how long in all before.
        var perhapsSuspendedSince: Int64?
        var perhapsSuspended: Int64 = 0
        var sawWallMove = false
        var sawWallMoveBack = false
    }

    struct Phase: Sendable, Hashable {
        var from: Moment
        var to: Moment
        var origin: Int
    }

    struct Call: Sendable {
        enum Result: Sendable, Hashable { case returned, threw, postponed }
        var node: Int
        var submission: Int
        var key: Int64
        var occurrence: Int
        var attempt: Int
        var started: Moment
        /// The wall clock's, in nanoseconds.
        var due: Int64 = 0
        /// When the run was claimed, in nanoseconds of elapsed time; `nil` if that is not certain.
        var claimed: Int64?
        /// On the uptime clock, in nanoseconds.
        var startedUptime: Int64
        var ended: Moment?
        var endedUptime: Int64?
        var result: Result?
        /// Why its cancellation was requested, if it was.
        var cancellation: CancellationReason?
        /// Everything worked when it began.
        var wasCalm = false
        /// Its process has stopped in order, and the store took everything meanwhile.
        var mustBeRecorded = false
        /// When it has reported progress, in nanoseconds of elapsed time.
        var reports: [Int64] = []
    }

    struct Command: Sendable {
        enum Kind: Sendable, Hashable {
            case submit, cancel, suspend, resume, runNow, query, retry, cancelRun, delete, configure, start, stop
        }
        var kind: Kind
        var node: Int
        /// The number of the plan, and the identifier that it stood for.
        var job: Int?
        var jobID: JobID?
        /// Of a command for all jobs that match: which those are.
        var reach: Reach?
        var queue: Int?
        var submissions: [Int] = []
        var grace: Int?
        var issued: Moment
        var isOver = false
    }

    /// Which jobs a command for all that match is about.
    enum Reach: Sendable, Hashable {
        case all
        case queue(Int)

        func includes(_ plan: JobPlan) -> Bool {
            switch self {
            case .all: true
            case .queue(let queue): plan.queue == queue
            }
        }
    }

    /// One process with a scheduler.
    struct NodeFacts: Sendable {
        var isStarted = false
        var hasFailedToStart = false
        var isStopIssued = false
        var isStopReturned = false
        var isDead = false
        var isFrozen = false
        /// Another one has opened the store.
        var hasLostStore = false
        var running: [Int] = []
        var lastEnd: Int64 = 0
        /// When the last place was taken, or given back.
        var lastFull: Int64 = -1
    }

    struct State: Sendable {
        var history: History
        var facts: [Facts] = []
        var calls: [Call] = []
        var commands: [Command] = []
        var nodes: [NodeFacts] = []
        var owner: Int?
        var takenOver: Moment?
        var violation: Violation?
        /// Handlers return at once, and what the world does is over.
        var isPeace = false
        var isOver = false
        /// Since when everything works: a scheduler runs and owns its store, which takes everything.
        var calmSince: Int64?
        /// Since when nothing hangs, and no process is frozen.
        var flowsSince: Int64? = 0
        /// Since when no store fails either.
        var healthySince: Int64? = 0
        /// What does not hold on the device, and since when each.
        var unmetSince: [Int: Int64] = [:]
        /// Positions in `calls`.
        var callsByAttempt: [Attempt: [Int]] = [:]
        var queues: [Int: QueueFacts] = [:]
        /// The beginning, and each moment at which the wall clock was set, as it was then.
        var clocks: [Moment] = []
    }

    /// What is known of a queue.
    struct QueueFacts: Sendable {
        var isPaused = false
        var concurrency: Int?
        var concurrencyPerKey: Int?
        var rate: (runs: Int, period: Int64)?
        /// All of this is certain since then.
        var since: Int64 = .max
        /// The rate is the same since then.
        var rateSince: Int64 = .max
    }

    struct Attempt: Sendable, Hashable {
        var key: Int64
        var occurrence: Int
        var attempt: Int
    }

    private let state: Locked<State>
    private let time: VirtualTime
    private let beginning: UInt64

    init(_ history: History, time: VirtualTime) {
        state = Locked(State(history: history))
        self.time = time
        beginning = time.continuous().nanoseconds
        let now = now
        state.withLock { $0.clocks = [now] }
    }

    var now: Moment {
        Moment(
            elapsed: Int64(time.continuous().nanoseconds - beginning), wall: Int64(clamping: time.wall().nanoseconds))
    }
    var uptime: Int64 { Int64(time.uptime().nanoseconds) }

    func with<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    var violation: Violation? { state.withLock { $0.violation } }

    /// Only the first counts, and none after the end.
    func report(_ promise: Promise, _ detail: String) {
        let now = now
        state.withLock { $0.report(promise, detail, at: now) }
    }
}

extension Ledger.State {
    mutating func report(_ promise: Promise, _ detail: String, at now: Ledger.Moment) {
        if violation != nil || isOver { return }
        violation = Violation(promise: promise, detail: detail, millisecond: now.elapsed / 1_000_000)
    }

    /// Changes the facts of every submission for this identifier.
    mutating func update(job: Int, _ change: (inout Ledger.Facts) -> Void) {
        for index in facts.indices where facts[index].plan.id == job { change(&facts[index]) }
    }

    /// The same for the jobs that a command may be about.
    mutating func update(by command: Ledger.Command, _ change: (inout Ledger.Facts) -> Void) {
        for job in Set(facts.map(\.plan.id)) where isAbout(command, job) { update(job: job, change) }
    }

    /// Whether a command may be about the job with this number, which may have any of its plans.
    func isAbout(_ command: Ledger.Command, _ job: Int) -> Bool {
        guard let reach = command.reach else { return command.job == job }
        return facts.contains { $0.plan.id == job && reach.includes($0.plan) }
    }

    /// Whether a command of this kind is under way that may change the job of the plan.
    func isUnderWay(_ kind: Ledger.Command.Kind, _ plan: JobPlan) -> Bool {
        commands.contains { command in
            !command.isOver && command.kind == kind
                && (isAbout(command, plan.id) || command.reach?.includes(plan) ?? false)
        }
    }
}
