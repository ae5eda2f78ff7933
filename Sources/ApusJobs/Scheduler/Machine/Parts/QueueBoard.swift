import ApusTimers

/// The jobs that wait for a place, by queue and priority, and the runs that have one.
///
/// Queues take turns, so that a long one does not keep another waiting. Of four places that one queue gets, three go to
/// the highest priority that waits, and the fourth to the priority of what was due first. In a priority the fairness keys
/// take turns (``FairLine``).
struct QueueBoard: ~Copyable {
    /// How a job waits for a place.
    private struct Offer {
        var number: UInt64
        var lane: QueueLane
        var key: String?
        /// Whether its conditions must be read before it gets a place.
        var hasConditions: Bool { !lane.conditions.isEmpty }
    }

    /// One queue. An object, so that its name is looked up once for a step; the board that holds it cannot be copied.
    private final class Line {
        var queue: JobQueue
        /// By priority, the lowest first.
        var waiting = JobPriority.allCases.map { _ in FairLine() }
        /// Attempts whose handlers have not returned, and those that the turn in progress starts.
        var running = 0
        var starting = 0
        /// The same of each fairness key.
        private(set) var runningByKey: [String: Int] = [:]
        private(set) var startingByKey: [String: Int] = [:]
        var starts = StartLog()
        /// Whether it is among the turns.
        var hasTurn = false
        /// How often a job of the queue has got a place.
        var picks = 0
        /// How many runs may be in progress here, of a queue whose limits are shared with other schedulers.
        var places: Int?
        /// The store has recorded a number other than `places`, and is sent the needed number at once.
        var arePlacesDoubtful = false
        /// When the store is asked for places again.
        var nextAsk: UptimeInstant?
        /// How many runs may be in progress here, whatever the queue's own limit is.
        let limitHere: Int

        init(_ queue: JobQueue, limitHere: Int?) {
            self.queue = queue
            self.limitHere = limitHere ?? .max
        }

        var count: Int { waiting.reduce(0) { $0 + $1.count } }

        /// Whether a job waits whose key is below its limit.
        var isReady: Bool { waiting.contains { $0.isReady } }

        /// How many of the jobs that wait could begin beside each other.
        var readyCount: Int {
            guard let limit = queue.concurrencyPerKey else { return count }
            let counts = waiting.reduce(into: [:]) { $0.merge($1.counts, uniquingKeysWith: +) }
            return counts.reduce(0) { sum, share in
                guard let key = share.key else { return sum + share.value }
                return sum + max(0, min(share.value, limit - (runningByKey[key] ?? 0)))
            }
        }

        /// Whether the key has reached its limit, with the runs that this turn starts.
        func isFull(_ key: String?) -> Bool {
            guard let key, let limit = queue.concurrencyPerKey else { return false }
            return (runningByKey[key] ?? 0) + (startingByKey[key] ?? 0) >= limit
        }

        func addRunning(_ change: Int, of key: String?) {
            running += change
            count(change, of: key, in: \.runningByKey)
        }

        func addStarting(_ change: Int, of key: String?) {
            starting += change
            count(change, of: key, in: \.startingByKey)
        }

        func endStarting() {
            starting = 0
            for (key, count) in startingByKey { self.count(-count, of: key, in: \.startingByKey) }
        }

        private func count(_ change: Int, of key: String?, in counts: ReferenceWritableKeyPath<Line, [String: Int]>) {
            guard let key else { return }
            let count = (self[keyPath: counts][key] ?? 0) + change
            self[keyPath: counts][key] = count == 0 ? nil : count
            updateLimit(of: key)
        }

        private func updateLimit(of key: String?) {
            let isFull = isFull(key)
            for index in waiting.indices { waiting[index].setFull(key, isFull) }
        }

        /// For a queue that has another limit for its keys now.
        func updateLimits() {
            for key in Set(waiting.flatMap(\.counts.keys)) { updateLimit(of: key) }
        }

        /// How many runs may be in progress here, as far as the scheduler and the queue say.
        var limit: Int { min(queue.concurrency ?? .max, limitHere) }

        /// How many runs may begin now.
        func room(_ now: ContinuousInstant) -> Int {
            if queue.isPaused { return 0 }
            var room = min(limit, places ?? .max) - running - starting
            if let rate = queue.rate { room = min(room, rate.runs - starts.count(rate, now) - starting) }
            return max(0, room)
        }

