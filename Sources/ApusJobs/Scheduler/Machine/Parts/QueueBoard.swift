import ApusTimers

/// The jobs that wait for a place, by queue and priority, and the runs that have one.
///
/// Queues take turns, so a long queue does not delay another. Of every four places that a queue gets, three go to the
/// highest priority among its waiting jobs. The fourth goes to the priority of the waiting job with the oldest due
/// instant. Within a priority the fairness keys take turns (``FairLine``).
struct QueueBoard: ~Copyable {
    /// A job that waits for a place.
    private struct Offer {
        var number: UInt64
        var lane: QueueLane
        var key: String?
        /// Whether the job's conditions must be read before it gets a place.
        var hasConditions: Bool { !lane.conditions.isEmpty }
    }

    /// One queue with its waiting jobs.
    ///
    /// It is an object, so that a step looks up the queue's name only once. It has one owner, because the board cannot
    /// be copied.
    private final class Line {
        var queue: JobQueue
        /// The waiting jobs by priority, lowest first.
        var waiting = JobPriority.allCases.map { _ in FairLine() }
        /// The number of attempts whose handlers have not returned.
        var running = 0
        /// The number of attempts that the turn in progress starts.
        var starting = 0
        /// The part of `running` that belongs to each fairness key; `startingByKey` has the same for `starting`.
        private(set) var runningByKey: [String: Int] = [:]
        private(set) var startingByKey: [String: Int] = [:]
        var starts = StartLog()
        /// Whether the queue is in `turns`.
        var hasTurn = false
        /// The number of times that a waiting job of this queue was picked.
        ///
        /// Every fourth pick takes a job of the priority of the oldest one.
        var picks = 0
        /// The number of runs that may be in progress here, if the queue's limits are shared with other schedulers.
        var places: Int?
        /// Whether the store may have recorded another number of places than `places`.
        ///
        /// If so, the needed number is sent at once.
        var arePlacesDoubtful = false
        /// The instant at which places are requested again.
        var nextAsk: UptimeInstant?
        /// The largest number of this queue's runs in progress here; the queue's own limit applies too.
        let limitHere: Int

        init(_ queue: JobQueue, limitHere: Int?) {
            self.queue = queue
            self.limitHere = limitHere ?? .max
        }

        var count: Int { waiting.reduce(0) { $0 + $1.count } }

        /// Whether a waiting job has a key that is below its limit.
        var isReady: Bool { waiting.contains { $0.isReady } }

        /// The number of waiting jobs that the limit for one key would let begin together.
        var readyCount: Int {
            guard let limit = queue.concurrencyPerKey else { return count }
            let counts = waiting.reduce(into: [:]) { $0.merge($1.counts, uniquingKeysWith: +) }
            return counts.reduce(0) { sum, share in
                guard let key = share.key else { return sum + share.value }
                return sum + max(0, min(share.value, limit - (runningByKey[key] ?? 0)))
            }
        }

        /// Returns whether the key has reached its limit, including the runs that this turn starts.
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

        /// Applies a changed limit of the queue's keys.
        func updateLimits() {
            for key in Set(waiting.flatMap(\.counts.keys)) { updateLimit(of: key) }
        }

        /// The largest number of runs in progress here, by the limits of the scheduler and the queue.
        var limit: Int { min(queue.concurrency ?? .max, limitHere) }

        /// Returns the number of runs that may begin now.
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

        /// Returns whether some places are not needed.
        ///
        /// One scheduler at a time has the places of a queue with a rate. It keeps them while a run is in progress.
        func hasTooMany(_ places: Int) -> Bool {
            queue.rate == nil ? places > running : places > 0 && running == 0
        }

        /// Returns whether more runs are in progress than there are places.
        ///
        /// This happens when the limit was set or lowered after the runs began. The other schedulers must learn of
        /// these runs.
        func hasTooFew(_ places: Int) -> Bool { places < running }
    }

    /// A job that gets a place.
    struct Picked {
        var job: Int64
        var queue: QueueID
        var key: String?

        /// Returns whether the queue and the key of the job are still those with which it began to wait.
        func isFor(_ request: JobRequest) -> Bool { (queue, key) == (request.queue, request.fairnessKey) }
    }

