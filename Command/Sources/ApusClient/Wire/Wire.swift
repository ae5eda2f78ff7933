public import ApusTimers

/// A job as the API and `--json` show it. The fields named in the documentation are always there; what has no value
/// is `null`.
public struct WireJob: Codable, Hashable, Sendable {
    /// The identifier.
    public var id: String
    /// The name, if it has one.
    @Nullable public var name: String?
    /// `action` or `countdown`; another word for a job that another program has kept in the database.
    public var kind: String
    /// `scheduled`, `suspended`, `cancelled` or `finished`.
    public var state: String
    /// When it is due.
    public var trigger: WireTrigger
    /// What it does.
    public var action: Action
    /// How it behaves when runs are late, overlap, fail or are missed.
    public var policies: WirePolicies
    /// When it was submitted (ISO 8601, UTC, milliseconds; so are all instants).
    public var created: String
    /// When the next occurrence is due.
    @Nullable public var nextDue: String?
    /// While suspended: what was left of the running interval, in milliseconds.
    @Nullable public var remainingMs: Int64?
    /// The conditions that do not hold, while an occurrence is due and waits for them: `network`, `power`, `idle`.
    @Nullable public var waitingFor: [String]?
    /// Whether an occurrence is due and waits because the daemon does not know the job's kind.
    @EmptyIfAbsent public var parked: Bool
    /// How many occurrences have an outcome.
    public var occurrences: Int
    /// How many of them were missed.
    public var missed: Int
    /// How many occurrences are to come, if the trigger has a count.
    @Nullable public var occurrencesLeft: Int?
    /// The newest running attempt; else the newest that began; else the newest run that ended without one.
    @Nullable public var lastRun: WireRun?
    /// Labels.
    public var labels: [String: String]
    /// In which queue its runs wait for a place.
    public var queue: String
    /// `low`, `normal`, `high` or `urgent`.
    public var priority: String
    /// Its key, if it has one: jobs of a queue with different keys take turns.
    @Nullable public var fairnessKey: String?
    /// If jobs that do the same, or have the same key, count as the same job.
    @Nullable public var unique: WireUniqueness?
    /// The idempotency key of its submission, if that had one.
    @Nullable public var idempotencyKey: String?
    /// Until when a job that has ended is kept.
    @Nullable public var keptUntil: String?
    /// Only in the answer to a submission: what that did, `inserted`, `updated`, `rescheduled`, `replaced`, `kept` or
    /// `joined`.
    public var outcome: String?
}

/// When a job is due: exactly one of `at`, `after`, `every` and `calendar`.
public struct WireTrigger: Codable, Hashable, Sendable {
    /// An instant, ISO 8601.
    public var at: String?
    /// A duration, ISO 8601 (`PT25M`).
    public var after: String?
    /// An interval, ISO 8601.
    public var every: String?
    /// With `every`: an instant of the grid.
    public var anchor: String?
    /// With `every`: how many occurrences.
    public var count: Int?
    /// A schedule of the calendar.
    public var calendar: WireCalendar?
    /// A trigger.
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

/// Policies by their names on the command line. What is left out has its default.
public struct WirePolicies: Codable, Hashable, Sendable {
    /// ISO 8601.
    public var tolerance: String?
    /// `run-once`, `skip`, `run-all` or `run-all:N`.
    public var missed: String?
    /// `skip`, `queue`, `queue:N`, `allow`, `allow:N` or `replace`.
    public var overlap: String?
    /// How many more attempts after a failed one.
    public var retry: Int?
    /// ISO 8601.
    public var timeout: String?
    /// ISO 8601.
    public var expiry: String?
    /// What an occurrence that is due waits for: of `network`, `power` and `idle`, each once.
    public var when: [String]?
    /// ISO 8601.
    public var retention: String?
    /// Policies.
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
    /// The occurrence; 0 and below for runs asked for by hand.
    public var occurrence: Int
    /// The number of a run by hand, as the command shows it.
    @Nullable public var manual: Int?
    /// The last occurrence of a skipped range; equal to `occurrence` otherwise.
    public var through: Int
    /// The attempt; 0 if there was none.
    public var attempt: Int
    /// How many occurrences it stands for.
    public var standsFor: Int
    /// When it was due.
    public var due: String
    /// When it started, also while it runs.
    @Nullable public var started: String?
    /// When it ended.
    @Nullable public var finished: String?
    /// Start minus due, in milliseconds, of the occurrence's first attempt.
    @Nullable public var latenessMs: Int64?
    /// Of a later attempt: start minus the end of the pause before it, in milliseconds.
    @Nullable public var delayMs: Int64?
    /// `waiting`, `running`, `succeeded`, `failed`, `skipped`, `lost` or `cancelled`.
    public var outcome: String
    /// Whether it is the outcome of its occurrence (a failed attempt that is tried again is not).
    public var final: Bool
    /// Why.
    @Nullable public var reason: String?
    /// What a change of the clock, or of a zone's rules, did to its due instant, in words.
    @Nullable public var dueNote: String?
    /// A command's exit code.
    @Nullable public var exitCode: Int?
    /// The last 4 KiB of what it printed. Where they are not UTF-8, U+FFFD is in the place of what is not.
    @Nullable public var outputTail: String?
    /// The same bytes in base64, if they are not UTF-8.
    @Nullable public var outputTailBase64: String?
    /// How far it was when it reported that last.
    @Nullable public var progress: WireProgress?
    /// What it returned.
    @Nullable public var result: WireResult?
}

/// How far a run is.
public struct WireProgress: Codable, Hashable, Sendable {
    /// 0 to 1.
    public var fraction: Double
    /// In its own words.
    @Nullable public var message: String?
}

/// What a run returned.
public struct WireResult: Codable, Hashable, Sendable {
    /// How many bytes.
    public var bytes: Int
    /// The bytes as a text, if they are UTF-8 and not more than 4 KiB.
    @Nullable public var text: String?
}

/// What `POST /v1/jobs` takes.
public struct WireSubmission: Codable, Hashable, Sendable {
    /// A name.
    public var name: String?
    /// `action` (the default) or `countdown`.
    public var kind: String?
    /// When.
    public var trigger: WireTrigger
    /// What.
    public var action: Action
    /// How.
    public var policies: WirePolicies?
    /// Labels.
    public var labels: [String: String]?
    /// In which queue its runs wait for a place; `default` unless given.
    public var queue: String?
    /// `low`, `normal` (the default), `high` or `urgent`.
    public var priority: String?
    /// Jobs of a queue with different keys take turns, so that many jobs with one key do not delay those with others.
    public var fairnessKey: String?
    /// Whether jobs that do the same, or have the same key, count as the same job.
    public var unique: WireUniqueness?
    /// `update`, `keep` or `replace`: what happens to a job that counts as the same. With it, an open job of the same name
    /// does. `unique` alone keeps such a job.
    public var conflict: String?
    /// Names this submission, so that it can be repeated safely: the same key again answers with the same job.
    public var idempotencyKey: String?
    /// A submission.
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

