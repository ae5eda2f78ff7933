import ApusTimers

/// What the scheduler keeps behind its lock. Only jobs within the horizon, or running, have an entry.
struct SchedulerState: Sendable {
    enum Phase: Sendable { case idle, starting, running, stopping, stopped }

    /// What is done as soon as the lock is released.
    enum Deferred: Sendable {
        case process(JobID)
        case load
        case resume(CheckedContinuation<Void, Never>)
        case resumeIdle(CheckedContinuation<Bool, Never>)
        case cancel(ScheduledTimer)
        case follow(until: AsyncStream<Never>)
        case endFollowing(AsyncStream<Never>.Continuation)
    }

    struct RunKey: Hashable, Sendable {
        var job: Int64
        var occurrence: Int
        var attempt: Int
        init(_ run: Run) { (job, occurrence, attempt) = (run.jobKey, run.occurrence, run.attempt) }
    }

    /// A handler's result that is not written yet.
    struct PendingEnd: Sendable {
        var key: RunKey
        /// `nil`: the attempt did not begin, and the run waits again.
        var ended: JobMachine.Ended?
        /// Why it did not begin, and until when it waits, if the handler says so.
        var postponement: JobPostponement?
        var jitter: Double
    }

    /// A loaded job.
    struct Entry: Sendable {
        var machine: JobMachine
        var timer: ScheduledTimer?
        var armedAt: WallInstant?
        var ends: [PendingEnd] = []
        /// A task that will look at the job is on its way.
        var isKicked = false
        /// It is in the queue for a slot.
        var isQueued = false
        /// Slots that are reserved for it.
        var granted = 0
        /// A commit failed without saying whether it was applied: the store must be asked.
        var isStale = false
        /// Failed commits in a row.
        var failures = 0
        init(_ machine: JobMachine) { self.machine = machine }

        var isRunning: Bool { !ends.isEmpty || machine.open.contains { $0.state == .claimed } }
    }

    var phase = Phase.idle
    var epoch = StoreEpoch(rawValue: 0)
    var handlers: [String: JobScheduler.Handler] = [:]
    var entries: [JobID: Entry] = [:]
    /// A lane is there while somebody is in it; the others wait in order.
    var lanes: [JobID: [CheckedContinuation<Void, Never>]] = [:]
    var running: [RunKey: RunControl] = [:]
    /// Slots that running handlers have, or that are reserved.
    var slots = 0
    var queue = DueQueue()
    var deferred: [Deferred] = []

    /// What did not hold when somebody looked last. Current while the host is followed; at other times a job that is due
    /// looks first.
    var unmet: JobConditions = []
    /// Jobs with runs that are due and wait for conditions. The host is followed while there are any.
    private(set) var held: Set<JobID> = []
    /// Ends the following.
    private(set) var following: AsyncStream<Never>.Continuation?

    // The gate: transitions pass it; a change of the wall clock closes it while jobs are moved.
    var inside = 0
    var isGateClosed = false
    var gateWaiters: [CheckedContinuation<Void, Never>] = []
    var gateEmptied: CheckedContinuation<Void, Never>?
    /// Wall clock minus continuous clock, in nanoseconds.
    var clockOffset: Int64 = 0

    var loadTimer: ScheduledTimer?
    /// When the next load has begun at the latest.
    var loadBy: WallInstant?
    var isLoading = false
    var loadAgain = false
    var isTruncated = false
    var lastPruned: WallInstant?
    /// Tasks on their way to a lane.
    var kicks = 0
    var isStoreFailing = false
    var idleWaiter: CheckedContinuation<Bool, Never>?
    var stopWaiters: [CheckedContinuation<Void, Never>] = []

    /// Whether nothing is to be waited for before the store is closed.
    var isIdle: Bool {
        running.isEmpty && kicks == 0 && inside == 0 && !isLoading
            && !entries.values.contains { !$0.ends.isEmpty && $0.failures < 3 }
    }

    mutating func checkIdle() {
        guard let waiter = idleWaiter, isIdle else { return }
        idleWaiter = nil
        deferred.append(.resumeIdle(waiter))
    }

    mutating func kick(_ id: JobID) {
        guard let entry = entries[id], !entry.isKicked else { return }
        entries[id]!.isKicked = true
        kicks += 1
        deferred.append(.process(id))
    }

    /// A slot is free: the job whose run is the oldest gets it.
    mutating func freeSlot() {
        slots -= 1
        while let id = queue.pop() {
            guard entries[id]?.isQueued == true else { continue }
            entries[id]!.isQueued = false
            entries[id]!.granted += 1
            slots += 1
            kick(id)
            return
        }
    }

    /// Keeps account of who waits for conditions.
    mutating func hold(_ id: JobID, _ isHeld: Bool) {
        if isHeld {
            held.insert(id)
            guard following == nil else { return }
            let (end, continuation) = AsyncStream.makeStream(of: Never.self)
            following = continuation
            deferred.append(.follow(until: end))
        } else {
            held.remove(id)
            if held.isEmpty, let end = following.take() { deferred.append(.endFollowing(end)) }
        }
    }

    /// Entries that take up room: those that wait for conditions stay, however many they are.
    var loadedCount: Int { entries.count - held.count }

    mutating func disarm(_ id: JobID) {
        guard let timer = entries[id]?.timer else { return }
        entries[id]!.timer = nil
        entries[id]!.armedAt = nil
        deferred.append(.cancel(timer))
    }

    mutating func unload(_ id: JobID) {
        disarm(id)
        hold(id, false)
        let granted = entries.removeValue(forKey: id)?.granted ?? 0
        for _ in 0..<granted { freeSlot() }
    }
}

/// Jobs that wait for a slot: the oldest due first, then in the order of arrival.
struct DueQueue: Sendable {
    private struct Element: Sendable {
        var due: WallInstant
        var number: UInt64
        var id: JobID
        func isBefore(_ other: Element) -> Bool { (due, number) < (other.due, other.number) }
    }
    private var heap: [Element] = []
    private var counter: UInt64 = 0

    mutating func push(_ id: JobID, due: WallInstant) {
        counter += 1
        heap.append(Element(due: due, number: counter, id: id))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> JobID? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if heap.isEmpty { return first.id }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[least])
            {
                least = child
            }
            if least == parent { return first.id }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
