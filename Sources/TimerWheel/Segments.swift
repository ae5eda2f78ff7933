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
