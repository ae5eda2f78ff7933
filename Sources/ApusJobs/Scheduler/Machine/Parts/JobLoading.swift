import ApusTimers

/// Decides when jobs that are due within the horizon are loaded, and which of them are left in the store because the
/// memory is full.
struct JobLoading {
    private let horizon: Duration
    private let maximumLoaded: Int
    /// The earliest and the latest instant at which the next load of all lanes begins; `nil` if none is scheduled.
    private(set) var next: (at: WallInstant, latest: WallInstant)?
    /// Whether jobs within the horizon were left in the store because the memory was full.
    private var isTruncated = false
    /// The earliest wake of each lane's jobs that are due within the horizon but are only in the store.
    ///
    /// A lane without such jobs has no entry.
    private(set) var left: [QueueLane: WallInstant] = [:]
    /// Whether no load has succeeded yet.
    private(set) var isStarting = true

    init(_ configuration: JobScheduler.Configuration) {
        (horizon, maximumLoaded) = (configuration.horizon, configuration.maximumLoaded)
    }

    /// The largest number of jobs of one lane in memory.
    private var largestShare: Int { max(1, maximumLoaded / 4) }

    /// Returns whether a job with this wake is left in the store because the wake is later than the horizon.
    func isFar(_ wake: WallInstant, _ now: WallInstant) -> Bool { wake > now.advanced(by: horizon) }

    // MARK: When

    mutating func loadNow(_ now: WallInstant) { next = (now, now) }

    /// Schedules a load at `instant`, unless an earlier one is scheduled.
    ///
    /// To share a wake-up, a load that is not urgent may begin up to a quarter of the horizon late. `instant` is a
    /// whole horizon before the first job of the load is due, so this delays no job.
    mutating func load(at instant: WallInstant, isUrgent: Bool = false) {
        let latest = isUrgent ? instant : instant.advanced(by: horizon / 4)
        if let next, next.latest <= latest { return }
        next = (instant, latest)
    }

    /// Schedules a load early enough for a job that was left in the store.
    mutating func load(before wake: WallInstant) { load(at: wake.advanced(by: .zero - horizon)) }

    /// The facts about a new job, and about its lane's jobs in memory, that decide whether it is left in the store.
    struct LaneLoad {
        var lane: QueueLane
        /// The number of the lane's jobs in memory that wait for a place, a handler or conditions.
        var count: Int
        /// Whether no job of the lane can run (``JobLoad/isHeld(_:)``).
        var isHeld: Bool
        /// The number of lanes that wait for handlers or conditions.
        var heldLanes: Int
        /// Whether the new job's run is the same if the job is loaded late (``JobMachine/canArriveLate``).
        var canArriveLate: Bool
    }

    /// Returns whether a new job that is due within the horizon is left in the store.
    ///
    /// If the memory is full, a job that is not due within a second stays in the store. Any other job stays there if
    /// its lane already has its largest number of jobs in memory, or if an earlier job of the lane is only in the
    /// store. A job of a held lane then stays there only if its run would be the same after a late load.
    mutating func leaves(
        _ memory: LaneLoad, _ wake: WallInstant, loaded: Int, _ board: inout QueueBoard, _ now: WallInstant
    ) -> Bool {
        if loaded >= maximumLoaded, wake > now.advanced(by: .seconds(1)) {
            isTruncated = true
            load(at: wake.advanced(by: .seconds(-1)), isUrgent: true)
            return true
        }
        if memory.isHeld, !memory.canArriveLate { return false }
        if let first = left[memory.lane], first <= wake { return true }
        let share = memory.isHeld ? JobLoad.heldShare(of: maximumLoaded, lanes: memory.heldLanes) : largestShare
        guard memory.count >= share else { return false }
        leave(memory.lane, wake, isHeld: memory.isHeld, &board, now)
        return true
    }

    private mutating func leave(
        _ lane: QueueLane, _ wake: WallInstant, isHeld: Bool, _ board: inout QueueBoard, _ now: WallInstant
    ) {
        left[lane] = wake
        board.watch(lane)
        // The board requests more jobs of a lane only while jobs of the lane wait. If none waits, because all are due
        // later or end without a run, a load is scheduled instead.
        let asks = isHeld || wake <= now && board.waiting[lane] ?? 0 > 0
        if !asks { load(at: max(wake, now.advanced(by: .seconds(1))), isUrgent: true) }
    }

    /// Returns whether there is room in memory for jobs that were left in the store.
    func isDrained(loaded: Int, _ board: borrowing QueueBoard) -> Bool {
        hasRoomAgain(loaded: loaded) || !board.needed.isEmpty
    }

    private func hasRoomAgain(loaded: Int) -> Bool { isTruncated && loaded <= maximumLoaded / 2 }

    // MARK: What

    /// Returns the next load of jobs, if one is due; `loaded` is the number of jobs that count for the memory's limit.
    ///
    /// A load of all lanes reads the jobs in memory again, because another program may have changed them.
    func read(
        _ now: WallInstant, _ jobs: borrowing LoadedJobs, loaded: Int, _ board: borrowing QueueBoard,
        runnable: RunnableJobs, unmet: JobConditions
    ) -> SchedulerRead? {
        let isWhole =
            isStarting || next.map { $0.at <= now } ?? false || hasRoomAgain(loaded: loaded)
        guard isWhole || !board.needed.isEmpty else { return nil }
        // Some jobs are loaded even if the waiting ones fill the memory.
        let room = max(1, maximumLoaded / 8, maximumLoaded - loaded)
        var load = JobLoad(
            through: now.advanced(by: horizon), limit: room + (isWhole ? jobs.count : 0),
            lanes: isWhole ? nil : board.needed)
        (load.room, load.largestShare) = (maximumLoaded, largestShare)
        (load.waiting, load.laneCount) = (board.waiting, max(board.waiting.count, left.count))
        (load.paused, load.running) = (board.paused, board.runs.count)
        (load.runnable, load.unmet) = (runnable, unmet)
        if !isWhole { load.known = jobs.keys }
        return .due(load)
    }

    /// Clears the schedule of the load that has just been read.
    ///
    /// The machine places the jobs of the load after this call, because their placement may schedule the next load.
    mutating func began(_ load: JobLoad) { if load.lanes == nil { next = nil } }

    /// Notes the result of a load.
    ///
    /// - Returns: Whether it was the first load.
    mutating func took(
        _ due: DueJobs, of load: JobLoad, _ board: inout QueueBoard, isShared: Bool, _ now: WallInstant
    ) -> Bool {
        for lane in load.lanes ?? Set(left.keys) where due.left[lane] == nil {
            left[lane] = nil
            board.unwatch(lane)
        }
        for (lane, wake) in due.left { leave(lane, wake, isHeld: load.isHeld(lane), &board, now) }
        let isWhole = load.lanes == nil
        let isFull = due.jobs.count + due.unreadable.count >= load.limit
        isTruncated = isFull || isTruncated && !isWhole
        if isFull, let last = due.jobs.last?.job.nextWake {
            self.load(at: max(last, now.advanced(by: .seconds(1))), isUrgent: true)
        } else if let next = due.next {
            // A load of single lanes schedules the next load too. The load that left the jobs of these lanes in the
            // store did not take their later wakes into account.
            self.load(at: max(now, next.advanced(by: .zero - horizon)))
        }
        guard isWhole else { return false }
        // The next load follows soon. Another program may have lost its connection to the store during a commit that
        // the store still carries out, and only a load finds the jobs of such a commit.
        if isShared { self.load(at: now.advanced(by: .seconds(5))) }
        defer { isStarting = false }
        return isStarting
    }
}
