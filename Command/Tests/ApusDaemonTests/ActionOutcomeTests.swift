import ApusJobs
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("The outcome of an action")
struct ActionOutcomeTests {
    private let failure = RunDecision.retry(reason: "exit code 3", exitCode: 3)

    @Test(
        "a retried or postponed attempt is no outcome; the last attempt and a final failure are")
    func attempts() {
        #expect(ActionOutcome(error: failure, cancelled: nil, isLastAttempt: false) == nil)
        #expect(ActionOutcome(error: nil, cancelled: .timedOut, isLastAttempt: false) == nil)
        let snooze = RunDecision.snooze(for: .seconds(1), reason: "no descriptors")
        #expect(ActionOutcome(error: snooze, cancelled: nil, isLastAttempt: true) == nil, "put back")
        let last = ActionOutcome(error: failure, cancelled: nil, isLastAttempt: true)
        #expect(last?.state == .failed && last?.text == "failed: exit code 3")
        #expect(
            last?.environment
                == ["APUS_OUTCOME": "failed", "APUS_REASON": "exit code 3", "APUS_EXIT_CODE": "3"])
        let missing = RunDecision.discard(reason: "could not be started", exitCode: 127)
        #expect(ActionOutcome(error: missing, cancelled: nil, isLastAttempt: false)?.exitCode == 127)
        #expect(ActionOutcome(error: nil, cancelled: .timedOut, isLastAttempt: true)?.reason == "timedOut")
    }

    @Test(
        "an action that was cancelled, replaced or cut off by a stop has no outcome; one that ended in time has succeeded"
    )
    func cancelled() {
        for reason in [CancellationReason.cancelled, .replaced] {
            #expect(ActionOutcome(error: failure, cancelled: reason, isLastAttempt: true) == nil)
            #expect(ActionOutcome(error: nil, cancelled: reason, isLastAttempt: true) == nil)
        }
        #expect(ActionOutcome(error: failure, cancelled: .shutdown, isLastAttempt: true) == nil)
        #expect(ActionOutcome(error: nil, cancelled: .shutdown, isLastAttempt: true)?.state == .succeeded)
    }
}
