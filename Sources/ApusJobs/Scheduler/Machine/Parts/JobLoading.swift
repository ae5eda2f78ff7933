import ApusTimers

/// Decides when jobs that are due within the horizon are loaded, and which are left in the store for want of room.
struct JobLoading {
    private let horizon: Duration
    private let maximumLoaded: Int
    /// The next load of all lanes, and the latest instant for it.
    private(set) var next: (at: WallInstant, latest: WallInstant)?
    /// There are jobs within the horizon that found no room.
    private var isTruncated = false
    /// The lanes of which jobs within the horizon are in the store only, and the first wake of these.
    private(set) var left: [QueueLane: WallInstant] = [:]
    /// No load has succeeded yet.
    private(set) var isStarting = true

    init(_ configuration: JobScheduler.Configuration) {
        (horizon, maximumLoaded) = (configuration.horizon, configuration.maximumLoaded)
    }

    /// How many jobs of one lane are loaded, at most.
    private var largestShare: Int { max(1, maximumLoaded / 4) }

    /// Whether a job that is due then is left in the store.
    func isFar(_ wake: WallInstant, _ now: WallInstant) -> Bool { wake > now.advanced(by: horizon) }

    // MARK: When

    mutating func loadNow(_ now: WallInstant) { next = (now, now) }

    /// The next load is at `instant` at the latest. If it is not urgent, it may wait for another wake-up to share: the
    /// first due instant is a horizon away.
    mutating func load(at instant: WallInstant, isUrgent: Bool = false) {
        let latest = isUrgent ? instant : instant.advanced(by: horizon / 4)
        if let next, next.latest <= latest { return }
        next = (instant, latest)
    }

    /// A job that is due then was left in the store.
    mutating func load(before wake: WallInstant) { load(at: wake.advanced(by: .zero - horizon)) }

    /// The jobs of a lane that are in memory when a new one comes.
    struct LaneLoad {
        var lane: QueueLane
        /// How many of its jobs wait: for a place, a handler or conditions.
        var count: Int
        /// Nothing of it can run: ``JobLoad/isHeld(_:)``.
        var isHeld: Bool
        /// How many lanes wait for handlers or conditions.
        var heldLanes: Int
        /// The new job's run is the same whenever it is looked at (``JobMachine/canArriveLate``).
        var canArriveLate: Bool
    }

    /// Whether a new job, which is due within the horizon, is left in the store. Of a lane that is held, only one that
    /// loses nothing when it is loaded late.
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
        // Those that do not wait, because they are due later or end without a run, do not make the board ask for more.
        let asks = isHeld || wake <= now && board.waiting[lane] ?? 0 > 0
        if !asks { load(at: max(wake, now.advanced(by: .seconds(1))), isUrgent: true) }
    }

    /// Whether there is room in memory for jobs that were left in the store.
    func isDrained(loaded: Int, _ board: borrowing QueueBoard) -> Bool {
        hasRoomAgain(loaded: loaded) || !board.needed.isEmpty
    }

    private func hasRoomAgain(loaded: Int) -> Bool { isTruncated && loaded <= maximumLoaded / 2 }

    // MARK: What

    /// Reads jobs if it is time. A load of all lanes reads those that are in memory again: another program may have
    /// changed them. `loaded` is how many of them take up room.
    func read(
        _ now: WallInstant, _ jobs: borrowing LoadedJobs, loaded: Int, _ board: borrowing QueueBoard,
        runnable: RunnableJobs, unmet: JobConditions
    ) -> SchedulerRead? {
        let isWhole =
            isStarting || next.map { $0.at <= now } ?? false || hasRoomAgain(loaded: loaded)
        guard isWhole || !board.needed.isEmpty else { return nil }
        // Some find room, however many wait for a place.
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

    /// Forgets the last load, before the jobs of a new one are placed.
    mutating func began(_ load: JobLoad) { if load.lanes == nil { next = nil } }

    /// The jobs of a load are in memory.
    /// - Returns: whether it was the first load.
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
            // Also after a load of single lanes: the load that left them did not count their later wakes.
            self.load(at: max(now, next.advanced(by: .zero - horizon)))
        }
        guard isWhole else { return false }
        // Nothing else shows the jobs that a lost connection still brings into the store.
        if isShared { self.load(at: now.advanced(by: .seconds(5))) }
        defer { isStarting = false }
        return isStarting
    }
}