        fileprivate func pick(_ offers: [Int64: Offer]) -> FairLine.Waiting? {
            func isStale(_ waiting: FairLine.Waiting) -> Bool { offers[waiting.job]?.number != waiting.number }
            picks += 1
            var next = waiting.lastIndex { $0.isReady }
            if picks % 4 == 0 {
                var oldest: FairLine.Waiting?
                for index in waiting.indices {
                    guard let first = waiting[index].oldest(isStale) else { continue }
                    if oldest.map({ first < $0 }) ?? true { (oldest, next) = (first, index) }
                }
            }
            return next.flatMap { waiting[$0].takeNext(isStale) }
        }

        /// Places that no run has. The one place of a queue with a rate is needed as long as anything runs.
        func hasTooMany(_ places: Int) -> Bool {
            queue.rate == nil ? places > running : places > 0 && running == 0
        }

        /// The limit is newer than the runs, which the others have to know of.
        func hasTooFew(_ places: Int) -> Bool { places < running }
    }

    /// A job that gets a place.
    struct Picked {
        var job: Int64
        var queue: QueueID
        var key: String?

        /// Whether neither the queue nor the key has changed since the job began to wait.
        func isFor(_ request: JobRequest) -> Bool { (queue, key) == (request.queue, request.fairnessKey) }
    }

    private var lines: [QueueID: Line] = [:]
    /// The queues whose numbers of runs have changed since they were taken; `nil` before they are taken first.
    private var changed: Set<QueueID>?
    /// The jobs that wait.
    private var offers: [Int64: Offer] = [:]
    /// How many of them are of each lane.
    private(set) var waiting: [QueueLane: Int] = [:]
    /// Lanes of which more jobs are in the store: they are needed when no more wait than this.
    private var watched: [QueueLane: Int] = [:]
    /// The watched lanes of which so few wait, or of which something can run again.
    private(set) var needed: Set<QueueLane> = []
    /// Those of the jobs that wait whose conditions must be read before they get a place.
    private var conditional: Set<Int64> = []
    private var counter: UInt64 = 0
    /// Attempts whose handlers have not returned, and the queues whose places they have.
    private var running: [RunKey: (queue: QueueID, key: String?)] = [:]
    /// Queues in which something waits, in the order of their turns.
    private var turns = Turns<Line>()
    /// Queues with a rate, and those whose places the store gives.
    private var rated: Set<QueueID> = []
    private var limited: Set<QueueID> = []
    /// Queues in which the turn in progress starts something.
    private var starting: Set<QueueID> = []
    /// Queues whose records in the store may be others than the board's: the next turn writes them again.
    private(set) var doubtfulRecords: Set<QueueID> = []

    /// How many handlers run at once, of all queues together, and of single ones.
    let limit: Int
    let limits: [QueueID: Int]
    /// The limits hold for other schedulers too, and the store gives the places.
    let isShared: Bool

    init(
        _ queues: [JobQueue], limit: Int = .max, limits: [QueueID: Int] = [:], isShared: Bool, now: SchedulerReading
    ) {
        (self.limit, self.limits, self.isShared) = (limit, limits.mapValues { max(1, $0) }, isShared)
        for queue in queues { configure(queue, now) }
    }

    // MARK: Queues

    /// The queue as it is kept, or would be.
    func queue(_ id: QueueID) -> JobQueue { lines[id]?.queue ?? JobQueue(id: id) }

    /// The queues that have settings, or runs in progress or waiting, by name.
    var statuses: [QueueStatus] {
        lines.keys.sorted().map { status($0) }.filter {
            $0.runningCount > 0 || $0.waitingCount > 0 || $0.queue.hasSettings
        }
    }

    /// Takes the queues whose numbers of runs have changed since the last call.
    /// - Parameter all: Whether to take all queues, as the first call does.
    /// - Returns: How each of them stands now, by name.
    mutating func takeChanges(all: Bool) -> [QueueStatus] {
        let ids = all ? Set(lines.keys) : changed ?? Set(lines.keys)
        changed = []
        return ids.sorted().map { status($0) }
    }

    func status(_ id: QueueID) -> QueueStatus {
        QueueStatus(queue: queue(id), runningCount: lines[id]?.running ?? 0, waitingCount: lines[id]?.count ?? 0)
    }

    /// How many runs of the key are in progress.
    func runningCount(of key: String, in queue: QueueID) -> Int { lines[queue]?.runningByKey[key] ?? 0 }

    /// How long the queue's rate lets nothing begin; `nil` without a rate.
    func rateDelay(_ id: QueueID, _ now: ContinuousInstant) -> Duration? {
        guard let line = lines[id], let rate = line.queue.rate else { return nil }
        return line.starts.untilRoom(rate, now)
    }

