import ApusClient
import ApusJSON
import ApusJobs
import ApusTimers
import Logging

/// The handler of the daemon's jobs.
///
/// It decodes the action, performs it, converts the result into an outcome, and then shows the notification and runs
/// the hooks.
struct ActionRunner: Sendable {
    var command: CommandRunner
    var webhooks: WebhookPoster
    var notifications: NotificationDesk
    var logger: Logger
    var hookLimit: Duration = .seconds(60)

    func run(_ context: RunContext) async throws {
        let action: Action
        do {
            action = try LenientJSON.decode(from: context.job.request.payload)
        } catch {
            let problem = (error as? DecodingError)?.fieldProblem ?? "\(error)"
            throw RunDecision.discard(reason: "the job's action cannot be read: \(problem)")
        }
        var failure: (any Error)?
        do {
            if let command = action.command { try await self.command.run(command, context: context) }
            if let webhook = action.webhook {
                let target = WebhookTarget(
                    url: webhook, headers: action.webhookHeaders ?? [:], secretFile: action.webhookSecretFile)
                try await post(to: target, id: deliveryID(context), context: context)
            }
        } catch {
            failure = error
        }
        let outcome = ActionOutcome(
            error: failure, cancelled: context.endWork(), isLastAttempt: context.isLastAttempt,
            exitCode: action.command == nil ? nil : 0)
        if let outcome { await follow(outcome, of: action, context) }
        if let failure { throw failure }
    }

    // MARK: Webhooks

    /// The body of a webhook.
    private struct Body: Encodable {
        var job: String
        var name: String?
        var occurrence: Int
        var due: String
        var latenessMs: Int64
        var attempt: Int
        var standsFor: Int
        /// The outcome; only hooks send this field and the following ones.
        var outcome: String?
        var reason: String?
        var exitCode: Int?
    }

    /// Returns the identifier of a delivery, which is the same for each attempt at one occurrence, so that the receiver
    /// can recognize a repetition.
    private func deliveryID(_ context: RunContext) -> String {
        "\(context.job.id)-\(context.job.key)-\(context.occurrence)"
    }

    private func post(
        to target: WebhookTarget, id: String, outcome: ActionOutcome? = nil, context: RunContext
    ) async throws {
        let body = Body(
            job: context.job.id.rawValue, name: context.job.request.name, occurrence: context.occurrence,
            due: context.due.iso8601, latenessMs: context.lateness.wholeMilliseconds,
            attempt: context.attempt, standsFor: context.standsFor, outcome: outcome?.state.rawValue,
            reason: outcome?.reason, exitCode: outcome?.exitCode)
        let answer = try await webhooks.post(try JSONText.bytes(of: body), id: id, to: target)
        add(answer.beginning, headed: "webhook", to: context)
        if let failure = answer.failure { throw RunDecision.retry(reason: "webhook: \(failure)") }
    }

    // MARK: Output

    /// Appends bytes to the run's output, after a line that separates them from earlier output.
    private func add(_ bytes: [UInt8], headed heading: String, to context: RunContext) {
        guard !bytes.isEmpty else { return }
        let before = context.output
        var added: [UInt8] = []
        if let last = before.last {
            if last != UInt8(ascii: "\n") { added.append(UInt8(ascii: "\n")) }
            added += Array("--- \(heading) ---\n".utf8)
        }
        added += bytes
        context.setOutput(before + added)
        context.emit(output: added)
    }

    // MARK: After the outcome

    /// Shows the notification, and runs the hooks of the outcome one after another; failures are logged.
    private func follow(_ outcome: ActionOutcome, of action: Action, _ context: RunContext) async {
        let isSuccess = outcome.state == .succeeded
        let name = context.job.request.name ?? context.job.id.rawValue
        if let text = action.notify {
            await notifications.show(
                title: context.job.request.name ?? "apus", text: isSuccess ? text : "\(name) \(outcome.text)",
                job: context.job.id)
        }
        let label = isSuccess ? "on success" : "on failure"
        let hooks = (isSuccess ? action.onSuccess : action.onFailure) ?? []
        for (index, hook) in hooks.enumerated() {
            let printed = Locked<[UInt8]>([])
            let failure = Locked<String?>(nil)
            let cut = await context.followUp(timeLimit: hookLimit) { hookContext in
                do {
                    try await run(
                        hook, outcome, id: "\(deliveryID(context))-\(outcome.state)-\(index)",
                        secretFile: action.webhookSecretFile, hookContext)
                } catch {
                    failure.withLock { $0 = "\(error)" }
                }
                printed.withLock { $0 = hookContext.output }
            }
            add(printed.withLock { $0 }, headed: label, to: context)
            let reason = cut.map { $0 == .timedOut ? "it took longer than \(DurationText.format(hookLimit))" : "\($0)" }
            if let problem = reason ?? failure.withLock({ $0 }) {
                logger.warning(
                    "a hook failed",
                    metadata: [
                        "job": "\(context.job.id)", "hook": "\(label) \(PrintableText.escaped(hook.text))",
                        "reason": "\(PrintableText.escaped(problem))",
                    ])
            }
            if let cut, cut != .timedOut { return }
        }
    }

    private func run(
        _ hook: Action.Hook, _ outcome: ActionOutcome, id: String, secretFile: String?, _ context: RunContext
    ) async throws {
        if var command = hook.command {
            command.env.merge(outcome.environment) { _, new in new }
            try await untilItBegins { try await self.command.run(command, context: context) }
        }
        if let webhook = hook.webhook {
            // The hook's webhook does not get the job's headers, because they may be meant for the job's own webhook
            // only.
            let target = WebhookTarget(url: webhook, secretFile: secretFile)
            try await post(to: target, id: id, outcome: outcome, context: context)
        }
        if let text = hook.notify {
            await notifications.show(title: context.job.request.name ?? "apus", text: text, job: context.job.id)
        }
    }

    /// Repeats the start of a hook's command until the resources for it are available.
    ///
    /// The hook's run already has an outcome, so it cannot be postponed. The hook's time limit ends the repetition.
    private func untilItBegins(_ start: () async throws -> Void) async throws {
        while true {
            do { return try await start() } catch let decision as RunDecision where decision.kind == .snooze {
                try await TimerEngine.shared.sleep(for: max(.milliseconds(100), decision.delay ?? .zero))
            }
        }
    }
}

/// The outcome of an occurrence, for its notification and hooks.
struct ActionOutcome: Hashable, Sendable {
    /// The state, `succeeded` or `failed`, as in the JSON of runs.
    var state: RunState
    /// The reason for a failure, as in the JSON of runs.
    var reason: String?
    var exitCode: Int?

    /// Creates the outcome of an attempt; `nil` if the attempt was cancelled or postponed, or is followed by another
    /// one.
    ///
    /// - Parameters:
    ///   - error: the error that the action threw.
    ///   - reason: the reason for which the run was cancelled.
    ///   - isLastAttempt: whether no attempt follows a failure.
    ///   - exitCode: the exit code of a command that succeeded.
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

    /// The outcome as text, such as `failed: exit code 3`.
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
