public import ApusTimers

/// The jobs that have the same queue, priority, kind, conditions and group of fairness keys.
///
/// The jobs of a lane wait for the same things.
public struct QueueLane: Hashable, Sendable, Comparable {
    /// The queue of the jobs.
    public var queue: QueueID
    /// The priority of the jobs.
    public var priority: JobPriority
    /// The kind of the jobs.
    public var kind: String
    /// The conditions of the device that the jobs wait for.
    public var conditions: JobConditions
    /// The group of the jobs' fairness keys, 1 to ``keyGroups``; `nil` for jobs without a key.
    ///
    /// With a lane for each key, each load would have to search once for every key of the future jobs. With groups,
    /// many jobs of one key that are left in the store delay only the keys of the same group.
    public var keyGroup: Int?

    /// The number of groups of fairness keys.
    public static let keyGroups = 64

    /// Creates a lane.
    public init(
        _ queue: QueueID, _ priority: JobPriority, kind: String, conditions: JobConditions = [], keyGroup: Int? = nil
    ) {
        self.queue = queue
        self.priority = priority
        self.kind = kind
        self.conditions = conditions
        self.keyGroup = keyGroup
    }

    /// The stored form, in which the kind comes last because only it may contain spaces.
    package var stored: String {
        let group = keyGroup.map { ".\($0)" } ?? ""
        return "\(priority.rawValue) \(conditions.rawValue)\(group) \(queue.rawValue) \(kind)"
    }