    /// The store has the record of the queue.
    mutating func committed(_ queue: JobQueue, _ now: SchedulerReading) {
        doubtfulRecords.remove(queue.id)
        configure(queue, now)
    }

    private mutating func configure(_ queue: JobQueue, _ now: SchedulerReading) {
        changed?.insert(queue.id)
        let line = line(queue.id)
        let hadRate = line.queue.rate != nil
        if line.queue.isPaused, !queue.isPaused { need { $0.queue == queue.id } }
        let hasOtherLimit = line.queue.concurrencyPerKey != queue.concurrencyPerKey
        line.queue = queue
        if hasOtherLimit { line.updateLimits() }
        line.places = isShared && queue.hasLimits ? line.places ?? 0 : nil
        rated.set(queue.id, isMember: queue.rate != nil)
        limited.set(queue.id, isMember: line.places != nil)
        guard queue.rate != nil else {
            line.starts = StartLog()
            return forgetIfUnused(line)
        }
        if !hadRate { line.starts = restored(queue, now) }
    }

    /// The store may have these records, or not.
    mutating func doubtRecords(_ queues: some Sequence<QueueID>) { doubtfulRecords.formUnion(queues) }

    /// The starts that a queue's record counts.
    private func restored(_ queue: JobQueue, _ now: SchedulerReading) -> StartLog {
        guard let last = queue.lastStart else { return StartLog() }
        // Each of them may have begun as late as the last one.
        let instant = now.continuous.advanced(by: min(.zero, now.wall.duration(to: last)))
        return StartLog(queue.recentStarts, at: instant)
    }

    private mutating func line(_ id: QueueID) -> Line {
        if let line = lines[id] { return line }
        let line = Line(JobQueue(id: id), limitHere: limits[id])
        lines[id] = line
        return line
    }

    /// A queue without settings is only a name: nothing is kept of it when nothing of it runs or waits.
    private mutating func forgetIfUnused(_ line: Line) {
        guard line.running == 0, line.starting == 0, line.count == 0, !line.queue.hasSettings else { return }
        if !line.hasTurn { lines[line.queue.id] = nil }
    }

    // MARK: Waiting

    func isWaiting(_ key: Int64) -> Bool { offers[key] != nil }

    /// The job, which does not wait yet, waits for a place of its queue.
    mutating func offer(_ key: Int64, due: WallInstant, _ request: JobRequest) {
        counter += 1
        let offer = Offer(number: counter, lane: request.lane, key: request.fairnessKey)
        offers[key] = offer
        waiting[offer.lane, default: 0] += 1
        changed?.insert(request.queue)
        if offer.hasConditions { conditional.insert(key) }
        let line = line(request.queue)
        if !line.hasTurn {
            line.hasTurn = true
            turns.append(line)
        }
        line.waiting[request.priority.rawValue - 1].add(
            FairLine.Waiting(due: due, number: counter, job: key), of: offer.key, isFull: line.isFull(offer.key))
    }

    /// The job waits no longer, if it did; its element is stale.
    mutating func withdraw(_ key: Int64) {
        guard let offer = removeOffer(key) else { return }
        lines[offer.lane.queue]?.waiting[offer.lane.priority.rawValue - 1].remove(of: offer.key)
    }

    private mutating func removeOffer(_ key: Int64) -> Offer? {
        guard let offer = offers.removeValue(forKey: key) else { return nil }
        if offer.hasConditions { conditional.remove(key) }
        changed?.insert(offer.lane.queue)
        let count = waiting[offer.lane]! - 1
        waiting[offer.lane] = count == 0 ? nil : count
        if let mark = watched[offer.lane], count <= mark { needed.insert(offer.lane) }
        return offer
    }

    /// Reports when half of the jobs of the lane that wait now have begun: more of them are in the store.
    mutating func watch(_ lane: QueueLane) {
        watched[lane] = (waiting[lane] ?? 0) / 2
        needed.remove(lane)
    }

    /// More of the watched lanes that satisfy the predicate is needed.
    mutating func need(_ isNeeded: (QueueLane) -> Bool) {
        for lane in watched.keys where isNeeded(lane) { needed.insert(lane) }
    }

    /// More of the lane is needed, if it is watched.
    mutating func need(_ lane: QueueLane) { if watched[lane] != nil { needed.insert(lane) } }

    mutating func unwatch(_ lane: QueueLane) {
        watched[lane] = nil
        needed.remove(lane)
    }

    /// The queues of which nothing begins until they are resumed.
    var paused: Set<QueueID> { Set(lines.values.lazy.filter(\.queue.isPaused).map(\.queue.id)) }

