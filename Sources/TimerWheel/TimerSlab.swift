import Synchronization

/// Records in segments that never move, each twice as long as the one before, with a last-in-first-out stack of the
/// free ones.
///
/// Growth allocates one segment and touches nothing of it: a record is made when it is first used, so growing never
/// takes longer than the system needs to reserve addresses, and pages that no timer needed cost no memory.
struct TimerSlab: ~Copyable {
    typealias Record = UnsafeMutablePointer<TimerRecord>

    private struct Words {
        var first: UInt64
        var second: UInt64
    }

    let directory: TimerDirectory
    private let payloads: UnsafeMutablePointer<UInt>
    private let firstGeneration: UInt32
    private var segments = 0
    /// The stack of free records. Not a list through the records: its next entry would be in a record that is out of
    /// the cache, and everything would wait for it.
    private let free: UnsafeMutablePointer<UInt>
    private var freeCount: UInt32 = 0
    /// Records that exist; those behind have never been used.
    private(set) var extent: UInt32 = 0
    /// How many records the segments have room for.
    private var capacity: UInt32 = 0

    /// Records that hold a timer, or one that was claimed and not yet released.
    private(set) var count = 0

    init(firstGeneration: UInt32) {
        self.firstGeneration = firstGeneration
        directory = TimerDirectory()
        payloads = .allocate(capacity: TimerDirectory.longest)
        payloads.initialize(repeating: 0, count: TimerDirectory.longest)
        free = .allocate(capacity: TimerDirectory.longest)
        free.initialize(repeating: 0, count: TimerDirectory.longest)
    }

    deinit {
        // Records and payloads are trivial, so there is nothing to deinitialize in them.
        for segment in 0..<segments {
            let first = TimerDirectory.first(of: segment)
            UnsafeMutableRawPointer(directory.record(first)).deallocate()
            UnsafeMutableRawPointer(words(first)).deallocate()
            UnsafeMutableRawPointer(freeEntry(first)).deallocate()
        }
        directory.deallocate()
        payloads.deallocate()
        free.deallocate()
    }

    @inline(__always)
    func record(_ index: UInt32) -> Record { directory.record(index) }

    @inline(__always)
    private func words(_ index: UInt32) -> UnsafeMutablePointer<Words> {
        let (segment, position) = TimerDirectory.locate(index)
        // Made in `grow` from a pointer, so it is one.
        return UnsafeMutablePointer(bitPattern: payloads[segment] &+ position &* UInt(MemoryLayout<Words>.stride))
            .unsafelyUnwrapped
    }

    @inline(__always)
    private func freeEntry(_ depth: UInt32) -> UnsafeMutablePointer<UInt32> {
        let (segment, position) = TimerDirectory.locate(depth)
        // Made in `grow` from a pointer, so it is one.
        return UnsafeMutablePointer(bitPattern: free[segment] &+ position &* UInt(MemoryLayout<UInt32>.stride))
            .unsafelyUnwrapped
    }

    @inline(__always)
    func payload(_ index: UInt32) -> TimerPayload {
        let words = words(index).pointee
        return TimerPayload(words.first, words.second, tag: record(index).pointee.tag)
    }

    @inline(__always)
    func setPayload(_ index: UInt32, _ payload: TimerPayload) {
        words(index).initialize(to: Words(first: payload.first, second: payload.second))
        record(index).pointee.tag = payload.tag
    }

    /// The record that a handle names and its present life, or nil when that life is over.
    ///
    /// The life is read once and has to be used: a taken timer may be claimed at any moment, and a second look would
    /// see what comes after its end.
    @inline(__always)
    func live(_ handle: TimerHandle) -> (record: Record, life: UInt32)? {
        guard handle.index < extent else { return nil }
        let record = record(handle.index)
        // Handles of coming lives were not given out yet, so an equal generation is a life that goes on.
        let life = record.pointee.life.load(ordering: .relaxed)
        return life >> TimerRecord.takingBits == handle.generation ? (record, life) : nil
    }

