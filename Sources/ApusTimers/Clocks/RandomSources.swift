import Synchronization

/// The operating system's random numbers: unpredictable, fit for identifiers that must not be guessable.
public struct SystemRandom: RandomSource {
    /// The system's generator. All values are equal.
    public init() {}

    /// The next 64 random bits. May be called from any thread.
    public func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

/// Random numbers that a seed decides (SplitMix64): the same seed gives the same sequence on every machine.
///
/// For simulations and tests. The sequence is predictable, so it is not for secrets. Threads that share one instance
/// share its sequence; then the order in which they ask decides who gets which number.
public final class SeededRandom: RandomSource, RandomNumberGenerator {
    private let state: Atomic<UInt64>

    /// A generator at the start of the sequence that belongs to `seed`.
    public init(seed: UInt64) { state = Atomic(seed) }

    /// The next 64 bits of the sequence. May be called from any thread.
    public func next() -> UInt64 {
        var z = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
