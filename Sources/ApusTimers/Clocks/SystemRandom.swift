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
