public import ApusTimers

/// A job as the API and `--json` show it.
///
/// Every field except ``outcome`` is always present, and `null` if it has no value.
public struct WireJob: Codable, Hashable, Sendable {
    /// The identifier.
    public var id: String
    /// The name, if it has one.
    @Nullable public var name: String?
    /// The kind: `action` or `countdown`, or another word for a job that another program has stored in the database.
    public var kind: String
    /// The state: `scheduled`, `suspended`, `cancelled` or `finished`.
    public var state: String
    /// The rule that says when the job is due.
    public var trigger: WireTrigger
    /// The work of the job.
    public var action: Action
    /// The rules for runs that are late, overlap, fail or are missed.
    public var policies: WirePolicies
    /// The instant of the submission (ISO 8601, UTC, with milliseconds, as all instants are).
    public var created: String
    /// The instant at which the next occurrence is due.
    @Nullable public var nextDue: String?
    /// The remainder of the current interval, in milliseconds, while the job is suspended.
    @Nullable public var remainingMs: Int64?
    /// The unfulfilled conditions, while an occurrence is due and waits for them: `network`, `power`, `idle`.
    @Nullable public var waitingFor: [String]?
    /// Whether an occurrence is due and waits because the daemon has no handler for the job's kind.
    @EmptyIfAbsent public var parked: Bool
    /// The number of occurrences with an outcome.
    public var occurrences: Int
    /// The number of occurrences that were missed.
    public var missed: Int
    /// The number of occurrences to come, if the trigger has a count.
    @Nullable public var occurrencesLeft: Int?
    /// The newest active attempt, else the newest attempt that began, else the newest run that ended without an
    /// attempt.
    @Nullable public var lastRun: WireRun?
    /// The labels.
    public var labels: [String: String]
    /// The queue in which the job's runs wait for a place.
    public var queue: String
    /// The priority: `low`, `normal`, `high` or `urgent`.
    public var priority: String
    /// The fairness key, if the job has one; jobs with different keys take turns in a queue.
    @Nullable public var fairnessKey: String?
    /// The rule by which jobs with the same action, or with the same key, count as the same job, if there is one.
    @Nullable public var unique: WireUniqueness?
    /// The idempotency key of the submission, if it had one.
    @Nullable public var idempotencyKey: String?
    /// The instant until which the job is kept, if it has ended.
    @Nullable public var keptUntil: String?
    /// The effect of the submission that this job answers: `inserted`, `updated`, `rescheduled`, `replaced`, `kept` or
    /// `joined`.
    ///
    /// It is absent from all other answers.
    public var outcome: String?
}

/// The rule that says when a job is due: exactly one of `at`, `after`, `every` and `calendar`.
public struct WireTrigger: Codable, Hashable, Sendable {
    /// The due instant (ISO 8601).
    public var at: String?
    /// The duration until the due instant (ISO 8601, such as `PT25M`).
    public var after: String?
    /// The interval between due instants (ISO 8601).
    public var every: String?
    /// An instant on the grid of due instants, for `every`.
    public var anchor: String?
    /// The number of occurrences, for `every`.
    public var count: Int?
    /// The schedule of the calendar.
    public var calendar: WireCalendar?
    /// Creates a trigger.
    public init(
        at: String? = nil, after: String? = nil, every: String? = nil, anchor: String? = nil, count: Int? = nil,
        calendar: WireCalendar? = nil
    ) {
        self.calendar = calendar
        self.at = at
        self.after = after
        self.every = every
        self.anchor = anchor
        self.count = count
    }
}

