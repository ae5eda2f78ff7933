public import ApusTimers

/// What a caller asks for with ``JobScheduler/submit(_:)->SubmissionResult``.
public struct JobRequest: Hashable, Sendable {
    /// Unique among the jobs of the store that have not ended.
    public var id: JobID
    /// A name for people; need not be unique.
    public var name: String?
    /// Which registered handler runs it (``JobScheduler/register(_:handler:)-(String,_)``). The identifier's text unless given.
    public var kind: String
    /// When it is due.
    public var trigger: Trigger
    /// How it behaves when runs are late, overlap, fail or are missed.
    public var policies: JobPolicies
    /// Free text by key, for finding jobs again.
    public var labels: [String: String]
    /// What the handler needs to know; at most 64 KiB.
    public var payload: [UInt8]
    /// In which queue its runs wait for a place.
    public var queue: QueueID
    /// Which of the jobs that wait for a place of the queue gets it.
    public var priority: JobPriority
    /// Whose work it is, such as a customer's: jobs of one priority take turns by their keys, so that many jobs of one
    /// customer do not delay those of another. Those without a key have one turn together.
    /// ``JobQueue/concurrencyPerKey`` limits how many of a key's runs are in progress. 1 to 1,020 bytes. The key is
    /// not part of what makes two jobs, or two submissions with an idempotency key, the same.
    public var fairnessKey: String?
    /// What goes with the payload and is none of the handler's business: the context of a trace.
    public var metadata: [String: String]
    /// Which jobs are the same as this one.
    public var uniqueness: JobUniqueness
    /// What happens if there is such a job.
    public var conflict: ConflictPolicy
    /// What must be true of the store when the submission is carried out; a job is kept without it.
    package var terms = SubmissionTerms()
    /// Names this submission, so that it can be repeated safely when its answer was lost: a second submission with the
    /// same key and the same contents answers with the job of the first, whatever its identifier. The key is
    /// remembered for ``idempotencyPeriod``, and for as long as the job is kept, unless the job is deleted. 1 to 255
    /// bytes. `nil`: each submission is a new one.
    public var idempotencyKey: String?

    /// How long an idempotency key is remembered at least, unless the job is deleted: 24 hours from the submission on.
    public static let idempotencyPeriod: Duration = .seconds(86_400)

    /// For how long after its submission the job may be the answer to a later one although it has ended.
    var uniquenessPeriod: Duration {
        max(uniqueness.period ?? .zero, idempotencyKey == nil ? .zero : Self.idempotencyPeriod)
    }

    /// A request; each argument left out has its default.
    public init(
        id: JobID,
        name: String? = nil,
        kind: String? = nil,
        trigger: Trigger,
        policies: JobPolicies = .init(),
        labels: [String: String] = [:],
        payload: [UInt8] = [],
        queue: QueueID = .default,
        priority: JobPriority = .normal,
        fairnessKey: String? = nil,
        metadata: [String: String] = [:],
        uniqueness: JobUniqueness = .identifier,
        conflict: ConflictPolicy = .update,
        idempotencyKey: String? = nil
    ) {
        self.id = id
        self.name = name
        self.kind = kind ?? id.rawValue
        self.trigger = trigger
        self.policies = policies
        self.labels = labels
        self.payload = payload
        self.queue = queue
        self.priority = priority
        self.fairnessKey = fairnessKey
        self.metadata = metadata
        self.uniqueness = uniqueness
        self.conflict = conflict
        self.idempotencyKey = idempotencyKey
    }

    /// What the job waits for, with others.
    package var lane: QueueLane {
        QueueLane(queue, priority, kind: kind, conditions: policies.conditions, keyGroup: keyGroup)
    }

    /// The group of its fairness key (``QueueLane/keyGroup``).
    package var keyGroup: Int? {
        fairnessKey.map { 1 + Int($0.stableHash % UInt64(QueueLane.keyGroups)) }
    }

    /// What makes a job of the same kind the same, beside its identifier; `nil` if nothing does.
    public var uniqueContent: JobUniqueness.Content? {
        switch uniqueness.kind {
        case .identifier: nil
        case .payload: .payload(payload)
        case .key(let key, _): .key(key)
        }
    }

    /// The job that is the same by its content, if that counts.
    func uniqueReference(at now: WallInstant) -> JobReference? {
        uniqueContent.map { content in
            .unique(kind: kind, content, submittedAfter: uniqueness.period.map { now.advanced(by: .zero - $0) })
        }
    }

    /// Whether the other request asks for the same job, under whatever identifier.
    func asksForTheSame(as other: JobRequest) -> Bool {
        (name, kind, trigger, policies) == (other.name, other.kind, other.trigger, other.policies)
            && (queue, priority, uniqueness) == (other.queue, other.priority, other.uniqueness)
            && labels == other.labels && payload == other.payload
    }
}

/// The state of a job. Its runs have the outcomes of its occurrences.
public enum JobState: String, Hashable, Sendable, CaseIterable {
    /// Occurrences are to come or open.
    case scheduled
    /// Nothing starts until it is resumed.
    case suspended
    /// Cancelled by a caller. Final.
    case cancelled
    /// All occurrences have an outcome. Final.
    case finished

    /// Whether the job can never run again.
    public var isFinal: Bool { self == .cancelled || self == .finished }
}

