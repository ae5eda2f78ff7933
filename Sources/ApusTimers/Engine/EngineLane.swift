import TimerWheel

/// What the engine's thread has taken from one shard on one clock, and has not run yet.
///
/// Used by that thread alone.
struct EngineLane: ~Copyable {
    /// How many due timers are taken under one hold of a shard's lock, and how many are moved to a lower level: so
    /// that a million due timers do not block `schedule`.
    private static var budget: (taken: Int, moved: Int) { (128, 512) }

    // A pointer and first: under the thread sanitizer, Swift 6.3 takes each change of the lane for one of what the first
    // field points to, and does not compile if that is no pointer.
    private let buffer: UnsafeMutablePointer<DueTimer>
    private let started: UnsafeMutablePointer<UInt32>
    private let executors: UnsafeMutablePointer<ActionExecutor?>
    /// The shard's number.
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

    /// The deadline of the next timer; nil when the lane is through.
    var next: UInt64? { head < count ? buffer[head].deadline : nil }

    mutating func begin(_ shard: Int) {
        self.shard = shard
        isComplete = false
        head = 0
        count = 0
    }

    /// Takes the next batch, if the lane is empty and the shard may have more that is due.
    mutating func refill(_ shards: EngineShards, now: UInt64) {
        while head == count, !isComplete {
            let (buffer, executors) = (buffer, executors)
            let progress = shards.withShard(shard) { shard -> TimerWheel.Progress? in
                // After the engine's end, its timers are taken out elsewhere, in pieces.
                guard let wheel = shard.wheel, shard.core != nil else { return nil }
                release(into: wheel, shards)
                starts = wheel.pointee.starts
                let progress = wheel.pointee.takeDue(
                    now: now, into: UnsafeMutableBufferPointer(start: buffer, count: Self.budget.taken),
                    work: Self.budget.moved
                )
                // Only now can no thread cancel them and release their object.
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

    /// The next timer, and where it runs if not here.
    mutating func take() -> (due: DueTimer, executor: ActionExecutor?) {
        let position = head
        head += 1
        guard buffer[position].payload.isForElsewhere else { return (buffer[position], nil) }
        return (buffer[position], executors[position].take())
    }

    /// Ends the timer for the one who runs it. False if it was cancelled or reset meanwhile.
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

    /// Gives the records of started timers back.
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
