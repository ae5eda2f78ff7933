import ApusJobs
import Testing

@testable import ApusDaemon

@Suite("The outcome of an action")
struct ActionOutcomeTests {
    private let failure = JobFailure(reason: "exit code 3", exitCode: 3)

    @Test(
        "an attempt that another follows, or that was put back, is no outcome; the last one, and a final failure, are")
    func attempts() {
        #expect(ActionOutcome(error: failure, toldToEnd: nil, isLastAttempt: false) == nil)
        #expect(ActionOutcome(error: nil, toldToEnd: .timedOut, isLastAttempt: false) == nil)
        let postponement = JobPostponement(reason: "no descriptors", delay: .seconds(1))
        #expect(ActionOutcome(error: postponement, toldToEnd: nil, isLastAttempt: true) == nil, "put back")
        let last = ActionOutcome(error: failure, toldToEnd: nil, isLastAttempt: true)
        #expect(last?.state == .failed && last?.text == "failed: exit code 3")
        #expect(
            last?.environment
                == ["APUS_OUTCOME": "failed", "APUS_REASON": "exit code 3", "APUS_EXIT_CODE": "3"])
        let missing = JobFailure(reason: "could not be started", exitCode: 127, isFinal: true)
        #expect(ActionOutcome(error: missing, toldToEnd: nil, isLastAttempt: false)?.exitCode == 127)
        #expect(ActionOutcome(error: nil, toldToEnd: .timedOut, isLastAttempt: true)?.reason == "timedOut")
    }

    @Test("an action that was cancelled, replaced or cut by a stop has none; one that ended in time has succeeded")
    func toldToEnd() {
        for reason in [CancellationReason.cancelled, .replaced] {
            #expect(ActionOutcome(error: failure, toldToEnd: reason, isLastAttempt: true) == nil)
            #expect(ActionOutcome(error: nil, toldToEnd: reason, isLastAttempt: true) == nil)
        }
        #expect(ActionOutcome(error: failure, toldToEnd: .shutdown, isLastAttempt: true) == nil)
        #expect(ActionOutcome(error: nil, toldToEnd: .shutdown, isLastAttempt: true)?.state == .succeeded)
    }
}
