/// A position in the sequence 0, 1, 1, 2, 3, 5, …, exact however large the numbers are.
struct Fibonacci: Codable, Sendable, Hashable {
    /// Which number ``current`` is; 0 is number 0.
    private(set) var index = 0
    private(set) var current = BigNumber(0)
    private var next = BigNumber(1)

    mutating func advance() {
        (current, next) = (next, current + next)
        index += 1
    }
}

/// A natural number of any size.
struct BigNumber: Codable, Sendable, Hashable, CustomStringConvertible {
    /// Two of these and a carry fit into 64 bits.
    private static let base: UInt64 = 1_000_000_000_000_000_000
    private static let digits = 18

    /// To the base 10¹⁸, the lowest first; the highest is zero only in 0.
    private var limbs: [UInt64]

    init(_ value: UInt32) { limbs = [UInt64(value)] }

    static func + (lhs: BigNumber, rhs: BigNumber) -> BigNumber {
        let (longer, shorter) = lhs.limbs.count >= rhs.limbs.count ? (lhs, rhs) : (rhs, lhs)
        var sum = longer
        var carry: UInt64 = 0
        for index in sum.limbs.indices {
            if index >= shorter.limbs.count, carry == 0 { break }
            let limb = sum.limbs[index] + (index < shorter.limbs.count ? shorter.limbs[index] : 0) + carry
            carry = limb >= base ? 1 : 0
            sum.limbs[index] = limb - carry * base
        }
        if carry > 0 { sum.limbs.append(carry) }
        return sum
    }

    /// In decimal.
    var description: String {
        var text = String(limbs.last ?? 0)
        for limb in limbs.dropLast().reversed() {
            let digits = String(limb)
            text += String(repeating: "0", count: Self.digits - digits.count) + digits
        }
        return text
    }
}