    /// Whether a job may get a place now whose conditions must be read before that.
    func needsConditions(_ now: ContinuousInstant) -> Bool {
        if conditional.isEmpty || freePlaces <= 0 { return false }
        for key in conditional {
            if let offer = offers[key], hasRoom(offer.lane.queue, offer.key, now) { return true }
        }
        return false
    }

    /// Whether a run may begin now by the limits of its queue and of its fairness key.
    func hasRoom(_ queue: QueueID, _ key: String?, _ now: ContinuousInstant) -> Bool {
        lines[queue].map { $0.room(now) > 0 && !$0.isFull(key) } ?? true
    }

    /// Takes out the job that gets the next place; `nil` when no queue has both. It counts as starting.
    mutating func pick(_ now: ContinuousInstant) -> Picked? {
        for _ in 0..<turns.count {
            let line = turns.popFirst()!
            guard line.count > 0 else {
                line.hasTurn = false
                forgetIfUnused(line)
                continue
            }
            turns.append(line)
            guard line.isReady, line.room(now) > 0, let picked = line.pick(offers),
                let offer = removeOffer(picked.job)
            else { continue }
            if line.starting == 0 { starting.insert(line.queue.id) }
            line.addStarting(1, of: offer.key)
            return Picked(job: picked.job, queue: line.queue.id, key: offer.key)
        }
        return nil
    }

    // MARK: Places

    var runs: some Collection<RunKey> { running.keys }

    func isRunning(_ run: RunKey) -> Bool { running[run] != nil }

    var freePlaces: Int { limit - running.count }

    /// A job that was picked had nothing to start.
    mutating func release(_ picked: Picked) { lines[picked.queue]!.addStarting(-1, of: picked.key) }

    /// The turn's fate is known: what it started is reported by ``started(_:_:_:)``.
    mutating func endTurn() {
        for id in starting { lines[id]?.endStarting() }
        starting = []
    }

    mutating func started(_ run: RunKey, _ request: JobRequest, _ now: SchedulerReading) {
        running[run] = (request.queue, request.fairnessKey)
        changed?.insert(request.queue)
        let line = line(request.queue)
        line.addRunning(1, of: request.fairnessKey)
        if let rate = line.queue.rate { line.starts.add(now.continuous, rate) }
    }

    /// The handler has returned, if one of that attempt runs.
    mutating func ended(_ run: RunKey) {
        guard let (queue, key) = running.removeValue(forKey: run), let line = lines[queue] else { return }
        changed?.insert(queue)
        line.addRunning(-1, of: key)
        if line.running == 0 { forgetIfUnused(line) }
    }

    /// Queues with a rate that start something in this turn.
    var startingWithRate: [QueueID] {
        starting.filter { id in lines[id].map { $0.starting > 0 && $0.queue.rate != nil } ?? false }
    }

    /// The record of a queue, with the runs that this turn starts.
    func record(of queue: JobQueue, _ now: SchedulerReading) -> JobQueue {
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
        if freePlaces <= 0 { return nil }
        return rated.compactMap { id -> Duration? in
            guard let line = lines[id], line.isReady, !line.queue.isPaused, let rate = line.queue.rate,
                line.running < min(line.limit, line.places ?? .max)
            else { return nil }
            return line.starts.untilRoom(rate, now)
        }.min()
    }

    var queueCount: Int { lines.count }

    /// Describes a broken invariant; `nil` if there is none.
    func brokenInvariant() -> String? {
        if running.count > limit { return "\(running.count) handlers run at once" }
        let runs = running.values.reduce(into: [:]) { $0[$1.queue, default: 0] += 1 }
        var runsByKey: [QueueID: [String: Int]] = [:]
        for case (let queue, let key?) in running.values { runsByKey[queue, default: [:]][key, default: 0] += 1 }
        let waiting = offers.values.reduce(into: [:]) { $0[$1.lane.queue, default: 0] += 1 }
        if self.waiting != offers.values.reduce(into: [:], { $0[$1.lane, default: 0] += 1 }) {
            return "a lane has another number of waiting jobs"
        }
        let turns = Set(turns.all.map { ObjectIdentifier($0) })
        for (id, line) in lines {
            if line.running != runs[id] ?? 0 { return "queue \(id) counts \(line.running) runs" }
            if let broken = line.waiting.lazy.compactMap({ $0.brokenInvariant(isFull: line.isFull) }).first {
                return "queue \(id): \(broken)"
            }
            if line.startingByKey.values.reduce(0, +) > line.starting { return "queue \(id) starts more of its keys" }
            if line.runningByKey != runsByKey[id] ?? [:] { return "queue \(id) counts other runs of its keys" }
            if line.count != waiting[id] ?? 0 { return "queue \(id) counts \(line.count) waiting jobs" }
            if line.hasTurn != turns.contains(ObjectIdentifier(line)) {
                return "queue \(id) does not know whether it has a turn"
            }
            if line.count > 0, !line.hasTurn { return "queue \(id) never has its turn" }
            if (line.places != nil) != limited.contains(id) || (line.queue.rate != nil) != rated.contains(id) {
                return "queue \(id) is not known by its limits"
            }
            if line.starting > 0, !starting.contains(id) {
                return "queue \(id) is not among those that start something"
            }
            let places = max(line.limit, 0)
            if line.starting > 0, line.running + line.starting > places { return "queue \(id) starts too much" }
            if (line.places != nil) != (isShared && line.queue.hasLimits) {
                return "queue \(id) does not know whether its limits are shared"
            }
        }
        for id in runs.keys where lines[id] == nil { return "queue \(id) runs and is not known" }
        return nil
    }
}