/// A job as it is stored. A value: a copy of what was true when it was read.
public struct Job: Hashable, Sendable, Identifiable {
    /// What was asked for (its `conflict` says nothing any more).
    public var request: JobRequest {
        _read { yield shared.value }
        _modify { yield &shared.value }
    }
    /// The larger part of a job, which the scheduler passes on with each step of a run and changes only on request.
    private var shared: Shared<JobRequest>
    /// The store's own number for the job; 0 before the store has given one. Grows with each submission.
    public var key: Int64
    /// Grows by one with each change; a write that expects an older one is refused.
    public var version: Int64
    /// The state.
    public var state: JobState
    /// When it was submitted.
    public var created: WallInstant
    /// When it was last changed.
    public var updated: WallInstant
    /// The due instant of the trigger's first occurrence, from which all others are computed. Moved by resuming a
    /// relative trigger, and when the wall clock is set.
    public var firstDue: WallInstant
    /// The number of the next occurrence that has not arrived.
    public var nextOccurrence: Int
    /// When it is due; `nil` when no occurrence is to come.
    public var nextDue: WallInstant?
    /// What a change of the clock, or of the zone's rules, did to it; only calendar triggers have that.
    public var dueNote: DueNote?
    /// While suspended, for relative triggers: how much of the running interval was left.
    public var remainder: Duration?
    /// How many occurrences have an outcome, skipped ones included.
    public var occurrenceCount: Int
    /// How many of those were skipped or coalesced because no scheduler could run them in time.
    public var missedCount: Int
    /// How many runs are open.
    public var openRunCount: Int
    /// Until when the job is kept; `nil` as long as it has not ended. It is removed within an hour after that, by a
    /// scheduler that runs. Decided at its end: ``JobPolicies/retention``, or what the scheduler's configuration says of
    /// such jobs, and at least ``uniqueUntil``.
    public var keptUntil: WallInstant?
    /// What the scheduler and the store need besides.
    public var bookkeeping: JobBookkeeping

    /// When the scheduler must look at the job next, by today's clock; `nil` when only an event can change it.
    public var nextWake: WallInstant? {
        guard let wake = bookkeeping.wake, let elapsed = bookkeeping.elapsedWake else {
            return bookkeeping.wake ?? bookkeeping.elapsedWake
        }
        return min(wake, elapsed)
    }

    /// How long the job stands for repeated submissions at least, ended or not: for the period of
    /// ``JobUniqueness/period``, and for ``JobRequest/idempotencyPeriod`` if it has an idempotency key, both
    /// from its submission on, by the wall clock. Without a period, the instant of its submission.
    public var uniqueUntil: WallInstant { created.advanced(by: request.uniquenessPeriod) }

    /// The next occurrence's instant with its note.
    var next: Due? {
        get { nextDue.map { Due(instant: $0, note: dueNote) } }
        set { (nextDue, dueNote) = (newValue?.instant, newValue?.note) }
    }

    /// The identifier.
    public var id: JobID { request.id }

    // For stores, which look at these with each run: a look at the request from another module copies all of it.

    /// ``Trigger/isRelative``.
    package var isTriggerRelative: Bool { request.trigger.isRelative }
    /// Whether the job is unique by its key or payload too.
    package var countsContent: Bool { request.uniqueness.countsContent }

    /// A job as a store keeps it; what is left out is as in a new job. For stores: submitting is up to
    /// ``JobScheduler/submit(_:)->SubmissionResult``.
    public init(
        request: JobRequest, key: Int64 = 0, version: Int64 = 0, state: JobState = .scheduled, created: WallInstant,
        updated: WallInstant, firstDue: WallInstant, origin: Int = 0, nextOccurrence: Int = 1, nextDue: WallInstant?,
        dueNote: DueNote? = nil, remainder: Duration? = nil, occurrenceCount: Int = 0, missedCount: Int = 0,
        wake: WallInstant? = nil, elapsedWake: WallInstant? = nil, openRunCount: Int = 0, runsSinceRetired: Int = 0,
        keptUntil: WallInstant? = nil
    ) {
        shared = Shared(request)
        self.key = key
        self.version = version
        self.state = state
        self.created = created
        self.updated = updated
        self.firstDue = firstDue
        self.nextOccurrence = nextOccurrence
        self.nextDue = nextDue
        self.dueNote = dueNote
        self.remainder = remainder
        self.occurrenceCount = occurrenceCount
        self.missedCount = missedCount
        self.openRunCount = openRunCount
        self.keptUntil = keptUntil
        bookkeeping = JobBookkeeping(
            origin: origin, wake: wake, elapsedWake: elapsedWake, runsSinceRetired: runsSinceRetired)
    }
}

/// What a store keeps of a job for the scheduler alone.
public struct JobBookkeeping: Hashable, Sendable {
    /// How many occurrences came before the trigger's first one: those of earlier triggers of the job
    /// (``ConflictPolicy/update``).
    public var origin: Int
    /// When the scheduler must look at the job next because of the wall clock: its next occurrence is due, or a waiting
    /// run may start. `nil` when only something else can change it.
    public var wake: WallInstant?
    /// The same because of elapsed time: everything of a relative trigger, and the end of the delay before a retry.
    public var elapsedWake: WallInstant?
    /// How many runs were added since the store was last asked to keep only the newest.
    public var runsSinceRetired: Int
}

/// The identifier of a job, unique in its store.
///
/// A library's jobs use reverse-DNS names (`com.example.refresh`); the daemon makes short random ones.
public struct JobID: RawRepresentable, Hashable, Sendable, Comparable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The text of the identifier.
    public var rawValue: String
    /// The identifier with that text. ``JobScheduler/submit(_:)->SubmissionResult`` refuses an empty one, or one over
    /// 255 bytes.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The identifier with that text.
    public init(_ text: String) { rawValue = text }
    /// The identifier with that text.
    public init(stringLiteral text: String) { rawValue = text }
    /// The text of the identifier.
    public var description: String { rawValue }
    /// Orders identifiers by their text.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
