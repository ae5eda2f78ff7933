public import ApusTimers

/// The jobs that wait for the same: those of one queue and priority, of one kind, with the same conditions, and with
/// fairness keys of one group.
public struct QueueLane: Hashable, Sendable, Comparable {
    /// The queue.
    public var queue: QueueID
    /// The priority.
    public var priority: JobPriority
    /// The kind.
    public var kind: String
    /// What the host must offer.
    public var conditions: JobConditions
    /// The group of the fairness key, 1 to ``keyGroups``; `nil` without a key.
    ///
    /// When many jobs of one key are left in the store, they delay the keys of its group, and no others. With a lane for
    /// each key, each load would look once for every key that has a job to come.
    public var keyGroup: Int?

    /// How many groups of fairness keys there are.
    public static let keyGroups = 64

    /// A lane.
    public init(
        _ queue: QueueID, _ priority: JobPriority, kind: String, conditions: JobConditions = [], keyGroup: Int? = nil
    ) {
        self.queue = queue
        self.priority = priority
        self.kind = kind
        self.conditions = conditions
        self.keyGroup = keyGroup
    }

    /// The form in the stores. Only the kind may have spaces, so it is the last part.
    package var stored: String {
        let group = keyGroup.map { ".\($0)" } ?? ""
        return "\(priority.rawValue) \(conditions.rawValue)\(group) \(queue.rawValue) \(kind)"
    }

    package init?(stored: String) {
        // By bytes: a kind may begin with a mark that is one Character with the space before it.
        let parts = stored.utf8.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
            .compactMap { String($0) }
        guard parts.count == 4, let priority = Int(parts[0]).flatMap(JobPriority.init(rawValue:)) else { return nil }
        let texts = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        let numbers = texts.compactMap { Int($0) }
        guard numbers.count == texts.count, numbers.count <= 2, let conditions = numbers.first else { return nil }
        self.init(
            QueueID(parts[2]), priority, kind: parts[3], conditions: JobConditions(rawValue: conditions),
            keyGroup: numbers.count == 2 ? numbers[1] : nil)
    }

    /// Orders lanes by queue, priority, kind, conditions and group.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.queue, lhs.priority, lhs.kind, lhs.conditions.rawValue, lhs.keyGroup ?? 0)
            < (rhs.queue, rhs.priority, rhs.kind, rhs.conditions.rawValue, rhs.keyGroup ?? 0)
    }
}

/// Which jobs a scheduler brings into memory: of each lane the first ones, and only so many.
///
/// What waits in great numbers stays in the store. A store lists the lanes in which jobs are due, asks for the
/// ``limits(of:)``, and reads so many rows of each lane, by an index: what it does depends on the number of lanes and of
/// the rows that it returns, and not on how many jobs wait.
public struct JobLoad: Hashable, Sendable {
    /// The jobs that must be looked at up to this instant (``Job/nextWake``).
    public var through: WallInstant
    /// The most jobs of all lanes together.
    public var limit: Int
    /// The lanes that are looked at; `nil` for all.
    public var lanes: Set<QueueLane>?
    /// How many jobs the lanes share of which something can run, each the same number.
    package var room = Int.max
    /// The most jobs of one lane.
    package var largestShare = Int.max
    /// How many lanes share the room, if it is known that there are more than those that are asked about.
    package var laneCount = 1
    /// How many of a lane wait in memory.
    package var waiting: [QueueLane: Int] = [:]
    /// How many more rows of each lane are read, because the first rows may belong to jobs that already run.
    package var running = 0
    /// Queues of which nothing runs.
    package var paused: Set<QueueID> = []
    /// What can run here; `nil` for all.
    package var runnable: RunnableJobs?
    /// The conditions that the host does not meet.
    package var unmet: JobConditions = []
    /// Jobs that are in memory as they are in the store: they count as jobs of their lanes, and are not returned.
    package var known: Set<Int64> = []
    /// The most rows that can be needed of one lane.
    package var mostRows: Int { max(0, limit) + known.count }

    /// The most jobs of a lane of which nothing can run: enough to say that they wait. These lanes share an eighth of
    /// the room, and get one job each at least.
    package static let largestHeldShare = 100

    /// How many jobs each of so many lanes of which nothing can run has in memory.
    static func heldShare(of room: Int, lanes: Int) -> Int {
        min(largestHeldShare, max(1, room / 8 / max(1, lanes)))
    }

    /// All jobs up to an instant.
    public init(through instant: WallInstant, limit: Int, lanes: Set<QueueLane>? = nil) {
        (through, self.limit, self.lanes) = (instant, limit, lanes)
    }

    /// How many jobs of each lane are read. The lanes are those in which something is due.
    public func limits(of lanes: some Collection<QueueLane>) -> [QueueLane: Int] {
        let heldCount = lanes.count(where: isHeld)
        let share = min(largestShare, max(1, room / (2 * max(1, laneCount, lanes.count - heldCount))))
        let heldShare = Self.heldShare(of: room, lanes: heldCount)
        var limits: [QueueLane: Int] = [:]
        for lane in lanes {
            if isHeld(lane) {
                limits[lane] = heldShare
            } else if waiting[lane] ?? 0 > share / 2 {
                limits[lane] = 0
            } else {
                limits[lane] = share + running
            }
        }
        return limits
    }