    /// A key of 128 random bits.
    public static func newIdempotencyKey(_ random: any RandomSource) -> String {
        (0..<2).map { _ in
            let digits = String(random.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// What `GET /v1/health` answers.
public struct WireHealth: Codable, Hashable, Sendable {
    /// `ok`, or `storeFails` while the daemon cannot write to its store: it keeps what happens in memory, and starts
    /// nothing.
    public var status: String
    /// Why the store cannot be written, in words.
    @Nullable public var problem: String?
    /// Since when, an instant.
    @Nullable public var problemSince: String?
    /// How many commands were cancelled and do not end.
    @EmptyIfAbsent public var stuck: Int
    /// The daemon's version.
    public var version: String
    /// Its process.
    public var pid: Int32
    /// Its home.
    public var home: String
    /// Where its jobs are: a path, or `postgres://…` without a password. `nil` from a daemon that is older than this.
    public var store: String?
    /// What it is called among those that share the store. `nil` from a daemon that is older than this.
    public var node: String?
    /// When it started.
    public var started: String
    /// How many runs are in progress.
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

/// What an error answers, with a status of 400 and above.
public struct WireError: Codable, Hashable, Sendable {
    /// The error.
    public struct Body: Codable, Hashable, Sendable {
        /// A word for programs.
        public var code: String
        /// A sentence for people.
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

/// What `GET /v1/jobs/{id}/why` answers: the decisions about an occurrence, in their order.
public struct WireExplanation: Codable, Hashable, Sendable {
    /// One decision, or one condition that the occurrence waits for.
    public struct Decision: Codable, Hashable, Sendable {
        /// A word for programs: `due`, `claimed`, `queueFull` and others.
        public var code: String
        /// When it was made, or comes true; `null` where that is now.
        @Nullable public var at: String?
        /// A sentence for people.
        public var text: String
    }
    /// The job's identifier.
    public var job: String
    /// The occurrence; `null` for a job that has none.
    @Nullable public var occurrence: Int?
    /// The decisions.
    public var decisions: [Decision]
}

/// The answer of `DELETE /v1/jobs`.
public struct WireCancelled: Codable, Hashable, Sendable {
    /// The identifiers of the jobs that were cancelled.
    public var cancelled: [String]
    /// Where the next jobs begin if only a page of them was cancelled: pass it as `after`; `null` at the end.
    @Nullable public var next: String?
    /// Identifiers.
    public init(cancelled: [String], next: String? = nil) { (self.cancelled, self.next) = (cancelled, next) }
}

/// The answer of `POST /v1/failed/retry`.
public struct WireRetried: Codable, Hashable, Sendable {
    /// The new attempts.
    public var runs: [WireRun]
    /// Where the next jobs begin if only those of a page are tried again: pass it as `after`; `null` at the end.
    @Nullable public var next: String?
    /// New attempts.
    public init(runs: [WireRun], next: String? = nil) { (self.runs, self.next) = (runs, next) }
}

/// The answer of `DELETE /v1/ended`, and of `POST /v1/jobs/{id}/delete`.
public struct WireDeleted: Codable, Hashable, Sendable {
    /// How many jobs were deleted.
    public var deleted: Int
    /// Marks where the next page begins: pass it as `after`. It is `null` after the last page.
    @Nullable public var next: String?
    /// So many jobs.
    public init(deleted: Int, next: String? = nil) { (self.deleted, self.next) = (deleted, next) }
}

/// The answer of `GET /v1/job-count`.
public struct WireCount: Codable, Hashable, Sendable {
    /// How many jobs match.
    public var count: Int

    package init(count: Int) {
        self.count = count
    }
}

/// A page of jobs.
public struct WireJobPage: Codable, Hashable, Sendable {
    /// The jobs.
    public var jobs: [WireJob]
    /// Those that belong to the page and that the daemon cannot read.
    @EmptyIfAbsent public var unreadable: [WireUnreadableJob]
    /// Pass it as `after` for the next page; `null` at the end.
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
    /// By identifier, the names of their jobs, of those that have one.
    @EmptyIfAbsent public var names: [String: String]
    /// Pass it as `after` for the next page; `null` at the end.
    @Nullable public var next: String?

    package init(runs: [WireRun], names: [String: String], next: String? = nil) {
        self.runs = runs
        self.names = names
        self.next = next
    }
}
