/// One timer. 40 bytes.
struct TimerRecord {
    /// The soft deadline: the timer never fires before.
    var deadline: UInt64
    /// Deadline plus tolerance, saturated.
    var hardDeadline: UInt64
    var payload: UInt64
    /// The next record of the same list, or of the free list.
    var next: UInt32
    var previous: UInt32
    var generation: UInt32
    var place: Place

    /// Which list a record is in: the number of a slot, or one of the constants.
    struct Place: RawRepresentable, Equatable {
        var rawValue: UInt32
        static var free: Place { Place(rawValue: .max) }
        /// Handed out by `takeDue`, in no list, still cancellable.
        static var taken: Place { Place(rawValue: .max - 1) }
        /// Every generation was used; the record never lives again.
        static var retired: Place { Place(rawValue: .max - 2) }
    }
}

extension UInt32 {
    /// Marks the end of an intrusive list.
    static var none: UInt32 { .max }
}

/// Records in chunks of a fixed size that never move, with a last-in-first-out free list.
///
/// Growth allocates one chunk (and at times a longer table of chunk pointers); nothing else allocates.
struct TimerSlab: ~Copyable {
    static var chunkShift: UInt32 { 10 }
    static var chunkSize: UInt32 { 1 << chunkShift }

    private typealias Chunk = UnsafeMutablePointer<TimerRecord>
    private var chunks: UnsafeMutablePointer<Chunk>
    private var tableCapacity: UInt32 = 8
    private var chunkCount: UInt32 = 0
    private var freeHead: UInt32 = .none
    private let firstGeneration: UInt32

    /// Records that hold a timer.
    private(set) var count: Int = 0

    init(firstGeneration: UInt32) {
        self.firstGeneration = firstGeneration
        chunks = .allocate(capacity: Int(tableCapacity))
    }

    deinit {
        // Records are trivial, so there is nothing to deinitialize in them.
        for index in 0..<Int(chunkCount) { chunks[index].deallocate() }
        chunks.deallocate()
    }

    var capacity: UInt32 { chunkCount << Self.chunkShift }

    @inline(__always)
    func record(_ index: UInt32) -> UnsafeMutablePointer<TimerRecord> {
        chunks[Int(index >> Self.chunkShift)] + Int(index & (Self.chunkSize - 1))
    }

    /// The record that a handle names, or nil when that life is over.
    @inline(__always)
    func live(_ handle: TimerHandle) -> UnsafeMutablePointer<TimerRecord>? {
        guard handle.index < capacity else { return nil }
        let record = record(handle.index)
        guard record.pointee.generation == handle.generation else { return nil }
        return record.pointee.place == .free || record.pointee.place == .retired ? nil : record
    }

    mutating func allocate() -> UInt32 {
        if freeHead == .none { grow() }
        let index = freeHead
        freeHead = record(index).pointee.next
        count += 1
        return index
    }

    mutating func release(_ index: UInt32) {
        let record = record(index)
        count -= 1
        guard record.pointee.generation < .max else {
            record.pointee.place = .retired
            return
        }
        record.pointee.generation += 1
        record.pointee.place = .free
        record.pointee.next = freeHead
        freeHead = index
    }

    private mutating func grow() {
        precondition(capacity < .max - Self.chunkSize, "a wheel holds at most 4 billion timers")
        if chunkCount == tableCapacity {
            let longer = UnsafeMutablePointer<Chunk>.allocate(capacity: Int(tableCapacity) * 2)
            longer.moveInitialize(from: chunks, count: Int(chunkCount))
            chunks.deallocate()
            chunks = longer
            tableCapacity *= 2
        }
        let base = capacity
        let chunk = Chunk.allocate(capacity: Int(Self.chunkSize))
        for offset in 0..<Self.chunkSize {
            let next = offset + 1 < Self.chunkSize ? base + offset + 1 : freeHead
            (chunk + Int(offset)).initialize(
                to: TimerRecord(
                    deadline: 0, hardDeadline: 0, payload: 0, next: next, previous: .none,
                    generation: firstGeneration, place: .free
                )
            )
        }
        (chunks + Int(chunkCount)).initialize(to: chunk)
        chunkCount += 1
        freeHead = base
    }
}