extension Set {
    fileprivate mutating func set(_ element: Element, isMember: Bool) {
        if isMember { insert(element) } else { remove(element) }
    }
}

/// Places in queues whose limits hold for several schedulers.
///
/// The store gives places, and takes them back, so that all schedulers together have no more than the queue allows.
/// This scheduler asks when it needs more or fewer than it has, and every ``patience`` while jobs wait: the answer also
/// shows that others wait, by getting fewer than it has. Runs in progress keep their places.
extension QueueBoard {
    private static let patience: Duration = .milliseconds(250)

    /// The places that the store is asked for now.
    func uses(_ now: UptimeInstant) -> [QueueUse] {
        if !isShared { return [] }
        return limited.sorted().compactMap { id in
            let line = lines[id]!
            guard let places = line.places, line.starting == 0 else { return nil }
            let isWaiting = line.isReady && !line.queue.isPaused
            let mayAsk = line.nextAsk.map { $0 <= now } ?? true
            let isNeeded = isWaiting ? mayAsk : line.hasTooMany(places) || line.hasTooFew(places) && mayAsk
            guard isNeeded || line.arePlacesDoubtful else { return nil }
            let wanted = isWaiting ? line.running + line.readyCount : line.running
            return QueueUse(
                queue: id, running: line.running, wanted: min(wanted, max(line.limit, line.running)))
        }
    }

    /// When the store is asked next, if nothing happens before.
    func nextAsk(_ now: UptimeInstant) -> UptimeInstant? {
        if !isShared { return nil }
        if !uses(now).isEmpty { return now }
        return limited.compactMap { id in
            let line = lines[id]!
            let isWaiting = line.isReady && !line.queue.isPaused
            return isWaiting || line.places.map { line.hasTooFew($0) } ?? false ? line.nextAsk : nil
        }.min()
    }

    mutating func take(_ given: [QueuePlaces], _ now: SchedulerReading) {
        for given in given {
            let had = lines[given.queue.id]?.places ?? 0
            adopt(given.queue, now)
            guard let line = lines[given.queue.id], line.places != nil else { continue }
            line.places = given.places ?? 0
            line.arePlacesDoubtful = false
            line.nextAsk = now.uptime.advanced(by: Self.patience)
            // The record counts the runs that others have begun in the meantime.
            if had == 0, line.running == 0, line.queue.rate != nil { line.starts = restored(given.queue, now) }
        }
    }

    /// The store was asked, and did not answer: it may have taken places back. Nothing begins in these queues until it
    /// has answered.
    mutating func placesAreUnknown(_ queues: [QueueID]) {
        for line in queues.compactMap({ lines[$0] }) {
            guard let places = line.places else { continue }
            line.places = min(places, line.running)
            line.arePlacesDoubtful = true
        }
    }

    /// Another scheduler may have changed the settings of the queue.
    mutating func adopt(_ queue: JobQueue, _ now: SchedulerReading) {
        let known = self.queue(queue.id)
        guard
            (known.concurrency, known.concurrencyPerKey, known.rate, known.isPaused)
                != (queue.concurrency, queue.concurrencyPerKey, queue.rate, queue.isPaused)
        else { return }
        configure(queue, now)
    }

    /// The same, and the store has noted so many places. A number from before its last answer only costs a question.
    mutating func adopt(_ queue: JobQueue, noted: Int, _ now: SchedulerReading) {
        adopt(queue, now)
        guard let line = lines[queue.id], let places = line.places else { return }
        if noted != (queue.rate == nil ? places : min(places, 1)) { line.arePlacesDoubtful = true }
    }
}
