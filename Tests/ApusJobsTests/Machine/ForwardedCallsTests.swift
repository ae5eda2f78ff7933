import ApusTimers
import Testing

@testable import ApusJobs

@Suite("Commands that other schedulers carry out")
struct ForwardedCallsTests {
    private let now = SchedulerReading(milliseconds: 0).uptime

    @Test("a reply within 30 s is the answer; after that the caller gets an error and the reply is ignored")
    func patience() {
        var calls = ForwardedCalls()
        var effects: [SchedulerEffect] = []
        calls.stored(1, now)
        calls.stored(2, now.advanced(by: .seconds(1)))
        #expect(calls.nextDeadline == now.advanced(by: .seconds(30)))
        #expect(calls.replied(1) == true && calls.replied(1) == false)
        calls.giveUp(now.advanced(by: .seconds(30)), &effects)
        #expect(effects.isEmpty)
        calls.giveUp(now.advanced(by: .seconds(31)), &effects)
        guard case .answer(2, .failure(let error)) = effects.first else { return #expect(Bool(false), "no answer") }
        #expect(error.code == .unavailable && calls.replied(2) == false && calls.nextDeadline == nil)
    }

    @Test("a stop fails all waiting callers in their order")
    func fails() {
        var calls = ForwardedCalls()
        var effects: [SchedulerEffect] = []
        for call in [3, 1, 2] { calls.stored(call, now) }
        calls.failAll(SchedulerMachine.closed, &effects)
        #expect(effects.compactMap { if case .answer(let call, .failure) = $0 { call } else { nil } } == [1, 2, 3])
        #expect(calls.nextDeadline == nil)
    }
}
