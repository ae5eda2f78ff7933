import ApusBackground
import ApusTesting
import Testing

@testable import SleeplessApp

@MainActor
@Suite("The screen Completion")
struct CompletionTests {
    @Test(
        "the numbers are exact, however large",
        arguments: [
            (0, "0"), (1, "1"), (2, "1"), (42, "267914296"), (87, "679891637638612258"),
            (88, "1100087778366101931"), (93, "12200160415121876738"), (100, "354224848179261915075"),
            (300, "222232244629420445529739893461909967206666939096499764990979600"),
            (
                1_000,
                "434665576869374564356885276750406258025646605173717804024817290895365554179490518904038798400792551"
                    + "692959225930803226347752096896232398733224711616429964409065331879382989696499285160037044761377951"
                    + "66849228875"
            ),
        ])
    func exact(index: Int, value: String) {
        var fibonacci = Fibonacci()
        for _ in 0..<index { fibonacci.advance() }
        #expect(fibonacci.index == index)
        #expect(fibonacci.current.description == value)
    }

    @Test("it computes two numbers a second, in the background until the time is up, and goes on in front")
    func story() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.completion.start()
            device.advance(seconds: 10)
            #expect(try device.shown.completion.n == 20)
            #expect(try device.shown.completion.value == "6765")
            #expect(try device.shown.completion.remaining == nil)
            device.pressHome()
            device.advance(seconds: 20)
            #expect(try device.shown.completion.n == 60)
            #expect(try device.shown.completion.remaining == 10)
            device.advance(seconds: 600)
            #expect(device.appPhase == .suspended)
            device.open()
            device.advance(seconds: 1)
            let shown = try device.shown.completion
            #expect(shown.n == 74)
            #expect(shown.value == "1304969544928657")
            #expect(shown.expirations == 1)
            #expect(
                shown.story.map { "\($0.at.dropFirst(14)) \($0.text)" } == [
                    "00:00.000Z started",
                    "00:10.000Z in the background at number 20, 30.0 s left",
                    "00:36.000Z time is up at number 71",
                    "10:30.000Z was suspended",
                    "10:30.000Z in front again at number 71",
                ])
        }
    }

    @Test("a short stay in the background is covered, and the claim ends with it")
    func shortStay() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.completion.start()
            device.pressHome()
            device.advance(seconds: 5)
            #expect(device.appPhase == .background)
            device.open()
            device.advance(seconds: 100)
            #expect(try device.shown.completion.n == 210)
            #expect(try device.shown.completion.expirations == 0)
            try device.sleepless.completion.stop()
            device.pressHome()
            device.advance(seconds: 5)
            #expect(device.appPhase == .suspended)
        }
    }

    @Test("what was computed when the user left survives a kill, and the next launch goes on")
    func survives() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.completion.start()
            device.advance(seconds: 30)
            device.pressHome()
            device.advance(seconds: 60)
            device.applyMemoryPressure()
            #expect(device.appPhase == nil)
            device.advance(seconds: 600)
            device.open()
            #expect(try device.shown.completion.n == 111)
            device.advance(seconds: 1)
            let shown = try device.shown.completion
            #expect(shown.n == 113)
            #expect(shown.value == "184551825793033096366333")
            #expect(shown.story.last?.text == "launched again at number 111")
        }
    }

    @Test("where no time is given, it winds up at once and waits")
    func refused() throws {
        var policy = SystemPolicy()
        policy.givesInvalidClaims = true
        try SimulatedDevice.run(policy: policy) { device in
            device.installSleepless()
            device.open()
            try device.sleepless.completion.start()
            device.advance(seconds: 2)
            device.pressHome()
            device.advance(seconds: 60)
            #expect(device.appPhase == .suspended)
            device.open()
            device.advance(seconds: 1)
            #expect(try device.shown.completion.n == 6)
            #expect(try device.shown.completion.expirations == 1)
        }
    }
}
