public import ApusTimers

/// The definition of a job, as a caller submits it with ``JobScheduler/submit(_:)->SubmissionResult``.
public struct JobRequest: Hashable, Sendable {
    /// The identifier, unique among the jobs of the store that have not ended.
    public var id: JobID
    /// A name for people, which need not be unique.
    public var name: String?
    /// The name of the handler that runs the job (``JobScheduler/register(_:handler:)-(String,_)``).
    ///
    /// The default is the text of the identifier.
    public var kind: String
    /// The rule that says when the job is due.
    public var trigger: Trigger
    /// The rules for runs that are late, overlap, fail or are missed.
    public var policies: JobPolicies
    /// Texts under keys that the caller chooses; queries can find jobs by them.
    public var labels: [String: String]
    /// The bytes that the handler receives; at most 64 KiB.
    public var payload: [UInt8]
    /// The queue in which the job's runs wait for a place.
    public var queue: QueueID
    /// The priority among the jobs that wait for a place in the queue.
    public var priority: JobPriority
    /// The key of the customer, or of any other group, whose work the job is; 1 to 1,020 bytes.
    ///
    /// Jobs of one priority take turns by their keys, so many jobs of one customer do not delay those of another. Jobs
    /// without a key have one turn together. ``JobQueue/concurrencyPerKey`` limits the number of a key's runs in
    /// progress. The key is ignored when two jobs, or two submissions with an idempotency key, are compared.
    public var fairnessKey: String?
    /// Values that are stored with the payload and are not meant for the handler, such as a trace context.
    public var metadata: [String: String]
    /// The rule that decides which jobs count as the same as this one.
    public var uniqueness: JobUniqueness
    /// The effect of the submission if a job that counts as the same exists.
    public var conflict: ConflictPolicy
    /// Requirements on the store's contents at the time of the submission; they are not stored with the job.
    package var terms = SubmissionTerms()
    /// A name of this submission, with which a caller that lost the answer can repeat it safely; 1 to 255 bytes.
    ///
    /// A second submission with the same key and the same contents returns the job of the first, even if its identifier
    /// differs. The key is remembered for at least ``idempotencyPeriod``, and for as long as the job is kept, unless
    /// the job is deleted. With `nil`, each submission counts as a new one.
    public var idempotencyKey: String?

    /// The shortest time for which an idempotency key is remembered, unless the job is deleted: 24 hours from the
    /// submission.
    public static let idempotencyPeriod: Duration = .seconds(86_400)

    /// The time after the submission during which the job, ended or not, can be the answer to another submission.
    var uniquenessPeriod: Duration {
        max(uniqueness.period ?? .zero, idempotencyKey == nil ? .zero : Self.idempotencyPeriod)
    }

    /// Creates a request; an omitted argument has its default.
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

    /// The lane in which the job waits: its queue, priority, kind, conditions and key group.
    package var lane: QueueLane {
        QueueLane(queue, priority, kind: kind, conditions: policies.conditions, keyGroup: keyGroup)
    }

    /// The group of the fairness key (``QueueLane/keyGroup``); `nil` without a key.
    package var keyGroup: Int? {
        fairnessKey.map { 1 + Int($0.stableHash % UInt64(QueueLane.keyGroups)) }
    }

    /// The content that makes jobs of the same kind count as the same; `nil` if only the identifier does.
    public var uniqueContent: JobUniqueness.Content? {
        switch uniqueness.kind {
        case .identifier: nil
        case .payload: .payload(payload)
        case .key(let key, _): .key(key)
        }
    }

    /// A reference to the jobs with the same kind and content; `nil` if only the identifier counts.
    func uniqueReference(at now: WallInstant) -> JobReference? {
        uniqueContent.map { content in
            .unique(kind: kind, content, submittedAfter: uniqueness.period.map { now.advanced(by: .zero - $0) })
        }
    }

    /// Whether the other request has the same definition, regardless of the identifiers.
    func asksForTheSame(as other: JobRequest) -> Bool {
        (name, kind, trigger, policies) == (other.name, other.kind, other.trigger, other.policies)
            && (queue, priority, uniqueness) == (other.queue, other.priority, other.uniqueness)
            && labels == other.labels && payload == other.payload
    }
}

/// The state of a job.
///
/// The outcomes of its occurrences are the states of its runs.
public enum JobState: String, Hashable, Sendable, CaseIterable {
    /// Occurrences are open, or yet to come.
    case scheduled
    /// No run begins until the job is resumed.
    case suspended
    /// A caller cancelled the job; this state is final.
    case cancelled
    /// All occurrences have an outcome; this state is final.
    case finished

    /// Whether the job can never run again.
    public var isFinal: Bool { self == .cancelled || self == .finished }
}

