import ApusBackground
package import ApusCalendar
import ApusJSON
public import ApusJobs
package import ApusTimers

/// The kinds of jobs for which the daemon has handlers.
package enum ActionKind: String, CaseIterable {
    case action
    case countdown

    /// Creates the kind with a name.
    ///
    /// - Throws: ``DaemonError`` with `invalid` if there is no such kind.
    package init(named name: String) throws {
        guard let kind = ActionKind(rawValue: name) else {
            throw DaemonError(
                .invalid,
                "kind: \"\(name)\" is not one of \(ActionKind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = kind
    }
}

extension WireJob {
    package init(_ job: Job, action: Action? = nil, lastRun: Run?, waitingFor: JobConditions, parked: Bool) {
        let action = action ?? (try? LenientJSON.decode(from: job.request.payload))
        self.init(
            id: job.id.rawValue,
            name: job.request.name,
            kind: job.request.kind,
            state: job.state.rawValue,
            trigger: WireTrigger(job.request.trigger),
            action: action ?? Action(),
            policies: WirePolicies(job.request.policies),
            created: job.created.iso8601,
            nextDue: job.nextDue.map(\.iso8601),
            remainingMs: job.remainder?.wholeMilliseconds,
            waitingFor: PolicyText.format(waitingFor),
            parked: parked,
            occurrences: job.occurrenceCount,
            missed: job.missedCount,
            occurrencesLeft: job.occurrencesLeft,
            lastRun: lastRun.map { WireRun($0) },
            labels: job.request.labels,
            queue: job.request.queue.rawValue,
            priority: job.request.priority.name,
            fairnessKey: job.request.fairnessKey,
            unique: WireUniqueness(job.request.uniqueness),
            idempotencyKey: job.request.idempotencyKey,
            keptUntil: job.keptUntil.map(\.iso8601)
        )
    }
}

extension WireJob {
    /// A short description of the job's work: its action, or its kind if the daemon has no handler for the kind.
    public var actionText: String { ActionKind(rawValue: kind) == nil ? "kind \(kind)" : action.text }
}

extension WireSubmission {
    /// Returns the request for a scheduler, with an empty identifier.
    ///
    /// - Throws: ``DaemonError``, `TextError` or ``JobError`` with the field's name.
    package func request(at now: WallInstant, in zones: any TimeZones) throws -> JobRequest {
        let kind = try kind.map { try ActionKind(named: $0) } ?? .action
        try SubmissionCheck.check(self, kind: kind)
        return JobRequest(
            id: JobID(""),
            name: name,
            kind: kind.rawValue,
            trigger: try trigger.parsed(at: now, in: zones),
            policies: try policies?.parsed() ?? .init(),
            labels: labels ?? [:],
            // The members of the JSON are sorted by their names, so that equal submissions have equal payloads.
            payload: try JSONText.bytes(of: action),
            queue: queue.map { QueueID($0) } ?? .default,
            priority: try priority.map(PolicyText.priority) ?? .normal,
            fairnessKey: fairnessKey,
            uniqueness: try unique?.parsed() ?? .identifier,
            idempotencyKey: idempotencyKey)
    }
}

extension WireRun {
    /// The number of bytes at the end of a run's output that are included in lists and events.
    ///
    /// `apus logs` prints all of the stored output.
    package static let tailBytes = 4096

    package init(_ run: Run) {
        let tail = run.output.isEmpty ? nil : BytesText(Self.tail(of: run.output))
        self.init(
            job: run.jobID.rawValue,
            occurrence: run.occurrence,
            manual: OccurrenceText.manual(run.occurrence),
            through: run.through,
            attempt: run.attempt,
            standsFor: run.standsFor,
            due: run.due.iso8601,
            started: run.begun.map(\.iso8601),
            finished: run.finished.map(\.iso8601),
            latenessMs: run.lateness?.wholeMilliseconds,
            delayMs: run.retryLateness?.wholeMilliseconds,
            outcome: OutcomeText.format(run.state),
            final: run.isFinal,
            reason: run.reason,
            dueNote: run.dueNote?.description,
            exitCode: run.exitCode,
            outputTail: tail?.text,
            outputTailBase64: tail?.base64,
            progress: run.progress.map { WireProgress(fraction: $0.fraction, message: $0.message) },
            result: run.result.map { WireResult($0) }
        )
    }

    /// Returns the shown part of an output, which begins with a whole character if the output is text.
    private static func tail(of output: [UInt8]) -> [UInt8] {
        let tail = output.suffix(tailBytes)
        guard tail.count < output.count else { return output }
        let whole = tail.drop { $0 & 0xC0 == 0x80 }
        return Array(tail.count - whole.count <= 3 && String(validating: whole, as: UTF8.self) != nil ? whole : tail)
    }

    /// The last 4 KiB of the output.
    package var outputTailBytes: [UInt8] { BytesText.bytes(text: outputTail ?? "", base64: outputTailBase64) }
}

extension WireRunPage {
    package init(_ page: RunPage) {
        self.init(
            runs: page.runs.map { WireRun($0) },
            names: Dictionary(uniqueKeysWithValues: page.names.map { ($0.key.rawValue, $0.value) }),
            next: page.nextCursor)
    }
}

extension WireResult {
    package init(_ bytes: [UInt8]) {
        self.init(
            bytes: bytes.count,
            text: bytes.count <= WireRun.tailBytes ? String(validating: bytes, as: UTF8.self) : nil)
    }
}

extension WireExplanation {
    package init(_ explanation: JobExplanation) {
        self.init(
            job: explanation.jobID.rawValue, occurrence: explanation.occurrence,
            decisions: explanation.decisions.map {
                Decision(code: $0.code.rawValue, at: $0.instant.map(\.iso8601), text: $0.text)
            })
    }
}

extension WireTrigger {
    package init(_ trigger: Trigger) {
        switch trigger.kind {
        case .at(let instant):
            self.init(at: instant.iso8601)
        case .after(let duration):
            self.init(after: DurationText.iso8601(duration))
        case .every(let interval, let anchor, let count):
            self.init(every: DurationText.iso8601(interval), anchor: anchor.map(\.iso8601), count: count)
        case .calendar(let calendar): self.init(calendar: WireCalendar(calendar))
        }
    }

    func parsed(at now: WallInstant, in zones: any TimeZones) throws -> Trigger {
        if every == nil, let field = anchor != nil ? "anchor" : count != nil ? "count" : nil {
            throw DaemonError(.invalid, "trigger.\(field): can only be given with \"every\"; leave it out")
        }
        switch (at, after, every, calendar) {
        case (let at?, nil, nil, nil):
            return .at(try TimeText.parseISO8601(at, argument: "trigger.at"))
        case (nil, let after?, nil, nil):
            return .after(try DurationText.parse(after, argument: "trigger.after"))
        case (nil, nil, nil, let calendar?):
            return Trigger(kind: .calendar(try calendar.parsed(at: now, in: zones) { "trigger.calendar.\($0)" }))
        case (nil, nil, let every?, nil):
            return .every(
                try DurationText.parse(every, argument: "trigger.every"),
                anchoredAt: try anchor.map { try TimeText.parseISO8601($0, argument: "trigger.anchor") },
                count: count)
        default:
            throw DaemonError(
                .invalid,
                #"trigger: give exactly one of "at" (ISO 8601 instant), "after" and "every" (durations, such as "PT25M" or "25m"), and "calendar" (an object with a "schedule")"#
            )
        }
    }
}

extension WirePolicies {
    package init(_ policies: JobPolicies) {
        self.init(
            tolerance: policies.tolerance == .zero ? nil : DurationText.iso8601(policies.tolerance),
            missed: PolicyText.format(policies.missedRuns),
            overlap: PolicyText.format(policies.overlap),
            retry: policies.retry.maximumAttempts - 1,
            timeout: policies.timeLimit.map(DurationText.iso8601),
            expiry: policies.expiry.map(DurationText.iso8601),
            when: PolicyText.format(policies.conditions),
            retention: policies.retention.map(DurationText.iso8601)
        )
    }

    func parsed() throws -> JobPolicies {
        var policies = JobPolicies()
        if let tolerance { policies.tolerance = try DurationText.parse(tolerance, argument: "tolerance") }
        if let missed { policies.missedRuns = try PolicyText.missedRuns(missed) }
        if let overlap { policies.overlap = try PolicyText.overlap(overlap) }
        if let timeout { policies.timeLimit = try DurationText.parse(timeout, argument: "timeout") }
        if let expiry { policies.expiry = try DurationText.parse(expiry, argument: "expiry") }
        if let when { policies.conditions = try PolicyText.conditions(when) }
        if let retention { policies.retention = try DurationText.parse(retention, argument: "retention") }
        if let retry {
            guard (0...1_000).contains(retry) else {
                throw DaemonError(.invalid, "retry: \(retry) is not between 0 and 1000")
            }
            policies.retry.maximumAttempts = retry + 1
        }
        return policies
    }
}

/// Reads and writes the names of policies on the command line and in the API.
public enum PolicyText {
    /// Reads `run-once`, `skip`, `run-all` or `run-all:N`.
    public static func missedRuns(_ text: String) throws -> MissedRunPolicy {
        switch try split(text, argument: "missed") {
        case ("run-once", nil): .runOnce
        case ("skip", nil): .skip
        case ("run-all", let limit): limit.map { .runAll(limit: $0) } ?? .runAll()
        default:
            throw DaemonError(
                .invalid,
                "missed: \"\(text)\" is not one of run-once, skip, run-all, run-all:N (N from 1 to \(JobLimits.occurrences))"
            )
        }
    }

    /// Reads `skip`, `queue`, `queue:N`, `allow`, `allow:N` or `replace`.
    public static func overlap(_ text: String) throws -> OverlapPolicy {
        switch try split(text, argument: "overlap") {
        case ("skip", nil): .skip
        case ("queue", let limit): limit.map { .queue(limit: $0) } ?? .queue()
        case ("allow", let limit): limit.map { .allow(limit: $0) } ?? .allow()
        case ("replace", nil): .replace
        default:
            throw DaemonError(
                .invalid,
                "overlap: \"\(text)\" is not one of skip, queue, queue:N, allow, allow:N, replace (N from 1 to \(JobLimits.occurrences))"
            )
        }
    }

    private static let conditions: KeyValuePairs<String, JobConditions> = [
        "network": .network, "power": .externalPower, "idle": .idle,
    ]

    /// Reads `network`, `power` and `idle`, each at most once.
    public static func conditions(_ words: [String]) throws -> JobConditions {
        var all: JobConditions = []
        for word in words {
            guard let condition = conditions.first(where: { $0.key == word })?.value else {
                throw DaemonError(
                    .invalid, "when: \"\(word)\" is not one of network, power, idle (several are separated by commas)")
            }
            guard all.insert(condition).inserted else {
                throw DaemonError(.invalid, "when: \"\(word)\" is given twice; give each of network, power, idle once")
            }
        }
        return all
    }

    /// Returns a description of the obstacles that the words of ``WireJob/waitingFor`` stand for.
    public static func reasons(_ words: [String]) -> String {
        conditions.filter { words.contains($0.key) }.flatMap(\.value.obstacles).map(\.description)
            .joined(separator: ", ")
    }

    /// Returns the words for conditions; `nil` if there are no conditions.
    static func format(_ conditions: JobConditions) -> [String]? {
        conditions.isEmpty ? nil : self.conditions.filter { conditions.contains($0.value) }.map(\.key)
    }

    static func format(_ policy: MissedRunPolicy) -> String {
        switch policy.kind {
        case .runOnce: "run-once"
        case .skip: "skip"
        case .runAll(let limit): "run-all:\(limit)"
        }
    }

    static func format(_ policy: OverlapPolicy) -> String {
        switch policy.kind {
        case .skip: "skip"
        case .queue(let limit): "queue:\(limit)"
        case .allow(let limit): "allow:\(limit)"
        case .replace: "replace"
        }
    }

    /// Reads `low`, `normal`, `high` or `urgent`.
    public static func priority(_ text: String) throws -> JobPriority {
        guard let priority = JobPriority(name: text) else {
            let names = JobPriority.allCases.map(\.name).joined(separator: ", ")
            throw DaemonError(.invalid, "priority: \"\(text)\" is not one of \(names)")
        }
        return priority
    }

    /// Reads `update`, `keep` or `replace`.
    package static func conflict(_ text: String) throws -> ConflictPolicy {
        switch text {
        case "update": .update
        case "keep": .keep
        case "replace": .replace
        default: throw DaemonError(.invalid, "conflict: \"\(text)\" is not one of update, keep, replace")
        }
    }

    private static func split(_ text: String, argument: String) throws -> (String, Int?) {
        let scalars = text.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else { return (text, nil) }
        let digits = Substring(scalars[scalars.index(after: colon)...])
        guard let limit = Int(digits), limit >= 1, digits.utf8.first != UInt8(ascii: "+") else {
            throw DaemonError(
                .invalid,
                "\(argument): what follows the colon in \"\(text)\" must be a whole number from 1 to \(JobLimits.occurrences)"
            )
        }
        return (String(text[..<colon]), limit)
    }
}

extension Duration {
    /// The duration in whole milliseconds; a fraction is dropped.
    package var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}

/// Reads and writes the words of ``WireRun/outcome``.
public enum OutcomeText {
    /// All words, in the order of a run's life.
    public static let words: [String] = RunState.allCases.map(format)

    static func format(_ state: RunState) -> String { state == .running ? "running" : state.rawValue }

    /// Returns the state that a word stands for.
    ///
    /// - Throws: ``DaemonError`` with `invalid`, whose message lists all words.
    package static func parse(_ word: String) throws -> RunState {
        guard let state = RunState.allCases.first(where: { format($0) == word }) else {
            throw DaemonError(.invalid, "outcome: \"\(word)\" is not one of \(words.joined(separator: ", "))")
        }
        return state
    }

    /// Throws ``DaemonError`` with `invalid` if the word is not an outcome.
    public static func check(_ word: String) throws { _ = try parse(word) }
}