/// The policies by their names on the command line; an absent policy has its default.
public struct WirePolicies: Codable, Hashable, Sendable {
    /// The allowed delay of a start (a duration, ISO 8601).
    public var tolerance: String?
    /// The policy for missed occurrences: `run-once`, `skip`, `run-all` or `run-all:N`.
    public var missed: String?
    /// The policy for overlapping runs: `skip`, `queue`, `queue:N`, `allow`, `allow:N` or `replace`.
    public var overlap: String?
    /// The number of further attempts after a failed one.
    public var retry: Int?
    /// The time limit of an attempt (a duration, ISO 8601).
    public var timeout: String?
    /// The lateness after which an occurrence is skipped (a duration, ISO 8601).
    public var expiry: String?
    /// The conditions for which a due occurrence waits: `network`, `power` and `idle`, each at most once.
    public var when: [String]?
    /// The time for which an ended job is kept (a duration, ISO 8601).
    public var retention: String?
    /// Creates policies.
    public init(
        tolerance: String? = nil, missed: String? = nil, overlap: String? = nil, retry: Int? = nil,
        timeout: String? = nil, expiry: String? = nil, when: [String]? = nil, retention: String? = nil
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

/// A run as the API and `--json` show it.
public struct WireRun: Codable, Hashable, Sendable {
    /// The job's identifier.
    public var job: String
    /// The number of the occurrence; 0 and below for runs by hand.
    public var occurrence: Int
    /// The number of a run by hand, from 1, as the command shows it.
    @Nullable public var manual: Int?
    /// The last occurrence of a skipped range; otherwise the same as `occurrence`.
    public var through: Int
    /// The number of the attempt, from 1; 0 if there was none.
    public var attempt: Int
    /// The number of occurrences that the run stands for.
    public var standsFor: Int
    /// The instant at which the run was due.
    public var due: String
    /// The instant at which the attempt began, also while it is active.
    @Nullable public var started: String?
    /// The instant at which the run ended.
    @Nullable public var finished: String?
    /// The lateness of the occurrence's first attempt, in milliseconds: its start minus its due instant.
    @Nullable public var latenessMs: Int64?
    /// The lateness of a later attempt, in milliseconds: its start minus the end of the pause before it.
    @Nullable public var delayMs: Int64?
    /// The outcome: `waiting`, `running`, `succeeded`, `failed`, `skipped`, `lost` or `cancelled`.
    public var outcome: String
    /// Whether this is also the outcome of the occurrence; `false` for an attempt that is retried.
    public var final: Bool
    /// The reason for the outcome, if it has one.
    @Nullable public var reason: String?
    /// The effect of a clock change, or of new rules of a zone, on the due instant, in words.
    @Nullable public var dueNote: String?
    /// The exit code of the command.
    @Nullable public var exitCode: Int?
    /// The last 4 KiB of the output as text, with U+FFFD in place of bytes that are not UTF-8.
    @Nullable public var outputTail: String?
    /// The last 4 KiB of the output in base64, if they are not UTF-8.
    @Nullable public var outputTailBase64: String?
    /// The last progress that the run has reported.
    @Nullable public var progress: WireProgress?
    /// The value that the run returned.
    @Nullable public var result: WireResult?
}

/// The progress of a run.
public struct WireProgress: Codable, Hashable, Sendable {
    /// The part of the work that is done, from 0 to 1.
    public var fraction: Double
    /// The handler's description of the progress.
    @Nullable public var message: String?
}

/// The value that a run returned.
public struct WireResult: Codable, Hashable, Sendable {
    /// The size of the value in bytes.
    public var bytes: Int
    /// The value as text, if it is UTF-8 and has at most 4 KiB.
    @Nullable public var text: String?
}

/// The body of `POST /v1/jobs`.
public struct WireSubmission: Codable, Hashable, Sendable {
    /// The name of the job, which need not be unique.
    public var name: String?
    /// The kind: `action` (the default) or `countdown`.
    public var kind: String?
    /// The rule that says when the job is due.
    public var trigger: WireTrigger
    /// The work of the job.
    public var action: Action
    /// The rules for runs that are late, overlap, fail or are missed.
    public var policies: WirePolicies?
    /// The labels.
    public var labels: [String: String]?
    /// The queue in which the job's runs wait for a place; the default is `default`.
    public var queue: String?
    /// The priority: `low`, `normal` (the default), `high` or `urgent`.
    public var priority: String?
    /// The fairness key, which keeps many jobs with one key from delaying jobs with other keys.
    ///
    /// In a queue, jobs with different keys take turns.
    public var fairnessKey: String?
    /// The rule by which jobs with the same action, or with the same key, count as the same job.
    public var unique: WireUniqueness?
    /// The effect of the submission on a job that counts as the same: `update`, `keep` or `replace`.
    ///
    /// With any of these values, an open job of the same name counts as the same. If only `unique` is set, the existing
    /// job is kept.
    public var conflict: String?
    /// The name of this submission, with which it can be repeated safely, because the answer to a repetition is the
    /// same job.
    public var idempotencyKey: String?
    /// Creates a submission.
    public init(
        name: String? = nil, kind: String? = nil, trigger: WireTrigger, action: Action, policies: WirePolicies? = nil,
        labels: [String: String]? = nil, queue: String? = nil, priority: String? = nil, fairnessKey: String? = nil,
        unique: WireUniqueness? = nil, conflict: String? = nil, idempotencyKey: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.trigger = trigger
        self.action = action
        self.policies = policies
        self.labels = labels
        self.queue = queue
        self.priority = priority
        self.fairnessKey = fairnessKey
        self.unique = unique
        self.conflict = conflict
        self.idempotencyKey = idempotencyKey
    }

    /// Returns an idempotency key of 128 random bits.
    public static func newIdempotencyKey(_ random: any RandomSource) -> String {
        (0..<2).map { _ in
            let digits = String(random.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// The answer of `GET /v1/health`.
public struct WireHealth: Codable, Hashable, Sendable {
    /// The state of the daemon: `ok`, or `storeFails` while it cannot write to its store.
    ///
    /// In the state `storeFails`, the daemon keeps changes in memory and starts no runs.
    public var status: String
    /// The reason why the store cannot be written, in words.
    @Nullable public var problem: String?
    /// The instant since which the store cannot be written.
    @Nullable public var problemSince: String?
    /// The number of commands that were cancelled and do not end.
    @EmptyIfAbsent public var stuck: Int
    /// The daemon's version.
    public var version: String
    /// The identifier of the daemon's process.
    public var pid: Int32
    /// The path of the daemon's home.
    public var home: String
    /// The location of the jobs: a path, or `postgres://…` without a password; `nil` in the answer of an older daemon.
    public var store: String?
    /// The daemon's name among the daemons that share the store; `nil` in the answer of an older daemon.
    public var node: String?
    /// The instant at which the daemon started.
    public var started: String
    /// The number of runs in progress.
    public var running: Int

    package init(
        status: String, problem: String? = nil, problemSince: String? = nil, stuck: Int = 0, version: String,
        pid: Int32, home: String, store: String? = nil, node: String? = nil, started: String, running: Int
    ) {
        self.status = status
        _problem = Nullable(wrappedValue: problem)
        _problemSince = Nullable(wrappedValue: problemSince)
        _stuck = EmptyIfAbsent(wrappedValue: stuck)
        self.version = version
        self.pid = pid
        self.home = home
        self.store = store
        self.node = node
        self.started = started
        self.running = running
    }
}

/// The body of an answer with an error, whose status is 400 or above.
public struct WireError: Codable, Hashable, Sendable {
    /// The error.
    public struct Body: Codable, Hashable, Sendable {
        /// The code of the error, for programs.
        public var code: String
        /// The message, a sentence for people.
        public var message: String

        package init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }
    /// The error.
    public var error: Body

    package init(error: Body) {
        self.error = error
    }
}

/// The answer of `GET /v1/jobs/{id}/why`: the decisions about an occurrence, in their order.
public struct WireExplanation: Codable, Hashable, Sendable {
    /// One decision, or one condition that the occurrence waits for.
    public struct Decision: Codable, Hashable, Sendable {
        /// The code of the decision, for programs: `due`, `claimed`, `queueFull` and others.
        public var code: String
        /// The instant at which the decision was made, or will be; `null` for the present state.
        @Nullable public var at: String?
        /// The decision as a sentence for people.
        public var text: String
    }
    /// The job's identifier.
    public var job: String
    /// The number of the occurrence; `null` for a job that has none.
    @Nullable public var occurrence: Int?
    /// The decisions.
    public var decisions: [Decision]
}

/// The answer of `DELETE /v1/jobs`.
public struct WireCancelled: Codable, Hashable, Sendable {
    /// The identifiers of the cancelled jobs.
    public var cancelled: [String]
    /// The position of the next jobs, to be passed as `after`; `null` if no jobs are left to cancel.
    @Nullable public var next: String?
    /// Creates an answer.
    public init(cancelled: [String], next: String? = nil) { (self.cancelled, self.next) = (cancelled, next) }
}

/// The answer of `POST /v1/failed/retry`.
public struct WireRetried: Codable, Hashable, Sendable {
    /// The new attempts.
    public var runs: [WireRun]
    /// The position of the next jobs, to be passed as `after`; `null` if no jobs are left to retry.
    @Nullable public var next: String?
    /// Creates an answer.
    public init(runs: [WireRun], next: String? = nil) { (self.runs, self.next) = (runs, next) }
}

/// The answer of `DELETE /v1/ended`, and of `POST /v1/jobs/{id}/delete`.
public struct WireDeleted: Codable, Hashable, Sendable {
    /// The number of deleted jobs.
    public var deleted: Int
    /// The position of the next jobs, to be passed as `after`; `null` if no jobs are left to delete.
    @Nullable public var next: String?
    /// Creates an answer.
    public init(deleted: Int, next: String? = nil) { (self.deleted, self.next) = (deleted, next) }
}

/// The answer of `GET /v1/job-count`.
public struct WireCount: Codable, Hashable, Sendable {
    /// The number of jobs that match.
    public var count: Int

    package init(count: Int) {
        self.count = count
    }
}

/// A page of jobs.
public struct WireJobPage: Codable, Hashable, Sendable {
    /// The jobs.
    public var jobs: [WireJob]
    /// The jobs of the page that the daemon cannot read.
    @EmptyIfAbsent public var unreadable: [WireUnreadableJob]
    /// The position of the next page, to be passed as `after`; `null` at the end.
    @Nullable public var next: String?

    package init(jobs: [WireJob], unreadable: [WireUnreadableJob] = [], next: String? = nil) {
        self.unreadable = unreadable
        self.jobs = jobs
        self.next = next
    }
}

/// A page of runs, newest first.
public struct WireRunPage: Codable, Hashable, Sendable {
    /// The runs.
    public var runs: [WireRun]
    /// The names of the runs' jobs, keyed by the jobs' identifiers; jobs without a name are not included.
    @EmptyIfAbsent public var names: [String: String]
    /// The position of the next page, to be passed as `after`; `null` at the end.
    @Nullable public var next: String?

    package init(runs: [WireRun], names: [String: String], next: String? = nil) {
        self.runs = runs
        self.names = names
        self.next = next
    }
}
