import Testing

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
            "#\"raw \" quote\"#; UUID()", "array.shuffled()",
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