    private var lines: [QueueID: Line] = [:]
    /// The queues whose settings or numbers have changed since ``takeChanges(all:)``; `nil` before its first call.
    private var changed: Set<QueueID>?
    /// The waiting jobs, by key.
    private var offers: [Int64: Offer] = [:]
    /// The number of waiting jobs of each lane.
    private(set) var waiting: [QueueLane: Int] = [:]
    /// For each lane with more jobs in the store, the number of its waiting jobs at which the store must be read again.
    ///
    /// The lane becomes needed when no more than this number of its jobs in memory wait.
    private var watched: [QueueLane: Int] = [:]
    /// The watched lanes whose jobs in the store must be loaded, because few jobs wait in memory or some can run again.
    private(set) var needed: Set<QueueLane> = []
    /// The waiting jobs whose conditions must be read before they get a place.
    private var conditional: Set<Int64> = []
    private var counter: UInt64 = 0
    /// The attempts whose handlers have not returned, with the queues and keys of their places.
    private var running: [RunKey: (queue: QueueID, key: String?)] = [:]
    /// The queues with waiting jobs, in the order of their turns.
    private var turns = Turns<Line>()
    private var rated: Set<QueueID> = []
    /// The queues whose places the store gives.
    private var limited: Set<QueueID> = []
    /// The queues in which the turn in progress starts runs.
    private var starting: Set<QueueID> = []
    /// The queues whose records in the store may differ from the board's, and are written again by the next turn.
    private(set) var doubtfulRecords: Set<QueueID> = []

    /// The largest number of handlers that run at once, in all queues together.
    let limit: Int
    /// The largest number of handlers that run at once in one queue, for the queues that have such a limit here.
    let limits: [QueueID: Int]
    /// Whether the queues' limits apply to several schedulers, and the store gives the places.
    let isShared: Bool

    init(
        _ queues: [JobQueue], limit: Int = .max, limits: [QueueID: Int] = [:], isShared: Bool, now: SchedulerReading
    ) {
        (self.limit, self.limits, self.isShared) = (limit, limits.mapValues { max(1, $0) }, isShared)
        for queue in queues { configure(queue, now) }
    }

    // MARK: Queues

    /// Returns the stored queue, or a queue without settings if none is stored.
    func queue(_ id: QueueID) -> JobQueue { lines[id]?.queue ?? JobQueue(id: id) }

    /// The queues that have settings, or runs in progress or waiting jobs, ordered by name.
    var statuses: [QueueStatus] {
        lines.keys.sorted().map { status($0) }.filter {
            $0.runningCount > 0 || $0.waitingCount > 0 || $0.queue.hasSettings
        }
    }

    /// Returns the queues whose settings or numbers of runs and jobs have changed since the last call, ordered by name.
    ///
    /// - Parameter all: Whether to return all queues, as the first call does.
    /// - Returns: The present status of each of them.
    mutating func takeChanges(all: Bool) -> [QueueStatus] {
        let ids = all ? Set(lines.keys) : changed ?? Set(lines.keys)
        changed = []
        return ids.sorted().map { status($0) }
    }

    func status(_ id: QueueID) -> QueueStatus {
        QueueStatus(queue: queue(id), runningCount: lines[id]?.running ?? 0, waitingCount: lines[id]?.count ?? 0)
    }

    /// Returns the number of the key's runs in progress.
    func runningCount(of key: String, in queue: QueueID) -> Int { lines[queue]?.runningByKey[key] ?? 0 }

    /// Returns the time until the queue's rate lets a run begin; `nil` if the queue has no rate.
    func rateDelay(_ id: QueueID, _ now: ContinuousInstant) -> Duration? {
        guard let line = lines[id], let rate = line.queue.rate else { return nil }
        return line.starts.untilRoom(rate, now)
    }

    /// Adopts the committed record of the queue.
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

    /// Marks the records of these queues as doubtful, because the fate of their commit is unknown.
    mutating func doubtRecords(_ queues: some Sequence<QueueID>) { doubtfulRecords.formUnion(queues) }

    /// Returns the starts that a queue's record counts.
    private func restored(_ queue: JobQueue, _ now: SchedulerReading) -> StartLog {
        guard let last = queue.lastStart else { return StartLog() }
        // The record has only the instant of the last start, so all starts count as made at that instant.
        let instant = now.continuous.advanced(by: min(.zero, now.wall.duration(to: last)))
        return StartLog(queue.recentStarts, at: instant)
    }