/// A job as it is stored.
///
/// It is a value: a copy of what the store contained when it was read.
public struct Job: Hashable, Sendable, Identifiable {
    /// The definition that was submitted; its `conflict` has no meaning any more.
    public var request: JobRequest {
        _read { yield shared.value }
        _modify { yield &shared.value }
    }
    /// The larger part of a job, which copies share.
    ///
    /// The scheduler copies a job at each step of a run, and rarely changes the request.
    private var shared: Shared<JobRequest>
    /// The number that the store gave the job; 0 before that.
    ///
    /// Later jobs have greater numbers.
    public var key: Int64
    /// The version of the stored job, incremented by each change; a write that expects an older one is refused.
    public var version: Int64
    /// The state of the job.
    public var state: JobState
    /// The instant of the submission.
    public var created: WallInstant
    /// The instant of the last change.
    public var updated: WallInstant
    /// The due instant of the trigger's first occurrence, from which all others are computed.
    ///
    /// It moves when a job with a relative trigger is resumed, and when the wall clock is set.
    public var firstDue: WallInstant
    /// The number of the next occurrence: the first one that has no run yet.
    public var nextOccurrence: Int
    /// The due instant of the next occurrence; `nil` if none is to come.
    public var nextDue: WallInstant?
    /// The effect of a change of the clock, or of the zone's rules, on the next due instant; `nil` if there is none.
    ///
    /// Only jobs with calendar triggers have a note.
    public var dueNote: DueNote?
    /// The part of the current interval that was left when a job with a relative trigger was suspended; `nil`
    /// otherwise.
    public var remainder: Duration?
    /// The number of occurrences that have an outcome, including skipped ones.
    public var occurrenceCount: Int
    /// The number of occurrences that were skipped or coalesced because no scheduler could run them in time.
    public var missedCount: Int
    /// The number of open runs.
    public var openRunCount: Int
    /// The instant until which an ended job is kept; `nil` while the job has not ended.
    ///
    /// At most once an hour, after a commit, a running scheduler removes the jobs whose instant has passed. The instant
    /// is determined when the job ends, from ``JobPolicies/retention`` or the scheduler's configuration, and is never
    /// before ``uniqueUntil``.
    public var keptUntil: WallInstant?
    /// Values for the scheduler and the store.
    public var bookkeeping: JobBookkeeping

    /// The instant at which the scheduler must examine the job next, by the present wall clock.
    ///
    /// It is `nil` if the job need not be examined until an event changes it.
    public var nextWake: WallInstant? {
        guard let wake = bookkeeping.wake, let elapsed = bookkeeping.elapsedWake else {
            return bookkeeping.wake ?? bookkeeping.elapsedWake
        }
        return min(wake, elapsed)
    }

    /// The instant until which the job, ended or not, is the answer to repeated submissions, by the wall clock.
    ///
    /// It is the submission's instant plus ``JobUniqueness/period``, or plus ``JobRequest/idempotencyPeriod`` if the
    /// job has an idempotency key and this period is longer. Without either, it is the submission's instant.
    public var uniqueUntil: WallInstant { created.advanced(by: request.uniquenessPeriod) }

    /// The next occurrence's due instant with its note; `nil` if no occurrence is to come.
    var next: Due? {
        get { nextDue.map { Due(instant: $0, note: dueNote) } }
        set { (nextDue, dueNote) = (newValue?.instant, newValue?.note) }
    }

    /// The identifier of the job.
    public var id: JobID { request.id }

    // Stores read these properties for each run instead of `request`. Reading `request` from another module would copy
    // the whole request.

    package var isTriggerRelative: Bool { request.trigger.isRelative }
    /// Whether the job is unique by its key or payload, and not only by its identifier.
    package var countsContent: Bool { request.uniqueness.countsContent }

    /// Creates a job from stored values; an omitted argument has the value of a new job.
    ///
    /// It is for stores: programs submit jobs with ``JobScheduler/submit(_:)->SubmissionResult``.
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

/// The part of a stored job that only the scheduler uses.
public struct JobBookkeeping: Hashable, Sendable {
    /// The number of occurrences before the trigger's first one: those of the job's earlier triggers
    /// (``ConflictPolicy/update``).
    public var origin: Int
    /// The next instant at which the scheduler must examine the job because of the wall clock: its next occurrence is
    /// due, or a waiting run may start.
    ///
    /// It is `nil` if the wall clock alone changes nothing.
    public var wake: WallInstant?
    /// The next instant at which the scheduler must examine the job because of elapsed time: an occurrence of a
    /// relative trigger is due, or the delay before a retry ends.
    public var elapsedWake: WallInstant?
    /// The number of runs that were added to the job since its older runs were last removed (``JobChange/keptRuns``).
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
    /// Creates an identifier with this text.
    ///
    /// ``JobScheduler/submit(_:)->SubmissionResult`` refuses an empty one, and one of more than 255 bytes.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates an identifier with this text.
    public init(_ text: String) { rawValue = text }
    /// Creates an identifier with this text.
    public init(stringLiteral text: String) { rawValue = text }
    /// The text of the identifier.
    public var description: String { rawValue }
    /// Orders identifiers by their texts.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
