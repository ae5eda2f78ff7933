/// The instants at which a display of a given rate shows its frames: frame k at k / rate seconds after the clock's
/// origin.
///
/// Each instant is computed from k alone, in full width, so nothing is accumulated and nothing drifts. All timers of
/// one rate are on one grid, so they share their wake-ups.
struct FrameGrid: Sendable, Hashable {
    /// What is accepted as a rate: displays are below, and a frame is a whole number of nanoseconds and many.
    static let acceptedRates = 1...1_000

    private static let second: UInt64 = 1_000_000_000

    private let rate: UInt64

    init(framesPerSecond: Int) {
        precondition(Self.acceptedRates.contains(framesPerSecond), "the rate was validated")
        rate = UInt64(framesPerSecond)
    }

    var framesPerSecond: Int { Int(rate) }

    /// How long one frame of the display is shown.
    var frameDuration: Duration { .seconds(1) / Int(rate) }

    /// When that frame is shown, rounded down to the nanosecond; the end of the range for frames after it.
    func instant(of index: UInt64) -> UInt64 {
        let product = index.multipliedFullWidth(by: Self.second)
        guard product.high < rate else { return .max }
        return rate.dividingFullWidth(product).quotient
    }

    /// The frame that is being shown at that instant.
    func index(at instant: UInt64) -> UInt64 {
        // The largest k with floor(k × second / rate) ≤ instant, that is, with k × second < (instant + 1) × rate.
        var (high, low) = instant.multipliedFullWidth(by: rate)
        let (sum, overflow) = low.addingReportingOverflow(rate - 1)
        low = sum
        if overflow { high += 1 }
        return Self.second.dividingFullWidth((high, low)).quotient
    }

    /// The latest frame at or before the instant whose number is a multiple of `stride`.
    func multiple(of stride: UInt64, atOrBefore instant: UInt64) -> UInt64 {
        let index = index(at: instant)
        return index - index % stride
    }

    /// The first frame after the instant whose number is a multiple of `stride`.
    func multiple(of stride: UInt64, after instant: UInt64) -> UInt64 {
        multiple(of: stride, atOrBefore: instant) + stride
    }

    /// How many frames of the display one frame is shown for, so that the rate is as near as can be to what is wished.
    ///
    /// The rates are the divisors of the display's; of two that are equally near, the faster one. Nil, zero and less
    /// wish for the display's own rate.
    func stride(preferring wish: Int?) -> UInt64 {
        guard let wish, wish > 0, UInt64(wish) < rate else { return 1 }
        let wished = Int64(wish)
        var best: UInt64 = 1
        for stride in 1...rate where rate.isMultiple(of: stride) {
            // Strides grow and rates fall, so an equal distance is that of a slower one.
            let distance = abs(Int64(rate / stride) - wished)
            if distance < abs(Int64(rate / best) - wished) { best = stride }
        }
        return best
    }
}