    private mutating func line(_ id: QueueID) -> Line {
        if let line = lines[id] { return line }
        let line = Line(JobQueue(id: id), limitHere: limits[id])
        lines[id] = line
        return line
    }

    /// Removes a queue without settings, runs and waiting jobs, because only its name is left.
    private mutating func forgetIfUnused(_ line: Line) {
        guard line.running == 0, line.starting == 0, line.count == 0, !line.queue.hasSettings else { return }
        if !line.hasTurn { lines[line.queue.id] = nil }
    }

    // MARK: Waiting

    func isWaiting(_ key: Int64) -> Bool { offers[key] != nil }

    /// Adds a job to the jobs that wait for a place of its queue; the job must not be among them yet.
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

    /// Removes the job from the waiting ones, if it waits; its element stays in the line, but is stale from then on.
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

    /// Watches a lane with more jobs in the store; the lane becomes needed when half of its waiting jobs have begun.
    mutating func watch(_ lane: QueueLane) {
        watched[lane] = (waiting[lane] ?? 0) / 2
        needed.remove(lane)
    }

    /// Marks the watched lanes that satisfy the predicate as needed.
    mutating func need(_ isNeeded: (QueueLane) -> Bool) {
        for lane in watched.keys where isNeeded(lane) { needed.insert(lane) }
    }

    /// Marks the lane as needed, if it is watched.
    mutating func need(_ lane: QueueLane) { if watched[lane] != nil { needed.insert(lane) } }

    mutating func unwatch(_ lane: QueueLane) {
        watched[lane] = nil
        needed.remove(lane)
    }

    var paused: Set<QueueID> { Set(lines.values.lazy.filter(\.queue.isPaused).map(\.queue.id)) }

    /// Returns whether a job whose conditions must be read first may get a place now.
    func needsConditions(_ now: ContinuousInstant) -> Bool {
        if conditional.isEmpty || freePlaces <= 0 { return false }
        for key in conditional {
            if let offer = offers[key], hasRoom(offer.lane.queue, offer.key, now) { return true }
        }
        return false
    }

    /// Returns whether a run may begin now by the limits of its queue and of its fairness key.
    func hasRoom(_ queue: QueueID, _ key: String?, _ now: ContinuousInstant) -> Bool {
        lines[queue].map { $0.room(now) > 0 && !$0.isFull(key) } ?? true
    }

    /// Removes and returns the job that gets the next place, and counts it as starting; `nil` if no queue has both a
    /// ready job and room.
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

    /// Takes back the place of a job that was picked and had no run to start.
    mutating func release(_ picked: Picked) { lines[picked.queue]!.addStarting(-1, of: picked.key) }

    /// Ends the turn, because it was committed, has failed, or has nothing to commit.
    ///
    /// After a commit, the machine passes each run that the turn has started to ``started(_:_:_:)``.
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

    /// Takes back the place of an attempt whose handler has returned, if it has one.
    mutating func ended(_ run: RunKey) {
        guard let (queue, key) = running.removeValue(forKey: run), let line = lines[queue] else { return }
        changed?.insert(queue)
        line.addRunning(-1, of: key)
        if line.running == 0 { forgetIfUnused(line) }
    }

    /// The queues with a rate in which this turn starts runs.
    var startingWithRate: [QueueID] {
        starting.filter { id in lines[id].map { $0.starting > 0 && $0.queue.rate != nil } ?? false }
    }

    /// Returns the record of a queue, including the runs that this turn starts.
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

    /// Returns the time until the rate of a queue lets a run begin; `nil` if no queue waits for its rate.
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