    package init?(stored: String) {
        // The text is split by bytes: a kind may begin with a combining mark, which forms one Character with the space
        // before it.
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

/// A request for the jobs that a scheduler brings into memory: a limited number of the first jobs of each lane.
///
/// Most waiting jobs stay in the store. A store lists the lanes in which jobs are due, computes the ``limits(of:)``,
/// and reads at most that number of rows of each lane by an index. The cost depends on the number of lanes and of
/// returned rows, and not on the number of waiting jobs.
public struct JobLoad: Hashable, Sendable {
    /// The instant by which the jobs must be examined (``Job/nextWake``).
    public var through: WallInstant
    /// The largest number of jobs of all lanes together.
    public var limit: Int
    /// The lanes of the load; `nil` for all.
    public var lanes: Set<QueueLane>?
    /// The number of jobs for which the memory has room; the lanes that can run share half of that number equally.
    package var room = Int.max
    /// The largest number of jobs of one lane.
    package var largestShare = Int.max
    /// The number of lanes that are known to share the room.
    ///
    /// A lane's share is computed from the greater of this number and the number of the load's lanes that can run.
    package var laneCount = 1
    /// The number of waiting jobs of each lane in memory.
    package var waiting: [QueueLane: Int] = [:]
    /// The number of runs in progress; a store reads this many additional rows of each lane.
    ///
    /// The first rows of a lane may belong to jobs that already run.
    package var running = 0
    package var paused: Set<QueueID> = []
    /// The jobs that can run here; `nil` for all.
    package var runnable: RunnableJobs?
    /// The conditions that the host does not meet.
    package var unmet: JobConditions = []
    /// The jobs in memory whose stored rows have not changed; they count as jobs of their lanes, and are not returned.
    package var known: Set<Int64> = []
    /// The largest number of rows that the load can need from one lane.
    package var mostRows: Int { max(0, limit) + known.count }

    /// The largest number of jobs of one held lane in memory; the jobs of such a lane cannot run (``isHeld(_:)``).
    ///
    /// These jobs are in memory only to report that they wait. All held lanes together share an eighth of the room, and
    /// each has at least one job.
    package static let largestHeldShare = 100

    /// Returns the number of jobs that each held lane may have in memory; `lanes` is the number of held lanes.
    static func heldShare(of room: Int, lanes: Int) -> Int {
        min(largestHeldShare, max(1, room / 8 / max(1, lanes)))
    }

    /// Creates a load of the jobs that must be examined by an instant.
    public init(through instant: WallInstant, limit: Int, lanes: Set<QueueLane>? = nil) {
        (through, self.limit, self.lanes) = (instant, limit, lanes)
    }

    /// Returns the number of rows to read from each of `lanes`, which are the lanes in which a job is due.
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

    /// Returns whether no job of the lane can run.
    func isHeld(_ lane: QueueLane) -> Bool {
        paused.contains(lane.queue) || !(runnable?.contains(lane) ?? true)
            || !lane.conditions.isDisjoint(with: unmet)
    }
}

/// The jobs of a load.
public struct DueJobs: Hashable, Sendable {
    /// The jobs, ordered by (``Job/nextWake``, `key`).
    public var jobs: [LoadedJob]
    /// The jobs of the load that cannot be read, which are not in `jobs`.
    public var unreadable: [UnreadableJob]
    /// The earliest ``Job/nextWake`` of the remaining jobs; `nil` if there are none.
    ///
    /// Jobs that are left out because of their lane's limit do not count.
    public var next: WallInstant?
    /// The earliest wake of each lane's jobs that must be examined by the load's instant, but exceed the lane's limit.
    ///
    /// A lane without such jobs has no entry.
    public var left: [QueueLane: WallInstant]
    /// Creates a result.
    public init(
        jobs: [LoadedJob], unreadable: [UnreadableJob] = [], next: WallInstant?, left: [QueueLane: WallInstant] = [:]
    ) {
        self.jobs = jobs
        self.unreadable = unreadable
        self.next = next
        self.left = left
    }
}

/// Selects the jobs of a load from the first rows of each lane.
package struct DueSelection {
    private var wakes: [Int64: (wake: WallInstant, lane: QueueLane?)] = [:]
    private var firsts: [QueueLane: WallInstant] = [:]
    private(set) package var left: [QueueLane: WallInstant] = [:]
    private var next: [WallInstant] = []

    package init() {}

    /// Records that a lane has due jobs, the earliest of which wakes at `first`.
    package mutating func add(_ lane: QueueLane, first: WallInstant) {
        firsts[lane] = min(first, firsts[lane] ?? first)
    }

    /// The lanes with a due job.
    package var lanes: [QueueLane] { firsts.keys.sorted() }

    /// Adds one of the first rows of a lane.
    ///
    /// A store adds the rows with the earliest wakes on the wall clock, and those with the earliest wakes in elapsed
    /// time. For each of the two clocks, it adds one row more than the lane's limit, so that the wake of the first job
    /// that is left out is known. A row whose lane cannot be read has the lane `nil` and no limit, so that its job is
    /// loaded or set aside.
    package mutating func add(_ key: Int64, _ wake: WallInstant, of lane: QueueLane?) {
        wakes[key] = (min(wake, wakes[key]?.wake ?? wake), lane)
    }

    /// Adds the wake of a job that is due after the load's instant.
    package mutating func add(later wake: WallInstant) { next.append(wake) }

    /// Returns the keys of the selected jobs, in order, and the earliest wake of jobs that are due later or exceed the
    /// load's limit.
    ///
    /// It sets `left` to the lanes with jobs that exceed the limit of their lane.
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
    /// The wakes of a lane's jobs that are due by the load's instant, and the earliest later wake.
    private struct Waking {
        var due: [(wake: WallInstant, key: Int64)] = []
        var later: WallInstant?
    }

    /// Selects from all jobs with a wake, for a store in memory.
    package func select(
        _ jobs: some Sequence<(key: Int64, wake: WallInstant, lane: QueueLane)>
    ) -> (keys: [Int64], next: WallInstant?, left: [QueueLane: WallInstant]) {
        var numbers: [QueueLane: Int] = [:]
        var waking: [Waking] = []
        var last: (lane: QueueLane, number: Int)?
        for job in jobs {
            // Consecutive jobs are often of one lane, and comparing lanes is faster than looking one up.
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
