import ApusClient
import ApusJobs

/// What an occurrence came to, for its notification and hooks.
struct ActionOutcome: Hashable, Sendable {
    /// `succeeded` or `failed`, as in the JSON of runs.
    var state: RunState
    /// Why it failed, as in the JSON of runs.
    var reason: String?
    var exitCode: Int?

    /// The outcome of an attempt; `nil` if the attempt is none: it was cancelled, was put back, or is followed by
    /// another.
    ///
    /// - Parameters:
    ///   - error: what the action threw.
    ///   - reason: why it was cancelled.
    ///   - isLastAttempt: whether no attempt follows a failure.
    ///   - exitCode: that of a command that succeeded.
    init?(error: (any Error)?, cancelled reason: CancellationReason?, isLastAttempt: Bool, exitCode: Int? = nil) {
        switch (reason, error) {
        case (_, let decision as RunDecision) where decision.kind == .snooze: return nil
        case (.cancelled, _), (.replaced, _), (.shutdown, .some): return nil
        case (.timedOut, _):
            guard isLastAttempt else { return nil }
            (state, self.reason) = (.failed, CancellationReason.timedOut.rawValue)
        case (nil, nil), (.shutdown, nil): (state, self.exitCode) = (.succeeded, exitCode)
        case (nil, let failure as RunDecision):
            guard failure.kind == .discard || isLastAttempt else { return nil }
            (state, self.reason, self.exitCode) = (.failed, failure.reason, failure.exitCode)
        case (nil, let error?):
            guard isLastAttempt else { return nil }
            (state, self.reason) = (.failed, "\(error)")
        }
    }

    /// `failed: exit code 3`.
    var text: String {
        let reason = reason == CancellationReason.timedOut.rawValue ? "it took longer than its time limit" : reason
        return "\(state)\(reason.map { ": \($0)" } ?? "")"
    }

    /// The variables of a hook's command.
    var environment: [String: String] {
        [
            "APUS_OUTCOME": state.rawValue, "APUS_REASON": reason ?? "",
            "APUS_EXIT_CODE": exitCode.map { String($0) } ?? "",
        ]
    }
}
