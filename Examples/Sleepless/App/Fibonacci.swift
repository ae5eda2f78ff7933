/// A position in the sequence 0, 1, 1, 2, 3, 5, …, in bounded space.
///
/// Numbers with up to ``exactDigits`` digits are stored completely. The limbs in the middle of a longer number are
/// dropped. Its last digits are exact, because higher digits do not affect them. Its first digits and its length are
/// exact too, because the carries that are lost with the middle only affect stored digits that are not shown. The next
/// number is computed from the stored digits alone, so the sequence is unbounded.
struct Fibonacci: Codable, Sendable, Hashable {
    /// A natural number to the base 10¹⁸, the lowest limb first; the highest limb is zero only in 0.
    private struct Limbs: Codable, Sendable, Hashable {
        var limbs: [UInt64]
    }

    /// The maximum number of digits of a number that is stored completely.
    static let exactDigits = limit * digits - 1
    /// The number of digits that are shown at each end of a longer number.
    static let shownDigits = tail * digits

    private static let base: UInt64 = 1_000_000_000_000_000_000
    private static let digits = 18
    private static let limit = 20
    /// The number of lowest limbs that are never dropped.
    private static let tail = 8

    /// The index of ``value`` in the sequence; the number with the index 0 is 0.
    private(set) var index = 0
    private var current = Limbs(limbs: [0])
    private var next = Limbs(limbs: [1])
    /// The number of limbs that have been dropped from the middle of the current number, and of the next one.
    ///
    /// It is `nil` in the records of versions that kept all limbs.
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

    /// The number in decimal digits; if limbs were dropped, its first and its last digits, with “…” between them.
    var value: String {
        let limbs = current.limbs
        guard (dropped ?? 0) > 0 else { return Self.text(limbs[...]) }
        let first = Self.text(limbs[Self.tail...]).prefix(Self.shownDigits)
        return first + "…" + Self.padded(limbs[..<Self.tail])
    }

    /// The number of digits of the whole number.
    var digitCount: Int { Self.text(current.limbs[...]).count + (dropped ?? 0) * Self.digits }

    private func sum(_ lhs: [UInt64], _ rhs: [UInt64]) -> [UInt64] {
        var sum = rhs
        var carry: UInt64 = 0
        for index in sum.indices {
            // The carry of the lowest limbs would be added to the dropped limbs, so it is dropped with them.
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