    /// Nothing of the lane can run.
    func isHeld(_ lane: QueueLane) -> Bool {
        paused.contains(lane.queue) || !(runnable?.contains(lane) ?? true)
            || !lane.conditions.isDisjoint(with: unmet)
    }
}

/// The jobs of a load.
public struct DueJobs: Hashable, Sendable {
    /// The jobs, ordered by (``Job/nextWake``, `key`).
    public var jobs: [LoadedJob]
    /// The jobs of the load that cannot be read; they are not in `jobs`.
    public var unreadable: [UnreadableJob]
    /// The earliest ``Job/nextWake`` of the jobs that are not among them; `nil` if there are no others. Jobs that are
    /// left out for their lane do not count.
    public var next: WallInstant?
    /// The lanes of which jobs are left out that must be looked at up to the load's instant, with the first wake of
    /// these.
    public var left: [QueueLane: WallInstant]
    /// Jobs that are due.
    public init(
        jobs: [LoadedJob], unreadable: [UnreadableJob] = [], next: WallInstant?, left: [QueueLane: WallInstant] = [:]
    ) {
        self.jobs = jobs
        self.unreadable = unreadable
        self.next = next
        self.left = left
    }
}

/// Chooses the jobs of a load among the first rows of each lane.
package struct DueSelection {
    private var wakes: [Int64: (wake: WallInstant, lane: QueueLane?)] = [:]
    private var firsts: [QueueLane: WallInstant] = [:]
    private(set) package var left: [QueueLane: WallInstant] = [:]
    private var next: [WallInstant] = []

    package init() {}

    /// Something of the lane is due, first at that instant.
    package mutating func add(_ lane: QueueLane, first: WallInstant) {
        firsts[lane] = min(first, firsts[lane] ?? first)
    }

    /// The lanes in which something is due.
    package var lanes: [QueueLane] { firsts.keys.sorted() }

    /// A row of the lane: one of the first by its clock, of which one more than the limit is read. `nil`: its lane
    /// cannot be read, and has no limit, so that the job is loaded or set aside.
    package mutating func add(_ key: Int64, _ wake: WallInstant, of lane: QueueLane?) {
        wakes[key] = (min(wake, wakes[key]?.wake ?? wake), lane)
    }

    /// Something is due after the load's instant.
    package mutating func add(later wake: WallInstant) { next.append(wake) }

    /// The keys of the jobs that are loaded, in order, and what is left.
    package mutating func finish(
        _ load: JobLoad, _ limits: [QueueLane: Int]
    ) -> (keys: [Int64], next: WallInstant?) {
        let order = wakes.sorted { ($0.value.wake, $0.key) < ($1.value.wake, $1.key) }
        var counts: [QueueLane: Int] = [:]
        var keys: [Int64] = []
        for (lane, first) in firsts where limits[lane] ?? 0 == 0 { left[lane] = first }
        for (key, (wake, lane)) in order {
            if let lane {
                if counts[lane, default: 0] >= limits[lane] ?? 0 {
                    if left[lane] == nil { left[lane] = wake }
                    continue
                }
                counts[lane, default: 0] += 1
            }
            if load.known.contains(key) { continue }
            if keys.count < load.limit {
                keys.append(key)
            } else {
                next.append(wake)
            }
        }
        return (keys, next.min())
    }
}

extension JobLoad {
    /// The jobs of a lane that wake by a load's instant, and when the first of the others does.
    private struct Waking {
        var due: [(wake: WallInstant, key: Int64)] = []
        var later: WallInstant?
    }

    /// The jobs among all that wake of a store that is in memory.
    package func select(
        _ jobs: some Sequence<(key: Int64, wake: WallInstant, lane: QueueLane)>
    ) -> (keys: [Int64], next: WallInstant?, left: [QueueLane: WallInstant]) {
        var numbers: [QueueLane: Int] = [:]
        var waking: [Waking] = []
        var last: (lane: QueueLane, number: Int)?
        for job in jobs {
            // Neighbours are often of one lane, and looking it up takes longer than comparing it.
            let number: Int
            if let last, last.lane == job.lane {
                number = last.number
            } else {
                if let lanes, !lanes.contains(job.lane) { continue }
                number = numbers[job.lane] ?? waking.count
                if number == waking.count {
                    numbers[job.lane] = number
                    waking.append(Waking())
                }
                last = (job.lane, number)
            }
            if job.wake > through {
                waking[number].later = min(job.wake, waking[number].later ?? job.wake)
            } else {
                waking[number].due.append((job.wake, job.key))
            }
        }
        var selection = DueSelection()
        for (lane, number) in numbers {
            if let first = waking[number].due.map(\.wake).min() { selection.add(lane, first: first) }
        }
        let limits = limits(of: selection.lanes)
        for (lane, number) in numbers {
            if let later = waking[number].later, limits[lane] ?? 1 > 0 { selection.add(later: later) }
            guard let limit = limits[lane], limit > 0 else { continue }
            for row in waking[number].due.sorted(by: <).prefix(limit + 1) { selection.add(row.key, row.wake, of: lane) }
        }
        let (keys, next) = selection.finish(self, limits)
        return (keys, next, selection.left)
    }
}