    /// Returns a description of a broken invariant; `nil` if there is none.
    func brokenInvariant() -> String? {
        if running.count > limit { return "\(running.count) handlers run at once, and the limit is \(limit)" }
        let runs = running.values.reduce(into: [:]) { $0[$1.queue, default: 0] += 1 }
        var runsByKey: [QueueID: [String: Int]] = [:]
        for case (let queue, let key?) in running.values { runsByKey[queue, default: [:]][key, default: 0] += 1 }
        let waiting = offers.values.reduce(into: [:]) { $0[$1.lane.queue, default: 0] += 1 }
        if self.waiting != offers.values.reduce(into: [:], { $0[$1.lane, default: 0] += 1 }) {
            return "a lane counts a wrong number of waiting jobs"
        }
        let turns = Set(turns.all.map { ObjectIdentifier($0) })
        for (id, line) in lines {
            if line.running != runs[id] ?? 0 {
                return "queue \(id) counts \(line.running) runs instead of \(runs[id] ?? 0)"
            }
            if let broken = line.waiting.lazy.compactMap({ $0.brokenInvariant(isFull: line.isFull) }).first {
                return "queue \(id): \(broken)"
            }
            if line.startingByKey.values.reduce(0, +) > line.starting {
                return "queue \(id) starts more runs of keys than it starts runs"
            }
            if line.runningByKey != runsByKey[id] ?? [:] {
                return "queue \(id) counts wrong numbers of runs of its keys"
            }
            if line.count != waiting[id] ?? 0 {
                return "queue \(id) counts \(line.count) waiting jobs instead of \(waiting[id] ?? 0)"
            }
            if line.hasTurn != turns.contains(ObjectIdentifier(line)) {
                return "queue \(id) does not know whether it has a turn"
            }
            if line.count > 0, !line.hasTurn { return "queue \(id) never has its turn" }
            if (line.places != nil) != limited.contains(id) || (line.queue.rate != nil) != rated.contains(id) {
                return "queue \(id) is missing from the queues with limits, or has none and is among them"
            }
            if line.starting > 0, !starting.contains(id) {
                return "queue \(id) starts a run, and is not among the queues that do"
            }
            let places = max(line.limit, 0)
            if line.starting > 0, line.running + line.starting > places {
                return "queue \(id) starts more runs than it has places"
            }
            if (line.places != nil) != (isShared && line.queue.hasLimits) {
                return "queue \(id) does not know whether its limits are shared"
            }
        }
        for id in runs.keys where lines[id] == nil { return "queue \(id) has a run, and is unknown" }
        return nil
    }
}

extension Set {
    fileprivate mutating func set(_ element: Element, isMember: Bool) {
        if isMember { insert(element) } else { remove(element) }
    }
}

// Places in queues whose limits apply to several schedulers.
//
// The store gives places and takes them back, so that all schedulers together have no more than the queue allows. This
// scheduler sends a request when it needs more or fewer places than it has. While jobs wait, it repeats the request
// after each interval of ``patience``. If other schedulers wait, the answer has fewer places than before. Runs in
// progress keep their places.
extension QueueBoard {
    private static let patience: Duration = .milliseconds(250)

    /// Returns the requests for places that are to be sent now.
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

    /// Returns the instant of the next request, unless something happens before then; `nil` if none is needed.
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
            // The record counts the runs that other schedulers have begun in the meantime.
            if had == 0, line.running == 0, line.queue.rate != nil { line.starts = restored(given.queue, now) }
        }
    }

    /// Lets no run begin in these queues until the store has answered.
    ///
    /// The last request for places had no answer, and the store may have taken places back.
    mutating func placesAreUnknown(_ queues: [QueueID]) {
        for line in queues.compactMap({ lines[$0] }) {
            guard let places = line.places else { continue }
            line.places = min(places, line.running)
            line.arePlacesDoubtful = true
        }
    }

    /// Adopts the settings of the queue, which another scheduler may have changed.
    mutating func adopt(_ queue: JobQueue, _ now: SchedulerReading) {
        let known = self.queue(queue.id)
        guard
            (known.concurrency, known.concurrencyPerKey, known.rate, known.isPaused)
                != (queue.concurrency, queue.concurrencyPerKey, queue.rate, queue.isPaused)
        else { return }
        configure(queue, now)
    }

    /// Adopts the settings of the queue; if the store has recorded another number of places than this scheduler, the
    /// needed number is sent again.
    ///
    /// If the recorded number is older than the last answer, this causes an unnecessary request and nothing else.
    mutating func adopt(_ queue: JobQueue, noted: Int, _ now: SchedulerReading) {
        adopt(queue, now)
        guard let line = lines[queue.id], let places = line.places else { return }
        if noted != (queue.rate == nil ? places : min(places, 1)) { line.arePlacesDoubtful = true }
    }
}