    @inline(__always)
    mutating func allocate() -> UInt32 {
        count += 1
        guard freeCount > 0 else { return extend() }
        freeCount -= 1
        return freeEntry(freeCount).pointee
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
        freeEntry(freeCount).initialize(to: index)
        freeCount += 1
    }

    @inline(never)
    private mutating func extend() -> UInt32 {
        if extent == capacity { grow() }
        let index = extent
        extent += 1
        record(index).initialize(to: TimerRecord(generation: firstGeneration))
        return index
    }

    private mutating func grow() {
        precondition(segments < TimerDirectory.longest, "a wheel holds at most 2 billion timers")
        let first = TimerDirectory.first(of: segments)
        let length = TimerDirectory.length(of: segments)
        let records = UnsafeMutableRawPointer.allocate(
            byteCount: length * MemoryLayout<TimerRecord>.stride, alignment: 64
        )
        let words = UnsafeMutableRawPointer.allocate(byteCount: length * MemoryLayout<Words>.stride, alignment: 64)
        let position = TimerDirectory.locate(first).position
        directory.setBase(segments, UInt(bitPattern: records) &- position &* UInt(MemoryLayout<TimerRecord>.stride))
        let entries = UnsafeMutableRawPointer.allocate(
            byteCount: length * MemoryLayout<UInt32>.stride, alignment: 64
        )
        free[segments] = UInt(bitPattern: entries) &- position &* UInt(MemoryLayout<UInt32>.stride)
        payloads[segments] = UInt(bitPattern: words) &- position &* UInt(MemoryLayout<Words>.stride)
        segments += 1
        capacity += UInt32(length)
    }
}

/// Where the records are: finds one by its index.
///
/// Entries are only ever added, under the owner's lock, so whoever learned an index under that lock may look its record
/// up at any later time without.
struct TimerDirectory: @unchecked Sendable {
    private static var firstLengthLog2: Int { 6 }
    /// The most segments that indices of 31 bits can name.
    static var longest: Int { 25 }

    /// The address at which each segment would begin if indices, moved up by the first segment's length, counted
    /// from zero.
    private let bases: UnsafeMutablePointer<UInt>

    init() {
        bases = .allocate(capacity: Self.longest)
        bases.initialize(repeating: 0, count: Self.longest)
    }

    func deallocate() { bases.deallocate() }

    static func length(of segment: Int) -> Int { 1 << (firstLengthLog2 + segment) }
    static func first(of segment: Int) -> UInt32 { UInt32(length(of: segment) - length(of: 0)) }

    @inline(__always)
    static func locate(_ index: UInt32) -> (segment: Int, position: UInt) {
        let position = index &+ UInt32(1 << firstLengthLog2)
        return (31 - firstLengthLog2 - position.leadingZeroBitCount, UInt(position))
    }

    @inline(__always)
    func record(_ index: UInt32) -> TimerSlab.Record {
        let (segment, position) = Self.locate(index)
        // Made in `setBase` from a pointer, so it is one.
        return TimerSlab.Record(bitPattern: bases[segment] &+ position &* UInt(MemoryLayout<TimerRecord>.stride))
            .unsafelyUnwrapped
    }

    func setBase(_ segment: Int, _ address: UInt) { bases[segment] = address }
}

/// Ends taken timers without the lock that guards their wheel.
///
/// Ending a taken timer is a race between who runs it and who cancels it; one increment of the record's life decides.
/// The winner owns the payload.
package struct TimerClaims: Sendable {
    let directory: TimerDirectory

    /// True for exactly one caller, unless the timer was cancelled or reset since it was taken. That caller has to give
    /// its index to ``TimerWheel/release(_:)``, soon.
    @inline(__always)
    package func claim(_ due: DueTimer) -> Bool {
        directory.record(due.index).pointee.life.compareExchange(
            expected: due.life, desired: TimerRecord.life(after: due.life), ordering: .acquiringAndReleasing
        ).exchanged
    }
}
