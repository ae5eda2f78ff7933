/// The ways around the seams of time, randomness and sleep, and the one file of each that is its door.
struct SideDoors {
    struct Door: Sendable {
        /// What must not be written. A letter or digit directly before or after it is another word.
        var text: String
        /// What to write instead.
        var replacement: String
        /// The files that are the door.
        var exempt: Set<String> = []
    }

    private static let clocks: Set = ["Sources/ApusTimers/Clocks/SystemTime.swift"]
    private static let randomness: Set = ["Sources/ApusTimers/Clocks/SystemRandom.swift"]

    private static let ask = "ask a TimeSource"
    private static let wait = "schedule on a TimerEngine, or sleep on a TimerClock"
    private static let draw = "ask a RandomSource"

    static let doors: [Door] = [
        Door(text: "Date()", replacement: ask),
        Door(text: "Date.init()", replacement: ask),
        Door(text: "Date.now", replacement: ask),
        Door(text: "timeIntervalSinceNow", replacement: ask),
        Door(text: "ContinuousClock()", replacement: ask),
        Door(text: "ContinuousClock.now", replacement: ask),
        Door(text: "ContinuousClock.Instant.now", replacement: ask),
        Door(text: "SuspendingClock()", replacement: ask),
        Door(text: "SuspendingClock.now", replacement: ask),
        Door(text: "SuspendingClock.Instant.now", replacement: ask),
        Door(text: "DispatchTime.now", replacement: ask),
        Door(text: "DispatchWallTime.now", replacement: ask),
        Door(text: "clock_gettime", replacement: ask, exempt: clocks),
        Door(text: "clock_gettime_nsec_np", replacement: ask, exempt: clocks),
        Door(text: "gettimeofday", replacement: ask, exempt: clocks),
        Door(text: "Task.sleep", replacement: wait),
        Door(text: "Task<Never, Never>.sleep", replacement: wait),
        Door(text: "asyncAfter", replacement: wait),
        Door(text: "Thread.sleep", replacement: wait),
        Door(text: "usleep", replacement: wait),
        Door(text: "nanosleep", replacement: wait),
        Door(text: "SystemRandomNumberGenerator", replacement: draw, exempt: randomness),
        Door(text: ".random(", replacement: draw),
        Door(text: ".randomElement(", replacement: draw),
        Door(text: ".shuffled()", replacement: draw),
        Door(text: "UUID()", replacement: draw),
        Door(text: "arc4random", replacement: draw),
        Door(text: "arc4random_uniform", replacement: draw),
    ]

    /// Every use of a side door in a file.
    static func objections(to source: String, path: String) -> [String] {
        SourceText(source).lines.enumerated().flatMap { index, line in
            doors.filter { !$0.exempt.contains(path) && line.uses($0.text) }.map {
                "\(path):\(index + 1): \($0.text) is a side door; \($0.replacement)"
            }
        }
    }
}

extension String {
    /// Whether `text` stands here as words of its own.
    fileprivate func uses(_ text: String) -> Bool {
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : " "
            let after = range.upperBound < endIndex ? self[range.upperBound] : " "
            let startsAlone = text.first?.isWordCharacter == false || !before.isWordCharacter
            let endsAlone = text.last?.isWordCharacter == false || !after.isWordCharacter
            if startsAlone, endsAlone { return true }
            rest = self[range.upperBound...]
        }
        return false
    }
}

extension Character {
    fileprivate var isWordCharacter: Bool { isLetter || isNumber || self == "_" }
}
