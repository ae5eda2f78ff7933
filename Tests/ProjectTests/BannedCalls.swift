/// Calls that bypass `TimeSource`, `RandomSource` and `TimerEngine`, with the files that may make them.
struct BannedCalls {
    struct Rule: Sendable {
        /// What must not be written. A letter or digit directly before or after it is another word.
        var text: String
        /// What to write instead.
        var replacement: String
        /// The files that implement the replacement.
        var exempt: Set<String> = []
    }

    private static let clocks: Set = ["Sources/ApusTimers/Clocks/SystemTime.swift"]
    private static let randomness: Set = ["Sources/ApusTimers/Clocks/SystemRandom.swift"]

    private static let ask = "ask a TimeSource"
    private static let wait = "schedule on a TimerEngine, or sleep on a TimerClock"
    private static let draw = "ask a RandomSource"

    static let rules: [Rule] = [
        Rule(text: "Date()", replacement: ask),
        Rule(text: "Date.init()", replacement: ask),
        Rule(text: "Date.now", replacement: ask),
        Rule(text: "timeIntervalSinceNow", replacement: ask),
        Rule(text: "ContinuousClock()", replacement: ask),
        Rule(text: "ContinuousClock.now", replacement: ask),
        Rule(text: "ContinuousClock.Instant.now", replacement: ask),
        Rule(text: "SuspendingClock()", replacement: ask),
        Rule(text: "SuspendingClock.now", replacement: ask),
        Rule(text: "SuspendingClock.Instant.now", replacement: ask),
        Rule(text: "DispatchTime.now", replacement: ask),
        Rule(text: "DispatchWallTime.now", replacement: ask),
        Rule(text: "clock_gettime", replacement: ask, exempt: clocks),
        Rule(text: "clock_gettime_nsec_np", replacement: ask, exempt: clocks),
        Rule(text: "gettimeofday", replacement: ask, exempt: clocks),
        Rule(text: "Task.sleep", replacement: wait),
        Rule(text: "Task<Never, Never>.sleep", replacement: wait),
        Rule(text: "asyncAfter", replacement: wait),
        Rule(text: "Thread.sleep", replacement: wait),
        Rule(text: "usleep", replacement: wait),
        Rule(text: "nanosleep", replacement: wait),
        Rule(text: "SystemRandomNumberGenerator", replacement: draw, exempt: randomness),
        Rule(text: ".random(", replacement: draw),
        Rule(text: ".randomElement(", replacement: draw),
        Rule(text: ".shuffled()", replacement: draw),
        Rule(text: "UUID()", replacement: draw),
        Rule(text: "arc4random", replacement: draw),
        Rule(text: "arc4random_uniform", replacement: draw),
    ]

    /// Every banned call in a file.
    static func objections(to source: String, path: String) -> [String] {
        let rules = rules.filter { source.has($0.text) && !$0.exempt.contains(path) }
        guard !rules.isEmpty else { return [] }
        return SourceText(source).lines.enumerated().flatMap { index, line in
            rules.filter { line.uses($0.text) }.map {
                "\(path):\(index + 1): \($0.text) is banned; \($0.replacement)"
            }
        }
    }
}

extension String {
    /// Whether `text` stands here as words of its own.
    fileprivate func uses(_ text: String) -> Bool {
        places(of: text).contains { range in
            let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : " "
            let after = range.upperBound < endIndex ? self[range.upperBound] : " "
            let startsAlone = text.first?.isWordCharacter == false || !before.isWordCharacter
            let endsAlone = text.last?.isWordCharacter == false || !after.isWordCharacter
            return startsAlone && endsAlone
        }
    }
}

extension Character {
    fileprivate var isWordCharacter: Bool { isLetter || isNumber || self == "_" }
}
