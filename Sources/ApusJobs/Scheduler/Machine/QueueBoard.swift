import ApusTimers

/// The jobs that wait for a place, by queue and priority, and which of them gets the next one. A part of
/// ``SchedulerMachine``, and as pure.
///
/// Queues take turns, so that a long one does not keep another waiting. Of four places that one queue gets, three go to
/// the highest priority that waits, and the fourth to what was due first.
struct QueueBoard: ~Copyable {
    /// A job that waits for a place. It is out of date when its entry says another number.
    struct Waiting: Comparable, Sendable {
        var due: WallInstant
        var number: UInt64
        var key: Int64
        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.due, lhs.number) < (rhs.due, rhs.number) }
    }

    /// One queue. An object, so that its name is looked up once for a step; the board that holds it cannot be copied.
    final class Line {
        var queue: JobQueue
        /// By priority, the lowest first.
        var waiting = JobPriority.allCases.map { _ in Heap<Waiting>() }
        /// How many of the elements are not out of date.
        var counts = JobPriority.allCases.map { _ in 0 }
        /// Attempts whose handlers have not returned, and those that the turn in progress starts.
        var running = 0
        var starting = 0
        var starts = StartLog()
        /// How often a job of it has got a place.
        var picks = 0
        /// How many runs may be in progress here, of a queue whose limits are shared with other schedulers.
        var places: Int?
        /// The store has recorded a number other than `places`, and is sent the needed number at once.
        var arePlacesDoubtful = false
        /// When the store is asked for places again.
        var nextAsk: UptimeInstant?

        init(_ queue: JobQueue) { self.queue = queue }

        var count: Int { counts.reduce(0, +) }

        /// How many runs may begin now.
        func room(_ now: ContinuousInstant) -> Int {
            if queue.isPaused { return 0 }
            var room = queue.concurrency.map { $0 - running - starting } ?? .max
            if let places { room = min(room, places - running - starting) }
            if let rate = queue.rate { room = min(room, rate.runs - starts.count(rate, now) - starting) }
            return max(0, room)
        }

        func pick(_ isCurrent: (Waiting) -> Bool) -> Waiting? {
            var highest: Int?
            var oldest: (due: Waiting, index: Int)?
            for index in waiting.indices {
                while let first = waiting[index].first, !isCurrent(first) { _ = waiting[index].pop() }
                guard let first = waiting[index].first else { continue }
                highest = index
                if oldest.map({ first < $0.due }) ?? true { oldest = (first, index) }
            }
            picks += 1
            guard let best = picks % 4 == 0 ? oldest?.index : highest else { return nil }
            counts[best] -= 1
            return waiting[best].pop()
        }
    }

    var lines: [QueueID: Line] = [:]
    /// Queues in which something waits, in the order of their turns.
    private var turns: [QueueID] = []
    /// Queues in which the turn in progress starts something.
    private var starting: Set<QueueID> = []

    /// The limits hold for other schedulers too, and the store gives the places.
    let isShared: Bool

    init(_ queues: [JobQueue], isShared: Bool, now: ClockReading) {
        self.isShared = isShared
        for queue in queues { configure(queue, now) }
    }

    // MARK: Queues

    /// The queue as it is kept, or would be.
    func queue(_ id: QueueID) -> JobQueue { lines[id]?.queue ?? JobQueue(id: id) }

    /// The queues that have settings, or runs in progress or waiting, by name.
    var statuses: [QueueStatus] {
        lines.keys.sorted().map { status($0) }.filter {
            $0.running > 0 || $0.waiting > 0 || $0.queue.hasSettings
        }
    }

    func status(_ id: QueueID) -> QueueStatus {
        QueueStatus(queue: queue(id), running: lines[id]?.running ?? 0, waiting: lines[id]?.count ?? 0)
    }

    /// How long the queue's rate lets nothing begin; `nil` without a rate.
    func rateDelay(_ id: QueueID, _ now: ContinuousInstant) -> Duration? {
        guard let line = lines[id], let rate = line.queue.rate else { return nil }
        return line.starts.untilRoom(rate, now)
    }

    /// What is kept of a queue has changed.
    mutating func configure(_ queue: JobQueue, _ now: ClockReading) {
        let line = line(queue.id)
        let hadRate = line.queue.rate != nil
        line.queue = queue
        line.places = isShared && queue.hasLimits ? line.places ?? 0 : nil
        guard queue.rate != nil else {
            line.starts = StartLog()
            return forgetIfUnused(line)
        }
        if !hadRate { line.starts = restored(queue, now) }
    }

    /// What a queue's record says of its starts.
    func restored(_ queue: JobQueue, _ now: ClockReading) -> StartLog {
        guard let last = queue.lastStart else { return StartLog() }
        // Each of them may have begun as late as the last one.
        let instant = now.continuous.advanced(by: min(.zero, now.wall.duration(to: last)))
        return StartLog(queue.recentStarts, at: instant)
    }

    private mutating func line(_ id: QueueID) -> Line {
        if let line = lines[id] { return line }
        let line = Line(JobQueue(id: id))
        lines[id] = line
        return line
    }

    /// A queue without settings is only a name: nothing is kept of it when nothing of it runs or waits.
    private mutating func forgetIfUnused(_ line: Line) {
        guard line.running == 0, line.starting == 0, line.count == 0, !line.queue.hasSettings else { return }
        if !turns.contains(line.queue.id) { lines[line.queue.id] = nil }
    }

    // MARK: Waiting

    mutating func offer(_ waiting: Waiting, queue: QueueID, priority: JobPriority) {
        let line = line(queue)
        if line.count == 0, !turns.contains(queue) { turns.append(queue) }
        line.waiting[priority.rawValue - 1].push(waiting)
        line.counts[priority.rawValue - 1] += 1
    }

    /// A job that was offered waits no longer; its element is out of date.
    mutating func withdraw(queue: QueueID, priority: JobPriority) { lines[queue]?.counts[priority.rawValue - 1] -= 1 }

    /// How many jobs of that queue and priority wait.
    func waitingCount(_ lane: QueueLane) -> Int { lines[lane.queue]?.counts[lane.priority.rawValue - 1] ?? 0 }

    /// The queues in which something waits, with each priority.
    var lanes: [QueueLane] { turns.flatMap { id in JobPriority.allCases.map { QueueLane(id, $0) } } }

    /// Whether a run of the queue may begin now.
    func hasRoom(_ queue: QueueID, _ now: ContinuousInstant) -> Bool { lines[queue].map { $0.room(now) > 0 } ?? true }

    /// Takes out the job that gets the next place; `nil` when no queue has both. It counts as starting.
    mutating func pick(_ now: ContinuousInstant, isCurrent: (Waiting) -> Bool) -> Waiting? {
        for _ in 0..<turns.count {
            let id = turns.removeFirst()
            let line = lines[id]!
            guard line.count > 0 else {
                // Nothing but elements that are out of date.
                for priority in line.waiting.indices { line.waiting[priority] = Heap() }
                forgetIfUnused(line)
                continue
            }
            turns.append(id)
            guard line.room(now) > 0, let picked = line.pick(isCurrent) else { continue }
            if line.starting == 0 { starting.insert(id) }
            line.starting += 1
            return picked
        }
        return nil
    }

    // MARK: Places

    /// A job that was picked had nothing to start.
    mutating func release(_ queue: QueueID) { lines[queue]!.starting -= 1 }

    /// The turn's fate is known: what it started is reported by ``started(_:_:)``.
    mutating func endTurn() {
        for id in starting { lines[id]?.starting = 0 }
        starting = []
    }

    mutating func started(_ queue: QueueID, _ now: ClockReading) {
        let line = line(queue)
        line.running += 1
        if let rate = line.queue.rate { line.starts.add(now.continuous, rate) }
    }

    mutating func ended(_ queue: QueueID) {
        let line = lines[queue]!
        line.running -= 1
        if line.running == 0 { forgetIfUnused(line) }
    }

    /// Queues with a rate that start something in this turn.
    var startingWithRate: [QueueID] {
        starting.filter { id in lines[id].map { $0.starting > 0 && $0.queue.rate != nil } ?? false }
    }

    /// What is to be kept of a queue, with what it starts in this turn.
    func record(of queue: JobQueue, _ now: ClockReading) -> JobQueue {
        var record = queue
        (record.recentStarts, record.lastStart) = (0, nil)
        guard let line = lines[queue.id], let rate = queue.rate else { return record }
        record.recentStarts = line.starts.count(rate, now.continuous) + line.starting
        if line.starting > 0 {
            record.lastStart = now.wall
        } else if record.recentStarts > 0, let last = line.starts.last {
            record.lastStart = now.wall.advanced(by: now.continuous.duration(to: last))
        }
        return record
    }

    /// How long it takes until the rate of a queue lets something begin; `nil` when none waits for that.
    func nextStart(_ now: ContinuousInstant) -> Duration? {
        lines.values.compactMap { line -> Duration? in
            guard line.count > 0, !line.queue.isPaused, let rate = line.queue.rate,
                line.queue.concurrency.map({ line.running < $0 }) ?? true,
                line.places.map({ line.running < $0 }) ?? true
            else { return nil }
            return line.starts.untilRoom(rate, now)
        }.min()
    }

    /// What is wrong, in words; `nil` if nothing is.
    func brokenInvariant(running: [QueueID: Int], waiting: [QueueID: Int]) -> String? {
        for (id, line) in lines {
            if line.running != running[id] ?? 0 { return "queue \(id) counts \(line.running) runs" }
            if line.count != waiting[id] ?? 0 { return "queue \(id) counts \(line.count) waiting jobs" }
            if line.count > 0, !turns.contains(id) { return "queue \(id) never has its turn" }
            let places = max(line.queue.concurrency ?? .max, 0)
            if line.starting > 0, line.running + line.starting > places { return "queue \(id) starts too much" }
        }
        for line in lines.values where (line.places != nil) != (isShared && line.queue.hasLimits) {
            return "queue \(line.queue.id) does not know whether its limits are shared"
        }
        for id in running.keys where lines[id] == nil { return "queue \(id) runs and is not known" }
        return nil
    }
}

