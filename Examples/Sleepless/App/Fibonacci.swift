/// A position in the sequence 0, 1, 1, 2, 3, 5, …, in bounded space.
///
/// Up to ``exactDigits`` digits the numbers are there as a whole. Of a longer one the middle is dropped: its last digits
/// stay exact, because what is above them does not change them, and so do its first ones and their number, because the
/// carries that are lost with the middle stay in digits of ``head`` that are not shown. The next number needs no more
/// than that, so the sequence is unbounded.
struct Fibonacci: Codable, Sendable, Hashable {
    /// A natural number to the base 10¹⁸, the lowest first; the highest limb is zero only in 0.
    private struct Limbs: Codable, Sendable, Hashable {
        var limbs: [UInt64]
    }

    /// A number of up to so many digits is kept as a whole.
    static let exactDigits = limit * digits - 1
    /// So many of the first and of the last digits of a longer one are shown.
    static let shownDigits = tail * digits

    private static let base: UInt64 = 1_000_000_000_000_000_000
    private static let digits = 18
    private static let limit = 20
    /// How many of the lowest limbs are kept for ever.
    private static let tail = 8

    /// Which number ``value`` is; 0 is number 0.
    private(set) var index = 0
    private var current = Limbs(limbs: [0])
    private var next = Limbs(limbs: [1])
    /// How many limbs of both are dropped above the lowest ones; nothing in records of versions that kept all.
    private var dropped: Int?

    mutating func advance() {
        let sum = sum(current.limbs, next.limbs)
        (current, next) = (next, Limbs(limbs: sum))
        index += 1
        while next.limbs.count > Self.limit {
            next.limbs.remove(at: Self.tail)
            if current.limbs.count > Self.tail { current.limbs.remove(at: Self.tail) }
            dropped = (dropped ?? 0) + 1
        }
    }

    /// In decimal; of a long number the first and the last digits, with “…” between them.
    var value: String {
        let limbs = current.limbs
        guard (dropped ?? 0) > 0 else { return Self.text(limbs[...]) }
        let first = Self.text(limbs[Self.tail...]).prefix(Self.shownDigits)
        return first + "…" + Self.padded(limbs[..<Self.tail])
    }

    /// How many digits the whole number has.
    var digitCount: Int { Self.text(current.limbs[...]).count + (dropped ?? 0) * Self.digits }

    private func sum(_ lhs: [UInt64], _ rhs: [UInt64]) -> [UInt64] {
        var sum = rhs
        var carry: UInt64 = 0
        for index in sum.indices {
            // What comes out of the lowest limbs belongs to the dropped ones.
            if index == Self.tail, (dropped ?? 0) > 0 { carry = 0 }
            let limb = sum[index] + (index < lhs.count ? lhs[index] : 0) + carry
            carry = limb >= Self.base ? 1 : 0
            sum[index] = limb - carry * Self.base
        }
        if carry > 0 { sum.append(carry) }
        return sum
    }

    private static func text(_ limbs: ArraySlice<UInt64>) -> String {
        String(limbs.last ?? 0) + padded(limbs.dropLast())
    }

    private static func padded(_ limbs: ArraySlice<UInt64>) -> String {
        limbs.reversed().map { limb in
            let text = String(limb)
            return String(repeating: "0", count: digits - text.count) + text
        }.joined()
    }
}
