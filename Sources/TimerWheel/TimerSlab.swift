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

    #if DEBUG
        /// How often a record was examined, under the owner's lock: for tests.
        let visits: UnsafeMutablePointer<Int>
    #endif

    init(firstGeneration: UInt32) {
        self.firstGeneration = firstGeneration
        #if DEBUG
            visits = .allocate(capacity: 1)
            visits.initialize(to: 0)
        #endif
    }

    deinit {
        // Records and payloads are trivial, so there is nothing to deinitialize in them.
        memory.deallocate(segments)
        #if DEBUG
            visits.deallocate()
        #endif
    }

    @inline(__always)
    func record(_ index: UInt32) -> Record {
        #if DEBUG
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

/// One timer. 32 bytes, so that a record never lies on two cache lines; its payload is kept beside it.
struct TimerRecord: ~Copyable {
    /// The soft deadline: the timer never fires before.
    var deadline: UInt64 = 0
    private var toleranceLow: UInt32 = 0
    /// The next record of the same list.
    var next: UInt32 = .none
    var previous: UInt32 = .none
    /// The generation of the present life, or of the next one while the record is free (24 bits); then how often that
    /// life was taken, and reset after it had been taken (8 bits): odd while it is taken. So neither a stale handle nor
    /// what was taken before a reset finds anything. 0: retired.
    ///
    /// The count wraps around. What was taken 128 resets ago and not used since then finds the timer again if it is taken
    /// now: so it starts a timer that is due, and the timer starts once.
    ///
    /// Its change ends a life, and is the only thing that happens to a record without the owner's lock.
    let life: Atomic<UInt32>
    private var toleranceHigh: UInt16 = 0
    var place = Place.free
    var tag: UInt8 = 0

    init(generation: UInt32) { life = Atomic(generation << Self.takingBits) }

    /// How many bits count takings.
    static var takingBits: UInt32 { 8 }
    /// The bits that count takings.
    static var takings: UInt32 { 1 << takingBits - 1 }

    /// What comes after a life.
    @inline(__always)
    static func life(after life: UInt32) -> UInt32 { ((life >> takingBits) &+ 1) << takingBits }

    /// The same life of a timer that was taken, after it was reset.
    @inline(__always)
    static func life(resetAfter life: UInt32) -> UInt32 { (life & ~takings) | (life &+ 1) & takings }

    /// Which list a record is in: the number of a list with the wheel's turn, or one of the constants.
    struct Place: RawRepresentable, Equatable {
        var rawValue: UInt16
        static var free: Place { Place(rawValue: .max) }
        /// Handed out by `takeDue`, in no list, still cancellable.
        static var taken: Place { Place(rawValue: .max - 1) }
        /// Every generation was used; the record never lives again.
        static var retired: Place { Place(rawValue: .max - 2) }

        var isList: Bool { rawValue < 2 * TimerWheel.turnBit }
    }

    /// 48 bits: three days, to the nanosecond.
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

/// Which records are free, in groups of 64 neighbours.
///
/// What is taken comes from one group until that is used up, in the order of the addresses: after timers were cancelled
/// in any order, new ones still lie beside each other, and the processor fetches them ahead. Taking and giving back
/// are O(1).
struct FreeRecords: ~Copyable {
    /// For each group, which of its records are free; without those of the open group.
    private var words: UnsafeMutablePointer<UInt64>
    /// The groups whose word is not zero, in the order in which they got something.
    private var stack: UnsafeMutablePointer<UInt32>
    private var stackCount = 0
    private var groups = 0
    /// What is left of the group that records are taken from.
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

    /// Makes room for so many records, a multiple of 64: twice as much as before, so that it is rarely needed.
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

    /// A free record, if there is one.
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

    /// Gives a record back.
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

/// Records and payloads in segments of one length that never move: finds both by an index with a shift and a mask.
///
/// For `@unchecked Sendable`: segments are only ever added, under the owner's lock, so code that has read an index under
/// that lock may look its record up at any later time without. Memory that no timer has used yet is only reserved: on the
/// systems at hand, an allocation of this size costs addresses until it is touched.
struct Segments: @unchecked Sendable {
    /// Where each segment begins. Room for all there can be, of which the used part is touched.
    private let bases: UnsafeMutablePointer<UnsafeMutableRawPointer>

    private static var lengthLog2: UInt32 { 16 }
    /// How many records a segment has.
    static var length: Int { 1 << lengthLog2 }
    /// The most segments that indices of 31 bits can name.
    static var longest: Int { 1 << (31 - lengthLog2) }
    /// Payloads follow the records of their segment.
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

    /// Reserves the memory of a segment, and touches none of it.
    func allocate(_ segment: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.recordBytes + Self.payloadBytes, alignment: 64)
        memory.bindMemory(to: TimerRecord.self, capacity: Self.length)
        (memory + Self.recordBytes).bindMemory(to: PayloadWords.self, capacity: Self.length)
        (bases + segment).initialize(to: memory)
    }

    /// Ends it all; `count` segments were allocated.
    func deallocate(_ count: Int) {
        for segment in 0..<count { bases[segment].deallocate() }
        bases.deallocate()
    }
}

/// The two words of a payload.
struct PayloadWords {
    var first: UInt64
    var second: UInt64
}
