import Synchronization

/// A source of the operating system's random numbers, which are unpredictable and suit identifiers that must not be
/// guessed.
public struct SystemRandom: RandomSource {
    /// Creates a reference to the system's generator; all values are equal.
    public init() {}

    /// Returns the next 64 random bits; may be called from any thread.
    public func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

/// Returns pseudorandom numbers (SplitMix64): the same seed gives the same sequence on every machine.
///
/// It is for simulations and tests. The sequence is predictable, so it must not be used for secrets. Threads that share
/// an instance share its sequence; the order of their calls decides which thread gets which number.
public final class SeededRandom: RandomSource, RandomNumberGenerator {
    private let state: Atomic<UInt64>

    /// Creates a generator at the start of the seed's sequence.
    public init(seed: UInt64) { state = Atomic(seed) }

    /// Returns the next 64 bits of the sequence; may be called from any thread.
    public func next() -> UInt64 {
        var z = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
