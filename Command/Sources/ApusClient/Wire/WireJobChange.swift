package import ApusCalendar
import ApusJSON
package import ApusJobs
package import ApusTimers

/// The body of `PATCH /v1/jobs/{id}`: absent fields stay as they are, and `null` removes a value or restores its
/// default.
public struct WireJobChange: Codable, Hashable, Sendable {
    /// The new name.
    public var name: FieldChange<String>
    /// The new trigger; one that equals the present trigger changes no future occurrence.
    public var trigger: WireTrigger?
    /// The new action, which replaces the present one as a whole.
    public var action: Action?
    /// The changes of single policies.
    public var policies: Policies?
    /// The changes of single labels.
    public var labels: [String: FieldChange<String>]?
    /// The new queue.
    public var queue: FieldChange<String>
    /// The new priority.
    public var priority: FieldChange<String>
    /// The new fairness key.
    public var fairnessKey: FieldChange<String>
    /// The new rule by which jobs with the same action or key count as the same job.
    ///
    /// The new rule replaces the present rule as a whole.
    public var unique: FieldChange<WireUniqueness>

    /// The changes of policies, by the names of ``WirePolicies``.
    public struct Policies: Codable, Hashable, Sendable {
        /// The new ``WirePolicies/tolerance``.
        public var tolerance: FieldChange<String>
        /// The new ``WirePolicies/missed``.
        public var missed: FieldChange<String>
        /// The new ``WirePolicies/overlap``.
        public var overlap: FieldChange<String>
        /// The new ``WirePolicies/retry``.
        public var retry: FieldChange<Int>
        /// The new ``WirePolicies/timeout``.
        public var timeout: FieldChange<String>
        /// The new ``WirePolicies/expiry``.
        public var expiry: FieldChange<String>
        /// The new ``WirePolicies/when``.
        public var when: FieldChange<[String]>
        /// The new ``WirePolicies/retention``.
        public var retention: FieldChange<String>
        /// Creates a change.
        public init(
            tolerance: FieldChange<String> = .unchanged, missed: FieldChange<String> = .unchanged,
            overlap: FieldChange<String> = .unchanged, retry: FieldChange<Int> = .unchanged,
            timeout: FieldChange<String> = .unchanged, expiry: FieldChange<String> = .unchanged,
            when: FieldChange<[String]> = .unchanged, retention: FieldChange<String> = .unchanged
        ) {
            self.tolerance = tolerance
            self.missed = missed
            self.overlap = overlap
            self.retry = retry
            self.timeout = timeout
            self.expiry = expiry
            self.when = when
            self.retention = retention
        }
    }

    /// Creates a change.
    public init(
        name: FieldChange<String> = .unchanged, trigger: WireTrigger? = nil, action: Action? = nil,
        policies: Policies? = nil, labels: [String: FieldChange<String>]? = nil,
        queue: FieldChange<String> = .unchanged, priority: FieldChange<String> = .unchanged,
        fairnessKey: FieldChange<String> = .unchanged, unique: FieldChange<WireUniqueness> = .unchanged
    ) {
        self.name = name
        self.trigger = trigger
        self.action = action
        self.policies = policies
        self.labels = labels
        self.queue = queue
        self.priority = priority
        self.fairnessKey = fairnessKey
        self.unique = unique
    }

    /// Whether the change has no fields.
    public var isEmpty: Bool { self == WireJobChange() }
}

extension WireJobChange {
    /// Returns the request with the change applied.
    ///
    /// - Throws: the error of a refused submission, with the field's name; `invalid` for an empty change, and for a job
    ///   of another program's kind.
    package func applied(to request: JobRequest, at now: WallInstant, in zones: any TimeZones) throws -> JobRequest {
        guard !isEmpty else {
            throw DaemonError(
                .invalid,
                "there is nothing to change; give name, trigger, action, policies, labels, queue, priority, "
                    + "fairnessKey or unique")
        }
        guard let kind = ActionKind(rawValue: request.kind) else {
            throw DaemonError(
                .invalid,
                "kind: the job is of the kind \"\(request.kind)\", so only the program that handles this kind can change it"
            )
        }
        var request = request
        if let trigger {
            let new = try trigger.parsed(at: now, in: zones)
            // The API shows instants to the millisecond. A trigger that equals the shown one must therefore not replace
            // the exact trigger.
            if WireTrigger(new) != WireTrigger(request.trigger) { request.trigger = new }
        }
        name.apply { request.name = $0 }
        if let policies { request.policies = try policies.applied(to: request.policies) }
        for (key, change) in labels ?? [:] { change.apply { request.labels[key] = $0 } }
        queue.apply { request.queue = $0.map { QueueID($0) } ?? .default }
        try priority.apply { request.priority = try $0.map(PolicyText.priority) ?? .normal }
        // Only a new key is checked, because the present key may be an application's and have other characters.
        var (newKey, newUnique): (String?, WireUniqueness?) = (nil, nil)
        fairnessKey.apply { (request.fairnessKey, newKey) = ($0, $0) }
        try unique.apply { (request.uniqueness, newUnique) = (try $0?.parsed() ?? .identifier, $0) }
        if let action { request.payload = try JSONText.bytes(of: action) }
        try SubmissionCheck.check(
            WireSubmission(
                name: request.name, kind: kind.rawValue, trigger: WireTrigger(request.trigger),
                action: try action ?? LenientJSON.decode(from: request.payload), labels: request.labels,
                fairnessKey: newKey, unique: newUnique),
            kind: kind)
        return request
    }
}

extension WireJobChange.Policies {
    fileprivate func applied(to policies: JobPolicies) throws -> JobPolicies {
        let former = policies
        var (policies, given, defaults) = (former, WirePolicies(), JobPolicies())
        tolerance.apply { given.tolerance = $0 }
        missed.apply { given.missed = $0 }
        overlap.apply { given.overlap = $0 }
        retry.apply { given.retry = $0 }
        timeout.apply { given.timeout = $0 }
        expiry.apply { given.expiry = $0 }
        when.apply { given.when = $0 }
        retention.apply { given.retention = $0 }
        // The parsed policies contain the new values, and the default of each policy that is changed to `null`.
        defaults = try given.parsed()
        tolerance.apply { _ in policies.tolerance = defaults.tolerance }
        missed.apply { _ in policies.missedRuns = defaults.missedRuns }
        overlap.apply { _ in policies.overlap = defaults.overlap }
        retry.apply { _ in policies.retry.maximumAttempts = defaults.retry.maximumAttempts }
        timeout.apply { _ in policies.timeLimit = defaults.timeLimit }
        expiry.apply { _ in policies.expiry = defaults.expiry }
        when.apply { _ in policies.conditions = defaults.conditions }
        retention.apply { _ in policies.retention = defaults.retention }
        return policies
    }
}

extension FieldChange {
    /// Calls `body` if there is a change: with the new value, or with `nil` if the value is removed.
    func apply(_ body: (Value?) throws -> Void) rethrows {
        switch self {
        case .unchanged: break
        case .removed: try body(nil)
        case .set(let value): try body(value)
        }
    }
}
