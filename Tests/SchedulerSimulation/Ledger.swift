import ApusJobs
import ApusTimers
import ApusVirtualTime

/// The observations from outside: submissions, commands with their answers, and calls of handlers, with the first
/// broken promise.
///
/// The ledger belongs to no process, so it is complete whatever happens to the processes.
final class Ledger: Sendable {
    /// An instant on two clocks, in nanoseconds: the elapsed time since the beginning, and the wall clock.
    struct Moment: Sendable, Hashable {
        var elapsed: Int64
        var wall: Int64
    }

    /// A submission, with the facts about the job that it made.
    struct Facts: Sendable {
        var plan: JobPlan
        var number: Int
        var issued: Moment
        var answered: Moment?
        /// Whether an application has committed the submission, so that no caller waits for an answer.
        var isInTransaction = false
        /// The store's number of the job.
        var key: Int64?
        /// The identifier of the job: that of the submission, or of the job that the submission has updated.
        var jobID: JobID?
        /// Whether the submission was refused because it conflicts with an existing job; it must then have no effect.
        var isRefused = false
        /// Whether the job has had other definitions.
        var isMixed = false
        /// The phase of the occurrences; `nil` if it is unknown.
        ///
        /// The occurrences are counted from a submission, which was made at a moment between `from` and `to`. `origin`
        /// is the number of earlier occurrences.
        var phase: Phase?
        /// Whether this submission was acknowledged with a job that it made.
        var isAcknowledged = false
        var isCancelIssued = false
        var isReplaceIssued = false
        /// Whether a command may remove the job once it has ended.
        var isDeleteIssued = false
        /// The moment of an acknowledged end, after which no run of the job may begin.
        var ended: Moment?
        /// Whether the job has ended because a later job has its identifier.
        var hasGivenWay = false
        var runsByHandIssued = 0
        var isSuspendIssued = false
        var isResumeIssued = false
        /// The elapsed time since which the job is certainly suspended; `suspended` contains the earlier periods.
        var suspendedSince: Int64?
        var suspended: [ClosedRange<Int64>] = []
        /// The elapsed time since which the job may be suspended.
        ///
        /// `perhapsSuspended` is the total length of the earlier periods in which it may have been suspended.
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
        /// The due instant on the wall clock, in nanoseconds.
        var due: Int64 = 0
        /// The elapsed time at which the run was claimed, in nanoseconds; `nil` if it is uncertain.
        var claimed: Int64?
        /// The beginning on the uptime clock, in nanoseconds.
        var startedUptime: Int64
        var ended: Moment?
        var endedUptime: Int64?
        var result: Result?
        /// The reason of the requested cancellation; `nil` if none was requested.
        var cancellation: CancellationReason?
        /// Whether everything worked when the call began.
        var wasCalm = false
        /// Whether the store must contain the result.
        ///
        /// This is so if the process has stopped normally, and the store has accepted all commits meanwhile.
        var mustBeRecorded = false
        /// The elapsed times of the progress reports, in nanoseconds.
        var reports: [Int64] = []
    }

    struct Command: Sendable {
        enum Kind: Sendable, Hashable {
            case submit, cancel, suspend, resume, runNow, query, retry, cancelRun, delete, configure, start, stop
        }
        var kind: Kind
        var node: Int
        /// The number of the plan of the job that the command concerns.
        var job: Int?
        /// The identifier by which the command referred to the job.
        var jobID: JobID?
        /// The jobs that a command for all matching jobs concerns.
        var reach: Reach?
        var queue: Int?
        var submissions: [Int] = []
        var grace: Int?
        var issued: Moment
        var isOver = false
    }

    /// The jobs that a command for all matching jobs concerns.
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
        /// Whether another process has opened the store.
        var hasLostStore = false
        var running: [Int] = []
        var lastEnd: Int64 = 0
        /// The elapsed time at which the last free place was taken or returned.
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
        /// Whether the trouble is over, so that handlers return at once.
        var isPeace = false
        var isOver = false
        /// The elapsed time since which everything works: a scheduler runs and owns its store, which accepts
        /// everything.
        var calmSince: Int64?
        /// The elapsed time since which nothing hangs and no process is frozen.
        var flowsSince: Int64? = 0
        /// The elapsed time since which nothing hangs, no process is frozen, and no store fails.
        var healthySince: Int64? = 0
        /// The conditions that the device does not meet, each with the elapsed time at which the device stopped meeting
        /// it.
        var unmetSince: [Int: Int64] = [:]
        /// The positions in `calls` of each attempt.
        var callsByAttempt: [Attempt: [Int]] = [:]
        var queues: [Int: QueueFacts] = [:]
        /// The moment of the beginning, and each moment after a change of the wall clock.
        var clocks: [Moment] = []
    }

    /// The known settings of a queue.
    struct QueueFacts: Sendable {
        var isPaused = false
        var concurrency: Int?
        var concurrencyPerKey: Int?
        var rate: (runs: Int, period: Int64)?
        /// The elapsed time since which all of these settings are certain.
        var since: Int64 = .max
        /// The elapsed time since which the rate is unchanged.
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

    /// Records a broken promise, unless another one was recorded before or the history has ended.
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

    /// Changes the facts of the jobs that a command may concern.
    mutating func update(by command: Ledger.Command, _ change: (inout Ledger.Facts) -> Void) {
        for job in Set(facts.map(\.plan.id)) where isAbout(command, job) { update(job: job, change) }
    }

    /// Returns whether a command may concern the job with this number.
    ///
    /// The job may have been submitted with any of the plans that have the number.
    func isAbout(_ command: Ledger.Command, _ job: Int) -> Bool {
        guard let reach = command.reach else { return command.job == job }
        return facts.contains { $0.plan.id == job && reach.includes($0.plan) }
    }

    /// Returns whether a command of this kind is in progress that may change the job of the plan.
    func isUnderWay(_ kind: Ledger.Command.Kind, _ plan: JobPlan) -> Bool {
        commands.contains { command in
            !command.isOver && command.kind == kind
                && (isAbout(command, plan.id) || command.reach?.includes(plan) ?? false)
        }
    }
}
