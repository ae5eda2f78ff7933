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
