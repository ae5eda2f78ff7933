import ApusTestTraits
import ApusTimers
import ApusVirtualTime
import Dispatch
import Foundation
import Testing

/// 2026-01-01T00:00:00Z, at which a test begins by default.
private let start = Date(timeIntervalSince1970: 1_767_225_600)
private let soon: Range<TimeInterval> = 0..<1

@Suite("The trait .virtualClock")
struct VirtualClockTraitTests {
    @Test("an asynchronous test sleeps for hours in no time", .virtualClock)
    func sleeping() async throws {
        #expect(soon.contains(Date().timeIntervalSince(start)))
        try await Task.sleep(for: .seconds(7200))
        #expect((7200..<7201).contains(Date().timeIntervalSince(start)))
    }

    @Test("a synchronous test sleeps its thread in no time", .virtualClock)
    func blocking() {
        let before = ContinuousClock.now
        Thread.sleep(forTimeInterval: 86_400)
        #expect(before.duration(to: .now) >= .seconds(86_400))
    }

    @MainActor @Test("a test of the main actor runs on it", .virtualClock)
    func mainActor() async throws {
        try await Task.sleep(for: .seconds(3600))
        MainActor.assertIsolated()
        #expect((3600..<3601).contains(Date().timeIntervalSince(start)))
    }

    @Test("in stepped mode time stands still between steps", .virtualClock(.stepped))
    func stepped() async throws {
        let fired = Locked(false)
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { fired.withLock { $0 = true } }
        try await ProcessClock.advance(by: .seconds(59))
        #expect(!fired.withLock { $0 })
        try await ProcessClock.advance(by: .seconds(1))
        #expect(fired.withLock { $0 })
        #expect(Date().timeIntervalSince(start) == 60)
    }

    @Test(
        "a test begins at the time of day that was asked for",
        .virtualClock(.stepped, wall: WallInstant(secondsSince1970: 951_782_400)))
    func wall() {
        #expect(Date() == Date(timeIntervalSince1970: 951_782_400))
    }

    @Test("the test runs in a process of its own", .virtualClock)
    func process() {
        #expect(ProcessInfo.processInfo.environment["APUS_VIRTUAL_CLOCK_PROCESS"] == "1")
        #expect(ProcessClock.isVirtual)
        print("printed in the process of the test")
    }

    @Test("tests without the trait have the machine's time")
    func withoutTrait() {
        #expect(!ProcessClock.isVirtual)
    }

    @Test("all cases of a parameterized test run in its process, one after the other", .virtualClock, arguments: 1...3)
    func cases(number: Int) async throws {
        let begin = Date().timeIntervalSince(start)
        #expect((Double(number - 1) * 10..<Double(number - 1) * 10 + 5).contains(begin))
        try await Task.sleep(for: .seconds(10))
    }

    @Test(.virtualClock) func `a name with spaces / slashes and (parentheses)`() async throws {
        try await Task.sleep(for: .seconds(3600))
        #expect(Date().timeIntervalSince(start) >= 3600)
    }

    @Suite(".virtualClock of a suite", .virtualClock(wall: WallInstant(secondsSince1970: 1_000_000_000)))
    struct WholeSuite {
        private let beginning = Date()

        @Test("each test has a process of its own, the initializer included", arguments: ["a", "b"])
        func initializer(_: String) {
            #expect(soon.contains(beginning.timeIntervalSince(Date(timeIntervalSince1970: 1_000_000_000))))
        }

        @Test("the trait of a test takes precedence", .virtualClock(.stepped))
        func precedence() {
            #expect(beginning == start)
        }

        @Suite struct Inner {
            struct Innermost {
                @Test("inner suites and nested types have the trait")
                func nested() async throws {
                    try await Task.sleep(for: .seconds(3600))
                    let passed = Date().timeIntervalSince(Date(timeIntervalSince1970: 1_000_000_000))
                    #expect((3600..<3601).contains(passed))
                }
            }
        }
    }
}
