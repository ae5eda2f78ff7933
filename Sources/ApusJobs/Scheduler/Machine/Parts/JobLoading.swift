import ApusTimers

/// Decides when jobs that are due within the horizon are loaded, and which are left in the store for want of room.
struct JobLoading {
    private let horizon: Duration
    private let maximumLoaded: Int
    /// The next load, and the latest instant for it.
    private(set) var next: (at: WallInstant, latest: WallInstant)?
    /// There are jobs within the horizon that found no room.
    private var isTruncated = false
    /// The lanes in which so many jobs wait that the last load left out the others.
    private(set) var fullLanes: Set<QueueLane> = []
    /// No load has succeeded yet.
    private(set) var isStarting = true

    init(_ configuration: JobScheduler.Configuration) {
        (horizon, maximumLoaded) = (configuration.horizon, configuration.maximumLoaded)
    }

    /// How many jobs of one lane are loaded, about.
    private var maximumWaiting: Int { max(1, maximumLoaded / 4) }

    /// Whether a job that is due then is left in the store.
    func isFar(_ wake: WallInstant, _ now: WallInstant) -> Bool { wake > now.advanced(by: horizon) }

    func isFull(_ loaded: Int) -> Bool { loaded >= maximumLoaded }

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

    /// A job that is due then found no room.
    mutating func leaveOut(_ wake: WallInstant) {
        isTruncated = true
        load(at: wake.advanced(by: .seconds(-1)), isUrgent: true)
    }

    /// Whether there is room in memory for jobs that were left in the store.
    func isDrained(loaded: Int, _ board: borrowing QueueBoard) -> Bool {
        if isTruncated, loaded <= maximumLoaded / 2 { return true }
        for lane in fullLanes where board.waitingCount(lane) <= maximumWaiting / 2 { return true }
        return false
    }

    // MARK: What

    /// Reads jobs if it is time. Those that are in memory, `entries` with those that take up no room, may be among them
    /// again.
    mutating func read(
        _ now: WallInstant, entries: Int, loaded: Int, _ board: borrowing QueueBoard
    ) -> SchedulerRead? {
        guard isStarting || next.map({ $0.at <= now }) ?? false || isDrained(loaded: loaded, board) else { return nil }
        // At least one finds room, however many wait for a place.
        let limit = entries + max(1, maximumLoaded - loaded)
        // A queue that cannot keep up, or is paused, must not fill the memory with its jobs.
        var full: Set<QueueLane> = []
        for lane in board.lanes where board.waitingCount(lane) >= maximumWaiting { full.insert(lane) }
        fullLanes = full
        return .due(through: now.advanced(by: horizon), limit: limit, excluding: full.sorted())
    }

    /// Forgets the last load, before the jobs of a new one are placed.
    mutating func began() { next = nil }

    /// The jobs of a load are in memory.
    /// - Returns: whether it was the first load.
    mutating func took(_ due: DueJobs, limit: Int, isShared: Bool, _ now: WallInstant) -> Bool {
        isTruncated = due.jobs.count + due.unreadable.count >= limit
        if isTruncated, let last = due.jobs.last?.job.nextWake {
            load(at: max(last, now.advanced(by: .seconds(1))), isUrgent: true)
        } else if let next = due.next {
            load(at: max(now, next.advanced(by: .zero - horizon)))
        }
        // Nothing else shows the jobs that a lost connection still brings into the store.
        if isShared { load(at: now.advanced(by: .seconds(5))) }
        defer { isStarting = false }
        return isStarting
    }
}
