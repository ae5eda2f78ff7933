/// Elements in segments that never move, each twice as long as the one before: finds one by its index.
///
/// Segments are only ever added, under the owner's lock, so whoever learned an index under that lock may look its
/// element up at any later time without.
struct Segments<Element: ~Copyable>: @unchecked Sendable {
    /// The address at which each segment would begin if indices, moved up by the first segment's length, counted
    /// from zero.
    private let bases: UnsafeMutablePointer<UInt>

    init() {
        bases = .allocate(capacity: Segmentation.longest)
        bases.initialize(repeating: 0, count: Segmentation.longest)
    }

    @inline(__always)
    subscript(_ index: UInt32) -> UnsafeMutablePointer<Element> {
        let (segment, position) = Segmentation.locate(index)
        // Made in `allocate` from a pointer, so it is one.
        return UnsafeMutablePointer(bitPattern: bases[segment] &+ position &* UInt(MemoryLayout<Element>.stride))
            .unsafelyUnwrapped
    }

    /// Reserves the memory of a segment, and touches none of it.
    func allocate(_ segment: Int) {
        let stride = MemoryLayout<Element>.stride
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Segmentation.length(of: segment) * stride, alignment: 64
        )
        let position = Segmentation.locate(Segmentation.first(of: segment)).position
        bases[segment] = UInt(bitPattern: memory) &- position &* UInt(stride)
    }

    /// Ends it all; `count` segments were allocated.
    func deallocate(_ count: Int) {
        for segment in 0..<count { UnsafeMutableRawPointer(self[Segmentation.first(of: segment)]).deallocate() }
        bases.deallocate()
    }
}

/// Which index is where.
enum Segmentation {
    private static var firstLengthLog2: Int { 6 }
    /// The most segments that indices of 31 bits can name.
    static var longest: Int { 25 }

    static func length(of segment: Int) -> Int { 1 << (firstLengthLog2 + segment) }
    static func first(of segment: Int) -> UInt32 { UInt32(length(of: segment) - length(of: 0)) }

    @inline(__always)
    static func locate(_ index: UInt32) -> (segment: Int, position: UInt) {
        let position = index &+ UInt32(1 << firstLengthLog2)
        return (31 - firstLengthLog2 - position.leadingZeroBitCount, UInt(position))
    }
}
