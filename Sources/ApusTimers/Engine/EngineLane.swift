import TimerWheel

/// Holds the due timers that the engine's thread has taken from one shard and has not run yet.
///
/// Only that thread uses it.
struct EngineLane: ~Copyable {
    /// How many due timers may be taken, and how many may be moved to a lower level, each time a shard's lock is held.
    ///
    /// The bounds keep a million due timers from blocking `schedule`.
    private static var budget: (taken: Int, moved: Int) { (128, 512) }

    // This field is the first one because of two faults of Swift 6.3 under the thread sanitizer. Each change of the
    // lane is reported as an access to what the first field points to, and the code does not compile if the first field
    // is no pointer.
    private let buffer: UnsafeMutablePointer<DueTimer>
    private let started: UnsafeMutablePointer<UInt32>
    private let executors: UnsafeMutablePointer<ActionExecutor?>
    /// The shard's index.
    private(set) var shard = 0
    private var head = 0
    private var count = 0
    private var startedCount = 0
    private var isComplete = true
    private var starts: TimerStarts?

    init() {
        buffer = .allocate(capacity: Self.budget.taken)
        started = .allocate(capacity: Self.budget.taken)
        executors = .allocate(capacity: Self.budget.taken)
        executors.initialize(repeating: nil, count: Self.budget.taken)
    }

    deinit {
        executors.deinitialize(count: Self.budget.taken)
        executors.deallocate()
        buffer.deallocate()
        started.deallocate()
    }

    /// The deadline of the next timer; nil when none is left.
    var next: UInt64? { head < count ? buffer[head].deadline : nil }

    mutating func begin(_ shard: Int) {
        self.shard = shard
        isComplete = false
        head = 0
        count = 0
    }

    /// Takes the next batch of due timers if the lane is empty and the shard may have more.
    mutating func refill(_ shards: EngineShards, now: UInt64) {
        while head == count, !isComplete {
            let (buffer, executors) = (buffer, executors)
            let progress = shards.withShard(shard) { shard -> TimerWheel.Progress? in
                // After the engine's end, `takeAll` removes the timers in steps, so the lane takes none.
                guard let wheel = shard.wheel, shard.core != nil else { return nil }
                release(into: wheel, shards)
                starts = wheel.pointee.starts
                let progress = wheel.pointee.takeDue(
                    now: now, into: UnsafeMutableBufferPointer(start: buffer, count: Self.budget.taken),
                    work: Self.budget.moved
                )
                // While the lock is held, no thread can cancel the timers and release their objects.
                for position in 0..<progress.count where buffer[position].payload.isForElsewhere {
                    executors[position] = buffer[position].payload.retainedExecutor()
                }
                return progress
            }
            head = 0
            count = progress?.count ?? 0
            isComplete = progress?.isComplete ?? true
        }
    }

    /// Takes the next timer, with its executor unless that is the engine's thread.
    mutating func take() -> (due: DueTimer, executor: ActionExecutor?) {
        let position = head
        head += 1
        guard buffer[position].payload.isForElsewhere else { return (buffer[position], nil) }
        return (buffer[position], executors[position].take())
    }

    /// Starts a timer, and returns false if it was cancelled or reset since it was taken.
    @inline(__always)
    mutating func start(_ due: DueTimer, _ shards: EngineShards) -> Bool {
        shards.beginStart(shard, of: startedCount)
        let isStarted = starts?.start(due) == true
        if isStarted {
            started[startedCount] = due.index
            startedCount += 1
        }
        shards.setStarted(shard, startedCount)
        return isStarted
    }

    /// Releases the records of started timers at the end of a pass.
    mutating func end(_ shards: EngineShards) {
        guard startedCount > 0 else { return }
        shards.withShard(shard) { shard in
            if let wheel = shard.wheel { release(into: wheel, shards) }
        }
    }

    private mutating func release(into wheel: UnsafeMutablePointer<TimerWheel>, _ shards: EngineShards) {
        for position in 0..<startedCount { wheel.pointee.release(started[position]) }
        startedCount = 0
        shards.setStarted(shard, 0)
    }
}
