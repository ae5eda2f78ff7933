import Testing

/// Calls that bypass `TimeSource`, `RandomSource` and `TimerEngine`, with the files that may make them.
struct BannedCalls {
    struct Rule: Sendable {
        /// The text that must not be written.
        ///
        /// A text with a letter or digit directly before or after it is another word, and is allowed.
        var text: String
        /// The text to write instead.
        var replacement: String
        /// The files that implement the replacement.
        var exempt: Set<String> = []
        /// The folders in which the text is banned.
        var folders = [""]

        func bans(in path: String) -> Bool { !exempt.contains(path) && folders.contains { path.hasPrefix($0) } }
    }

    private static let clocks: Set = ["Sources/ApusTimers/Clocks/SystemTime.swift"]
    private static let randomness: Set = ["Sources/ApusTimers/Clocks/RandomSources.swift"]

    private static let ask = "ask a TimeSource"
    private static let wait = "schedule on a TimerEngine, or sleep on a TimerClock"
    private static let draw = "ask a RandomSource"
    private static let say = "write fatalError, whose message is printed in a release build too"

    /// The modules of the simulated phone, whose messages say to the author of an app what to change.
    private static let phone = [
        "Sources/ApusDevice/", "Sources/ApusTestTraits/", "Sources/ApusVirtualTime/", "Sources/SimulatedApple/",
    ]

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
        Rule(text: "pthread_create", replacement: "start a SystemThread, which blocks signals"),
        Rule(text: "Thread(", replacement: "start a SystemThread, which blocks signals"),
        Rule(text: "detachNewThread", replacement: "start a SystemThread, which blocks signals"),
        Rule(text: "precondition(", replacement: say, folders: phone),
        Rule(text: "preconditionFailure(", replacement: say, folders: phone),
    ]

    /// Returns a message for each banned call in a file.
    static func objections(to source: String, path: String) -> [String] {
        let rules = rules.filter { source.has($0.text) && $0.bans(in: path) }
        guard !rules.isEmpty else { return [] }
        return SourceText(source).lines.enumerated().flatMap { index, line in
            rules.filter { line.uses($0.text) }.map {
                "\(path):\(index + 1): \($0.text) is banned; \($0.replacement)"
            }
        }
    }
}

extension String {
    /// Returns whether `text` occurs in this line as one or more whole words.
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

@Suite("Banned calls of time, randomness and sleep")
struct BannedCallsTests {
    @Test("no source file has a banned call")
    func sources() throws {
        for file in try ProjectFiles.sources() {
            for objection in BannedCalls.objections(to: file.text, path: file.path) { Issue.record("\(objection)") }
        }
    }

    @Test(
        "a banned call is rejected wherever code is",
        arguments: [
            "let now = Date()", "Foundation.Date()", "Date.now", "date.timeIntervalSinceNow", "ContinuousClock().now",
            "ContinuousClock.now", "let c: SuspendingClock.Instant = SuspendingClock.now",
            "try await Task.sleep(for: .seconds(1))",
            "queue.asyncAfter(deadline: later) {}", "Thread.sleep(forTimeInterval: 1)", "usleep(5)",
            "clock_gettime(CLOCK_MONOTONIC, &t)", "gettimeofday(&t, nil)", "var g = SystemRandomNumberGenerator()",
            "Int.random(in: 0..<9)", "UUID().uuidString", "arc4random()", "DispatchTime.now() + 3",
            "let text = \"at \\(Date())\"", "/* why */ Date() // because", "let a = \"//\"; Date()",
            "#\"raw \" quote\"#; UUID()", "array.shuffled()", "pthread_create(&thread, nil, { _ in nil }, nil)",
            "Thread { run() }.start(); Thread(block: run)",
        ])
    func rejects(source: String) {
        let objections = BannedCalls.objections(to: source, path: "Sources/X/Sample.swift")
        #expect(!objections.isEmpty)
        #expect(objections.allSatisfy { $0.hasPrefix("Sources/X/Sample.swift:1: ") })
    }

    @Test(
        "a mention that is not code, and a longer word, is accepted",
        arguments: [
            "// Date() is banned", "/// `Task.sleep` is not used", "/* Date() /* UUID() */ usleep(1) */",
            "let text = \"Date()\"", "let text = \"\"\"\n  UUID()\n  \"\"\"", "let text = #\"\\(Date())\"#",
            "let x = UpDate()", "myusleep(1)", "Date(timeIntervalSince1970: 0)", "time.continuous()",
            "values.random", "clock_gettime_wrapper()",
        ])
    func accepts(source: String) {
        #expect(BannedCalls.objections(to: source, path: "Sources/X/Sample.swift").isEmpty)
    }

    @Test("a call that is banned in some folders is accepted in others")
    func folders() {
        let source = "precondition(isOn, \"why\")"
        #expect(BannedCalls.objections(to: source, path: "Sources/ApusDevice/Sample.swift").count == 1)
        #expect(BannedCalls.objections(to: source, path: "Sources/ApusJobs/Sample.swift").isEmpty)
    }

    @Test("an exempt file may make its call, and is there")
    func exemptions() throws {
        for rule in BannedCalls.rules {
            for path in rule.exempt {
                #expect(BannedCalls.objections(to: "x = \(rule.text)()", path: path).isEmpty)
                #expect(try !ProjectFiles.read(path).isEmpty)
            }
        }
    }

    @Test("the message says what to write instead")
    func message() {
        let objections = BannedCalls.objections(to: "\n\nusleep(1)", path: "a.swift")
        #expect(objections == ["a.swift:3: usleep is banned; schedule on a TimerEngine, or sleep on a TimerClock"])
    }
}
