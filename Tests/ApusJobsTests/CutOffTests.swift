import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("A cut-off scheduler")
struct CutOffTests {
    /// Returns a scheduler that runs a first job's handler and waits for the answer to a second job's claim.
    private func bench() throws -> (SchedulerHarness, AsyncStream<StoreSignal>.Continuation) {
        let (signals, continuation) = AsyncStream.makeStream(of: StoreSignal.self)
        let harness = try SchedulerHarness(around: { RefusingStore($0, signals: signals) })
        try harness.submit("first", .after(.seconds(1)), kind: "slow")
        try harness.submit("second", .after(.seconds(3)), kind: "work")
        harness.advance(2)
        harness.store.fail(.hold)
        harness.advance(2)
        #expect(harness.store.held == 1)
        #expect(harness.calls.all.map(\.job) == ["first"] && harness.calls.reasons.isEmpty)
        return (harness, continuation)
    }

    @Test("a cut-off scheduler cancels its handlers at once, even while a commit is unanswered")
    func cancelledWithoutAnswer() throws {
        let (harness, signals) = try bench()
        signals.yield(.cutOff)
        harness.advance(0.1)
        #expect(harness.store.held == 1, "the answer has come")
        #expect(harness.calls.reasons == [.shutdown])
    }

    @Test("a run whose claim is answered after the cut-off begins when the scheduler is connected again")
    func lateAnswer() throws {
        let (harness, signals) = try bench()
        signals.yield(.cutOff)
        harness.advance(0.1)
        harness.store.fail(nil)
        harness.store.release()
        harness.advance(5)
        #expect(harness.calls.all.map(\.job) == ["first"])
        signals.yield(.connected)
        harness.advance(0.1)
        #expect(Set(harness.calls.all.dropFirst().map(\.job)) == ["first", "second"])
        harness.advance(20)
        #expect(try harness.history("first") == ["1 lost(interrupted)", "1.2 succeeded"])
        #expect(try harness.history("second") == ["1 succeeded"])
        try harness.check("first")
        try harness.check("second")
    }
}
