import Synchronization

/// Stores the wheel's records in segments that never move, and keeps track of the free records.
///
/// Growing allocates one segment without touching it: a record is initialized when it is first used. So growing takes
/// only as long as the system needs to reserve addresses, and pages that no timer has needed cost no memory.
struct TimerSlab: ~Copyable {
    typealias Record = UnsafeMutablePointer<TimerRecord>

    let memory = Segments()
    private var free = FreeRecords()
    private let firstGeneration: UInt32
    private var segments = 0
    /// How many records have been initialized; the records from this index on have never been used.
    private(set) var extent: UInt32 = 0

    /// How many records are in use.
    ///
    /// These are the records of timers, of started timers that are not released yet, and of cancelled timers that are
    /// still in a list.
    private(set) var count = 0

    #if COUNTS_VISITS
        /// How many records were examined, counted under the owner's lock for tests.
        let visits: UnsafeMutablePointer<Int>
    #endif

    init(firstGeneration: UInt32) {
        self.firstGeneration = firstGeneration
        #if COUNTS_VISITS
            visits = .allocate(capacity: 1)
            visits.initialize(to: 0)
        #endif
    }

    deinit {
        // Records and payloads are trivial types, so they need no deinitialization.
        memory.deallocate(segments)
        #if COUNTS_VISITS
            visits.deallocate()
        #endif
    }

    @inline(__always)
    func record(_ index: UInt32) -> Record {
        #if COUNTS_VISITS
            visits.pointee += 1
        #endif
        return memory.record(index)
    }

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

    /// Returns the record that a handle names, with its `life`; nil if the life that the handle names has ended.
    ///
    /// The life is loaded once, and the caller uses the loaded value. Another thread may start a taken timer at any
    /// moment, so a second load could return the value after the end of the life.
    @inline(__always)
    func live(_ handle: TimerHandle) -> (record: Record, life: UInt32)? {
        guard handle.index < extent else { return nil }
        let record = record(handle.index)
        // When a life ends, the record gets the generation of its next life, which no handle names yet. So an equal
        // generation means that the handle's life has not ended.
        let life = record.pointee.life.load(ordering: .relaxed)
        return life >> TimerRecord.takingBits == handle.generation ? (record, life) : nil
    }

    @inline(__always)
    mutating func allocate() -> UInt32 {
        count += 1
        return free.take() ?? extend()
    }

    /// Frees a record whose life has ended.
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

/// Starts taken timers without the lock that guards their wheel.
///
/// One thread may want to run a taken timer while another wants to cancel it. The thread that changes the record's life
/// first wins, and owns the payload.
package struct TimerStarts: Sendable {
    let memory: Segments

    /// Starts a due timer, unless it was cancelled, reset or started since it was taken.
    ///
    /// - Returns: True for at most one caller, which must soon pass the timer's index to ``TimerWheel/release(_:)``.
    @inline(__always)
    package func start(_ due: DueTimer) -> Bool {
        memory.record(due.index).pointee.life.compareExchange(
            expected: due.life, desired: TimerRecord.life(after: due.life), ordering: .acquiringAndReleasing
        ).exchanged
    }
}

/// Holds one timer in 32 bytes, so that it never crosses a cache line; its payload is stored separately.
struct TimerRecord: ~Copyable {
    /// The soft deadline, before which the timer never fires.
    var deadline: UInt64 = 0
    private var toleranceLow: UInt32 = 0
    /// The next record in the same list.
    var next: UInt32 = .none
    var previous: UInt32 = .none
    /// The generation of the record's life, with a count of how often the life's timer was taken and reset; 0 when
    /// retired.
    ///
    /// The upper 24 bits are the generation of the current life, or of the next one while the record is free. The lower
    /// 8 bits count each taking and each reset of a taken timer, so they are odd while the timer is taken. Therefore
    /// neither a stale handle nor a `DueTimer` from before a reset matches.
    ///
    /// The count wraps around after 128 resets. A `DueTimer` that was kept for that long matches again while the timer
    /// is taken; it can then start the timer, which is due anyway, and only once.
    ///
    /// A life is ended by a change of `life`, which is the only field that is changed without the owner's lock.
    let life: Atomic<UInt32>
    private var toleranceHigh: UInt16 = 0
    var place = Place.free
    var tag: UInt8 = 0

    init(generation: UInt32) { life = Atomic(generation << Self.takingBits) }

    /// How many bits of a life count takings and resets.
    static var takingBits: UInt32 { 8 }
    /// The mask of the bits that count takings and resets.
    static var takings: UInt32 { 1 << takingBits - 1 }

    /// Returns the value of `life` after a life has ended.
    @inline(__always)
    static func life(after life: UInt32) -> UInt32 { ((life >> takingBits) &+ 1) << takingBits }

    /// Returns the value of `life` after a taken timer was reset.
    @inline(__always)
    static func life(resetAfter life: UInt32) -> UInt32 { (life & ~takings) | (life &+ 1) & takings }

    /// Names the list that a record is in, or the record's state if it is in none.
    ///
    /// For a list, `rawValue` is the list's number XOR the wheel's `turn`.
    struct Place: RawRepresentable, Equatable {
        var rawValue: UInt16
        static var free: Place { Place(rawValue: .max) }
        /// The record was handed out by `takeDue` and is in no list, but its timer can still be cancelled.
        static var taken: Place { Place(rawValue: .max - 1) }
        /// All generations are used up, and the record is never used again.
        static var retired: Place { Place(rawValue: .max - 2) }

        var isList: Bool { rawValue < 2 * TimerWheel.turnBit }
    }

    /// The longest tolerance that 48 bits can hold in nanoseconds: a little more than three days.
    static var longestTolerance: UInt64 { 1 << 48 - 1 }