/// When the runs of a queue with a rate began, as far back as the rate's period.
struct StartLog: Sendable {
    /// In their order; the first of them are over.
    private var instants: [ContinuousInstant] = []
    private var over = 0

    var last: ContinuousInstant? { instants.last }

    init() {}

    init(_ count: Int, at instant: ContinuousInstant) {
        instants = Array(repeating: instant, count: min(max(0, count), QueueRate.maximumRuns))
    }

    mutating func add(_ instant: ContinuousInstant, _ rate: QueueRate) {
        instants.append(instant)
        over = firstRecent(rate, instant)
        guard over > 64, over > instants.count / 2 else { return }
        instants.removeFirst(over)
        over = 0
    }

    /// How many began within the period that ends now.
    func count(_ rate: QueueRate, _ now: ContinuousInstant) -> Int { instants.count - firstRecent(rate, now) }

    /// How long it takes until fewer runs than the rate allows began within the period.
    func untilRoom(_ rate: QueueRate, _ now: ContinuousInstant) -> Duration {
        let recent = firstRecent(rate, now)
        guard instants.count - recent >= rate.runs else { return .zero }
        return max(.zero, now.duration(to: instants[instants.count - rate.runs].advanced(by: rate.period)))
    }

    /// The first that is younger than a period.
    private func firstRecent(_ rate: QueueRate, _ now: ContinuousInstant) -> Int {
        var (low, high) = (over, instants.count)
        while low < high {
            let middle = (low + high) / 2
            if instants[middle].duration(to: now) >= rate.period { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
