package import ApusCalendar
import ApusJSON
package import ApusJobs
package import ApusTimers

/// What `PATCH /v1/jobs/{id}` takes: what is left out stays, and `null` removes a value, or brings back its default.
public struct WireJobChange: Codable, Hashable, Sendable {
    /// The name.
    public var name: FieldChange<String>
    /// When it is due from now on. An equal one changes nothing that is to come.
    public var trigger: WireTrigger?
    /// What it does, as a whole.
    public var action: Action?
    /// Policies, each by itself.
    public var policies: Policies?
    /// Labels, each by itself.
    public var labels: [String: FieldChange<String>]?
    /// The queue.
    public var queue: FieldChange<String>
    /// The priority.
    public var priority: FieldChange<String>
    /// The fairness key.
    public var fairnessKey: FieldChange<String>
    /// Whether jobs that do the same, or have the same key, count as the same job; as a whole.
    public var unique: FieldChange<WireUniqueness>

    /// What is changed of the policies, by the names of ``WirePolicies``.
    public struct Policies: Codable, Hashable, Sendable {
        /// ISO 8601.
        public var tolerance: FieldChange<String>
        /// See ``WirePolicies/missed``.
        public var missed: FieldChange<String>
        /// See ``WirePolicies/overlap``.
        public var overlap: FieldChange<String>
        /// See ``WirePolicies/retry``.
        public var retry: FieldChange<Int>
        /// ISO 8601.
        public var timeout: FieldChange<String>
        /// ISO 8601.
        public var expiry: FieldChange<String>
        /// See ``WirePolicies/when``.
        public var when: FieldChange<[String]>
        /// ISO 8601.
        public var retention: FieldChange<String>
        /// A change.
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

    /// A change.
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

    /// Whether nothing is to be changed.
    public var isEmpty: Bool { self == WireJobChange() }
}

extension WireJobChange {
    /// The request with the change.
    /// - Throws: what a submission would be refused for, with the field's name; `invalid` for a change of nothing, and for
    ///   a job of another program's kind.
    package func applied(to request: JobRequest, at now: WallInstant, in zones: any TimeZones) throws -> JobRequest {
        guard !isEmpty else {
            throw DaemonError(
                .invalid,
                "there is nothing to change; give name, trigger, action, policies, labels, queue, priority, "
                    + "fairnessKey or unique")
        }
        guard let kind = ActionKind(rawValue: request.kind) else {
            throw DaemonError(
                .invalid, "kind: the job is of the kind \"\(request.kind)\", which only its own program changes")
        }
        var request = request
        if let trigger {
            let new = try trigger.parsed(at: now, in: zones)
            // A schedule as the job shows it is its own, to the millisecond.
            if WireTrigger(new) != WireTrigger(request.trigger) { request.trigger = new }
        }
        name.apply { request.name = $0 }
        if let policies { request.policies = try policies.applied(to: request.policies) }
        for (key, change) in labels ?? [:] { change.apply { request.labels[key] = $0 } }
        queue.apply { request.queue = $0.map { QueueID($0) } ?? .default }
        try priority.apply { request.priority = try $0.map(PolicyText.priority) ?? .normal }
        // Only a new key is checked: the present one can be an application's, with other characters.
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
        // What is null has its default there.
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
    /// Calls `body` with the new value, `nil` for a removed one, if there is a change.
    func apply(_ body: (Value?) throws -> Void) rethrows {
        switch self {
        case .unchanged: break
        case .removed: try body(nil)
        case .set(let value): try body(value)
        }
    }
}