    var tolerance: UInt64 {
        get { UInt64(toleranceHigh) << 32 | UInt64(toleranceLow) }
        set {
            toleranceLow = UInt32(truncatingIfNeeded: newValue)
            toleranceHigh = UInt16(truncatingIfNeeded: newValue >> 32)
        }
    }

    /// Deadline plus tolerance, saturated.
    var hardDeadline: UInt64 { deadline.addingSaturating(tolerance) }
}

extension UInt32 {
    /// Marks the end of an intrusive list.
    static var none: UInt32 { .max }
}

/// Keeps track of the free records in groups of 64 neighbours.
///
/// Records are taken from one group, in the order of their addresses, until it is used up. So even after cancellations
/// in random order, new timers lie beside each other, and the processor prefetches them. Taking and returning a record
/// are O(1).
struct FreeRecords: ~Copyable {
    /// The free records of each group as bits, without those of the open group.
    private var words: UnsafeMutablePointer<UInt64>
    /// The groups whose word is not zero, in the order in which they got their first free record.
    private var stack: UnsafeMutablePointer<UInt32>
    private var stackCount = 0
    private var groups = 0
    /// The records of the open group that are still free.
    private var open: UInt64 = 0
    private var openGroup: UInt32 = 0

    private static var groupLog2: UInt32 { 6 }

    init() {
        words = .allocate(capacity: 1)
        stack = .allocate(capacity: 1)
    }

    deinit {
        words.deallocate()
        stack.deallocate()
    }

    /// Makes room for `records` records, a multiple of 64; the room at least doubles, so that it rarely has to grow.
    mutating func makeRoom(for records: Int) {
        let needed = records >> Int(Self.groupLog2)
        guard needed > groups else { return }
        let wanted = max(needed, 2 * groups)
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: wanted)
        words.moveInitialize(from: self.words, count: groups)
        (words + groups).initialize(repeating: 0, count: wanted - groups)
        let stack = UnsafeMutablePointer<UInt32>.allocate(capacity: wanted)
        stack.moveInitialize(from: self.stack, count: stackCount)
        self.words.deallocate()
        self.stack.deallocate()
        (self.words, self.stack, groups) = (words, stack, wanted)
    }

    /// Takes a free record, or returns nil if there is none.
    @inline(__always)
    mutating func take() -> UInt32? {
        if open == 0 {
            guard stackCount > 0 else { return nil }
            stackCount -= 1
            openGroup = stack[stackCount]
            open = words[Int(openGroup)]
            words[Int(openGroup)] = 0
        }
        let position = UInt32(truncatingIfNeeded: open.trailingZeroBitCount)
        open &= open &- 1
        return openGroup << Self.groupLog2 | position
    }

    /// Makes a record free again.
    @inline(__always)
    mutating func put(_ index: UInt32) {
        let group = index >> Self.groupLog2
        let word = words[Int(group)]
        if word == 0 {
            stack[stackCount] = group
            stackCount += 1
        }
        words[Int(group)] = word | 1 << UInt64(truncatingIfNeeded: index & (1 << Self.groupLog2 - 1))
    }
}

/// Locates records and payloads, which lie in segments of equal length, by a shift and a mask.
///
/// For `@unchecked Sendable`: segments are only ever added, under the owner's lock. A thread that has read an index
/// under that lock may therefore locate its record later without the lock.
///
/// A new segment only reserves addresses: on the supported systems, an allocation of this size takes no memory until it
/// is touched.
struct Segments: @unchecked Sendable {
    /// Where each segment begins.
    ///
    /// There is room for the maximum number of segments; only the used part is touched.
    private let bases: UnsafeMutablePointer<UnsafeMutableRawPointer>

    private static var lengthLog2: UInt32 { 16 }
    static var length: Int { 1 << lengthLog2 }
    /// The maximum number of segments, so that 31 bits can hold each record's index.
    static var longest: Int { 1 << (31 - lengthLog2) }
    /// The size of a segment's records in bytes; the segment's payloads lie after them.
    private static var recordBytes: Int { length * MemoryLayout<TimerRecord>.stride }
    private static var payloadBytes: Int { length * MemoryLayout<PayloadWords>.stride }

    init() { bases = .allocate(capacity: Self.longest) }

    @inline(__always)
    func record(_ index: UInt32) -> UnsafeMutablePointer<TimerRecord> {
        let (base, position) = locate(index)
        return (base + position &* MemoryLayout<TimerRecord>.stride).assumingMemoryBound(to: TimerRecord.self)
    }

    @inline(__always)
    func payload(_ index: UInt32) -> UnsafeMutablePointer<PayloadWords> {
        let (base, position) = locate(index)
        return (base + (Self.recordBytes &+ position &* MemoryLayout<PayloadWords>.stride))
            .assumingMemoryBound(to: PayloadWords.self)
    }

    @inline(__always)
    private func locate(_ index: UInt32) -> (base: UnsafeMutableRawPointer, position: Int) {
        (bases[Int(index &>> Self.lengthLog2)], Int(index & UInt32(Self.length - 1)))
    }

    /// Reserves the memory of a segment without touching it.
    func allocate(_ segment: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.recordBytes + Self.payloadBytes, alignment: 64)
        memory.bindMemory(to: TimerRecord.self, capacity: Self.length)
        (memory + Self.recordBytes).bindMemory(to: PayloadWords.self, capacity: Self.length)
        (bases + segment).initialize(to: memory)
    }

    /// Frees all memory; `count` is how many segments were allocated.
    func deallocate(_ count: Int) {
        for segment in 0..<count { bases[segment].deallocate() }
        bases.deallocate()
    }
}

struct PayloadWords {
    var first: UInt64
    var second: UInt64
}
