import Synchronization

/// Records in segments that never move, and which of them are free.
///
/// Growth allocates one segment and touches nothing of it: a record is made when it is first used, so growing never
/// takes longer than the system needs to reserve addresses, and pages that no timer needed cost no memory.
struct TimerSlab: ~Copyable {
    typealias Record = UnsafeMutablePointer<TimerRecord>

    let memory = Segments()
    private var free = FreeRecords()
    private let firstGeneration: UInt32
    private var segments = 0
    /// Records that exist; those after them have never been used.
    private(set) var extent: UInt32 = 0

    /// Records that are in use: those of timers, of started ones not yet released, and of cancelled ones still in lists.
    private(set) var count = 0

    init(firstGeneration: UInt32) { self.firstGeneration = firstGeneration }

    deinit {
        // Records and payloads are trivial, so there is nothing to deinitialize in them.
        memory.deallocate(segments)
    }

    @inline(__always)
    func record(_ index: UInt32) -> Record { memory.record(index) }

    @inline(__always)
    func payload(_ index: UInt32) -> TimerPayload {
        let words = memory.payload(index).pointee
        return TimerPayload(words.first, words.second, tag: record(index).pointee.tag)
    }

    @inline(__always)
    func setPayload(_ index: UInt32, _ payload: TimerPayload) {
        memory.payload(index).initialize(to: PayloadWords(first: payload.first, second: payload.second))
        record(index).pointee.tag = payload.tag
    }

    /// The record that a handle names and its present life, or nil when that life is over.
    ///
    /// The life is read once and has to be used: a taken timer may be started at any moment, and a second look would
    /// see what comes after its end.
    @inline(__always)
    func live(_ handle: TimerHandle) -> (record: Record, life: UInt32)? {
        guard handle.index < extent else { return nil }
        let record = record(handle.index)
        // Handles of coming lives were not given out yet, so an equal generation is a life that has not ended.
        let life = record.pointee.life.load(ordering: .relaxed)
        return life >> TimerRecord.takingBits == handle.generation ? (record, life) : nil
    }

    @inline(__always)
    mutating func allocate() -> UInt32 {
        count += 1
        return free.take() ?? extend()
    }

    /// Takes back a record whose life was ended.
    @inline(__always)
    mutating func release(_ index: UInt32) {
        let record = record(index)
        count -= 1
        guard record.pointee.life.load(ordering: .relaxed) != 0 else {
            record.pointee.place = .retired
            return
        }
        record.pointee.place = .free
        free.put(index)
    }

    @inline(never)
    private mutating func extend() -> UInt32 {
        if Int(extent) == segments &* Segments.length { grow() }
        let index = extent
        extent += 1
        record(index).initialize(to: TimerRecord(generation: firstGeneration))
        return index
    }

    private mutating func grow() {
        precondition(segments < Segments.longest, "a wheel holds at most 2 billion timers")
        memory.allocate(segments)
        segments += 1
        free.makeRoom(for: segments * Segments.length)
    }
}

/// Ends taken timers without the lock that guards their wheel.
///
/// Ending a taken timer is a race between who runs it and who cancels it; one increment of the record's life decides.
/// The winner owns the payload.
package struct TimerStarts: Sendable {
    let memory: Segments

    /// True for exactly one caller, unless the timer was cancelled or reset since it was taken. That caller has to give
    /// its index to ``TimerWheel/release(_:)``, soon.
    @inline(__always)
    package func start(_ due: DueTimer) -> Bool {
        memory.record(due.index).pointee.life.compareExchange(
            expected: due.life, desired: TimerRecord.life(after: due.life), ordering: .acquiringAndReleasing
        ).exchanged
    }
}
