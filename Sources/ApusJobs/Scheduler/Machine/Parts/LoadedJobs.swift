import ApusTimers

/// A handler's end that is not yet written to the store.
struct PendingEnd: Sendable {
    var key: RunKey
    /// The result; `nil` if the attempt did not begin, in which case the run waits again.
    var ended: JobMachine.Ended?
    var snooze: RunDecision?
    var jitter = 0.0
}

/// Events of a loaded job that are not written yet, and about which the next turn decides.
struct JobNews: Sendable {
    /// The ends of handlers, in the order of their arrival.
    var ends: [PendingEnd] = []
    /// The last report of each running handler.
    var progress: [RunKey: RunProgress] = [:]
    /// Whether a previous owner has left claimed runs without handlers.
    var isInterrupted = false
    /// Whether the wakes in the job's row differ from the computed ones, and must be written again.
    var isOutdated = false
    /// The duration by which the wall clock was set back.
    var setBack: Duration?
    /// Whether the rules of the job's time zone may have changed.
    var mustReadZone = false

    var isEmpty: Bool { ends.isEmpty && progress.isEmpty && !isInterrupted && !isOutdated && !isOfSweep }
    var isOfSweep: Bool { setBack != nil || mustReadZone }
}

/// The jobs in memory, some of which the next turn examines, and some of which must be read from the store first.
struct LoadedJobs: ~Copyable {
    /// A loaded job; an object, so that a step looks it up once and changes it in place.
    final class Entry {
        let key: Int64
        let shard: ShardID
        var machine: JobMachine {
            didSet { isChecked = false }
        }
        var news = JobNews()
        /// Whether the invariants of the machine were checked since its last change.
        var isChecked = false

        init(_ machine: JobMachine, shard: ShardID) {
            (key, self.machine, self.shard) = (machine.job.key, machine, shard)
        }

        /// The job, which is yielded because a copy for each access would often cost more than the rest of a step.
        var job: Job { _read { yield machine.job } }
    }

    private var entries: [Int64: Entry] = [:]
    /// The loaded jobs to which identifiers refer.
    private var names: [JobID: Entry] = [:]
    /// The jobs that the next turn examines, in this order; those that were unloaded are stale, and not in
    /// `examinedKeys`.
    private var examined: [Entry] = []
    private var examinedKeys: Set<Int64> = []
    /// The jobs whose last commit has an unknown fate.
    private(set) var doubtful: Set<Int64> = []

    subscript(key: Int64) -> Entry? { entries[key] }
    subscript(id: JobID) -> Entry? { names[id] }
    var count: Int { entries.count }
    var keys: Set<Int64> { Set(entries.keys) }
    /// The jobs in no defined order.
    var all: Dictionary<Int64, Entry>.Values { entries.values }
    /// The jobs ordered by key.
    var sorted: [Entry] { entries.values.sorted { $0.key < $1.key } }

    mutating func insert(_ machine: JobMachine, shard: ShardID) -> Entry {
        let entry = Entry(machine, shard: shard)
        entries[entry.key] = entry
        return entry
    }

    /// Makes the job's identifier refer to this job.
    mutating func name(_ entry: Entry) { names[entry.job.id] = entry }

    /// Makes the identifier refer to no job in memory.
    mutating func forgetName(_ id: JobID) { names[id] = nil }

    mutating func remove(_ entry: Entry) {
        entries[entry.key] = nil
        if names[entry.job.id] === entry { names[entry.job.id] = nil }
        examinedKeys.remove(entry.key)
        doubtful.remove(entry.key)
    }

    // MARK: Examined next

    var hasExamined: Bool { !examinedKeys.isEmpty }

    func isExamined(_ entry: Entry) -> Bool { examinedKeys.contains(entry.key) }

    func isAnyExamined(where predicate: (Entry) -> Bool) -> Bool {
        examined.contains { isExamined($0) && predicate($0) }
    }

    /// Lets the next turn examine the job.
    mutating func examine(_ entry: Entry) {
        if examinedKeys.insert(entry.key).inserted { examined.append(entry) }
    }

    mutating func takeExamined(atMost limit: Int) -> [Entry] {
        let taken = examined.prefix(limit).filter { entries[$0.key] === $0 }
        examined.removeFirst(min(limit, examined.count))
        for entry in taken { examinedKeys.remove(entry.key) }
        return taken
    }

    // MARK: Doubtful

    func isDoubtful(_ entry: Entry) -> Bool { doubtful.contains(entry.key) }

    func isAnyDoubtful(_ ids: some Sequence<JobID>) -> Bool {
        !doubtful.isEmpty && ids.contains { id in names[id].map { doubtful.contains($0.key) } ?? false }
    }

    /// Marks the job as doubtful, so that it is read from the store before any other operation on it.
    mutating func doubt(_ entry: Entry) { doubtful.insert(entry.key) }

    mutating func endDoubt(_ key: Int64) { doubtful.remove(key) }

    // MARK: Invariants

    /// Returns a description of a broken invariant; `nil` if there is none.
    func brokenInvariant() -> String? {
        for (key, entry) in entries {
            if entry.job.key != key { return "job \(entry.job.id) is kept under the key \(key)" }
            if entry.isChecked { continue }
            if let broken = entry.machine.brokenInvariant() { return "job \(entry.job.id): \(broken)" }
            entry.isChecked = true
        }
        for (id, entry) in names where entries[entry.key] !== entry || entry.job.id != id {
            return "the identifier \(id) has no job"
        }
        if Set(examined.filter { entries[$0.key] === $0 }.map(\.key)) != examinedKeys {
            return "a job does not know whether it is examined next"
        }
        if let key = examinedKeys.union(doubtful).first(where: { entries[$0] == nil }) {
            return "the job with the key \(key) is not in memory, and waits to be examined or read"
        }
        return nil
    }
}
