import ApusBackground
import ApusCalendar
import ApusTimers

/// The obstacles to a job at one moment, as far as its scheduler knows them.
struct JobSituation: Sendable {
    var isRunning = false
    var unmet: JobConditions = []
    var isParked = false
    /// Whether the job is only in the store, because many jobs of its lane are due before it.
    var isLeft = false
    /// Whether other schedulers share the store.
    var isShared = false
    /// The reason why no known scheduler can run the job; `nil` if one can.
    var lack: Lack?
    var queue: QueueStatus?
    /// The number of runs in progress that have the job's fairness key.
    var keyRunningCount = 0
    /// The time until the queue's rate lets a run begin; `nil` if the queue has no rate.
    var rateDelay: Duration?
    /// The number of places that are taken, and the number of all places.
    var places: (taken: Int, all: Int) = (0, 0)
    /// The number of handlers of the job's queue that may run in this scheduler, if that number is limited.
    var queuePlaces: Int?
    var storeFails = false
    var nextLook: WallInstant?
    var stuck: [StuckHandler] = []

    /// The reason why no known scheduler can run a job: no handler of its kind, or no scheduler that serves its queue.
    enum Lack: Sendable {
        case handler
        case queue
    }
}

extension SchedulerMachine {
    /// The keys of the jobs that are due and wait for conditions or for a handler.
    var obstructed: [Int64] { Set(kinds.parked.keys).union(conditions.held.keys).sorted() }

    /// Returns whether the job is parked; see ``JobScheduler/isParked(_:)``.
    func isParked(_ id: JobID) -> Bool { jobs[id].map { kinds.parked.contains($0.key) } ?? false }

    /// Returns the conditions that hold a job back although it is due; see ``JobScheduler/awaitedConditions(_:)``.
    func awaitedConditions(_ id: JobID) -> JobConditions { jobs[id].map { conditions.awaited(by: $0) } ?? [] }

    /// Returns the present obstacles of the job.
    func situation(of loaded: LoadedJob, at now: SchedulerReading) -> JobSituation {
        var situation = JobSituation()
        situation.isRunning = life.isRunning
        situation.storeFails = backoff.isFailing
        situation.places = (board.runs.count, board.limit)
        situation.isShared = session.isShared
        let job = loaded.job
        if !kinds.canRun(job.request), !placement.canRun(job.request) {
            let hasHandler = kinds.hasHandler(for: job.request.kind) || placement.hasHandler(for: job.request.kind)
            situation.lack = hasHandler ? .queue : .handler
        }
        guard shards.owns(loaded.shard) else { return situation }
        situation.queue = board.status(job.request.queue)
        situation.keyRunningCount =
            job.request.fairnessKey.map { board.runningCount(of: $0, in: job.request.queue) } ?? 0
        situation.queuePlaces = board.limits[job.request.queue]
        situation.rateDelay = board.rateDelay(job.request.queue, now.continuous)
        if let entry = jobs[job.id] {
            situation.unmet = conditions.awaited(by: entry)
            situation.isParked = kinds.parked.contains(entry.key)
            situation.nextLook = wakes[entry.key]
        } else if let left = loading.left[job.request.lane], job.nextWake.map({ left <= $0 }) ?? false {
            situation.isLeft = true
            situation.unmet = job.request.policies.conditions.intersection(conditions.unmet)
            situation.isParked = !kinds.canRun(job.request)
        }
        return situation
    }
}

/// Explains the state of an occurrence from the stored rows and the scheduler's state.
struct Explanation {
    typealias Decision = JobExplanation.Decision

    let loaded: LoadedJob
    let situation: JobSituation
    let now: WallInstant
    private let machine: JobMachine
    private var decisions: [Decision] = []

    init(_ loaded: LoadedJob, _ situation: JobSituation, now: WallInstant, in zones: any TimeZones) {
        (self.loaded, self.situation, self.now) = (loaded, situation, now)
        machine = JobMachine(loaded, in: zones)
    }

    private var job: Job { loaded.job }

    /// Explains an occurrence with these runs; an occurrence that is still to come has none.
    mutating func explain(_ occurrence: Int?, runs: [Run]) -> JobExplanation {
        let runs = runs.sorted { $0.attempt < $1.attempt }
        if let first = runs.first {
            explainArrival(first)
            for run in runs { explainAttempt(run) }
            if let last = runs.last, last.state == .waiting { explainWaiting(last) }
        } else if job.state.isFinal {
            add(.ended, at: job.updated, "the job is \(job.state): it has no further occurrence")
        } else {
            explainNext()
        }
        return JobExplanation(jobID: job.id, occurrence: occurrence, decisions: decisions)
    }

    private mutating func add(_ code: JobExplanation.Code, at instant: WallInstant? = nil, _ text: String) {
        decisions.append(Decision(code: code, instant: instant, text: text))
    }

    // MARK: What has happened

    private mutating func explainArrival(_ run: Run) {
        if run.isByHand {
            add(.byHand, at: run.due, "it was requested by hand")
        } else {
            add(.due, at: run.due, "it was due by the trigger")
            if let note = run.dueNote { add(.clockChange, at: run.due, note.description) }
        }
        if run.standsFor > 1 {
            add(
                .catchUp, at: run.due,
                "it stands for \(run.standsFor) occurrences that were missed (policy \"run once\")")
        } else if run.state.isOpen, run.reason == JobMachine.catchUp {
            add(.catchUp, at: run.due, "it makes up for a missed occurrence; such runs start one after another")
        }
    }

    private mutating func explainAttempt(_ run: Run) {
        if run.state == .skipped { return explainSkip(run) }
        if run.attempt > 1, let notBefore = run.notBefore, run.state != .waiting {
            add(.delay, at: notBefore, "attempt \(run.attempt) could begin after its pause")
        }
        if let claimed = run.claimed { add(.claimed, at: claimed, "attempt \(run.attempt) got a place to run") }
        if let started = run.started {
            add(
                .started, at: started,
                "its handler was called, \(Self.text(run.due.duration(to: started))) after it was due")
        }
        if let progress = run.progress {
            let message = progress.message.map { ": \($0)" } ?? ""
            add(.progress, at: run.finished, "it has reported \(Int(progress.fraction * 100)) %\(message)")
        }
        switch run.state {
        case .waiting, .skipped: break
        case .running:
            add(.running, "attempt \(run.attempt) runs")
            if let reason = run.reason, reason != JobMachine.catchUp {
                add(.told, "its handler was cancelled (\(reason)), and has not returned yet")
            }
            if let stuck = situation.stuck.first(where: {
                $0.occurrence == run.occurrence && $0.attempt == run.attempt && !$0.isAbandoned
            }) {
                add(
                    .stuck,
                    "its handler does not return: it was cancelled \(Self.text(stuck.duration)) ago "
                        + "(\(stuck.reason.rawValue))"
                )
            }
        case .succeeded: add(.succeeded, at: run.finished, "attempt \(run.attempt) succeeded")
        case .failed:
            add(.failed, at: run.finished, "attempt \(run.attempt) failed: \(run.reason ?? "no reason was given")")
            if run.isFinal {
                add(
                    .ended, at: run.finished,
                    "it is not tried again: \(Self.attempts(job.request.policies.retry)), or the failure was marked as final"
                )
            }
        case .lost where run.reason == JobMachine.abandoned:
            add(.lost, at: run.finished, "the handler of attempt \(run.attempt) did not return, and was given up")
            if run.isFinal {
                add(.ended, at: run.finished, "it is not tried again: the retry policy allows no more attempts")
            }
        case .lost:
            add(.lost, at: run.finished, "the process ended while attempt \(run.attempt) ran")
            if run.isFinal {
                add(.ended, at: run.finished, "it is not tried again: the retry policy allows no more lost attempts")
            }
        case .cancelled: add(.cancelled, at: run.finished, "it was cancelled: \(run.reason ?? "cancelled")")
        }
    }

    private mutating func explainSkip(_ run: Run) {
        let range = run.through > run.occurrence ? " (occurrences \(run.occurrence) to \(run.through))" : ""
        let why =
            switch run.skipReason {
            case .missed?: "no scheduler examined it in time, and the missed-run policy leaves it out"
            case .coalesced?: "no scheduler examined it in time, and a later run stands for it"
            case .overlap?: "an earlier occurrence was still open, and the overlap policy leaves it out"
            case .queueFull?: "no more occurrences could wait under the overlap policy"
            case .expired?: "it had not begun before it expired"
            case let reason?: reason.rawValue
            case nil: "no reason was kept"
            }
        add(.skipped, at: run.finished, "it was skipped: \(why)\(range)")
    }

    // MARK: What it waits for

    private mutating func explainNext() {
        if job.state == .suspended {
            let left = job.remainder.map { "; \(Self.text($0)) of its interval are left" } ?? ""
            add(.suspended, "the job is suspended: no run begins until it is resumed\(left)")
        }
        if let due = job.nextDue {
            add(.due, at: due, due > now ? "it is due by the trigger" : "it was due by the trigger")
            if let note = job.dueNote { add(.clockChange, at: due, note.description) }
            if due <= now {
                explainObstacles()
                explainExpiry(machine.expiry(dueAt: due))
            }
        }
        if let zone = machine.missingZone {
            add(.timeZoneMissing, "this machine has no time zone \(zone); install tzdata, or give the job another zone")
        }
        explainNextLook()
    }

    private mutating func explainWaiting(_ run: Run) {
        if let reason = run.reason, reason != JobMachine.catchUp {
            add(.snoozed, "its handler asked to be called later: \(reason)")
        }
        if let notBefore = run.notBefore, notBefore > now {
            add(.delay, at: notBefore, "attempt \(run.attempt) begins after a pause")
        } else if run.due > now {
            add(.due, at: run.due, "the clock was set back, so it is due again")
        }
        if job.state == .suspended, !run.isByHand {
            add(.suspended, "the job is suspended: no run begins until it is resumed")
        }
        let hasTurn = machine.turns().contains { machine.open[$0].occurrence == run.occurrence }
        if !hasTurn, job.state == .scheduled, let other = loaded.open.first(where: { $0.occurrence != run.occurrence })
        {
            add(.overlap, "it waits for \(OccurrenceText.words(other.occurrence)), which is \(other.state.rawValue)")
        }
        if hasTurn, machine.earliestStart(run) <= now { explainObstacles() }
        explainExpiry(machine.expiry(of: run))
        explainNextLook()
    }

    private mutating func explainExpiry(_ expiry: WallInstant?) {
        guard let expiry else { return }
        if expiry < now {
            add(.expiry, at: expiry, "it has expired, and is skipped when its turn comes")
        } else {
            add(.expiry, at: expiry, "it is skipped if it has not begun by then")
        }
    }

    private mutating func explainObstacles() {
        guard situation.isRunning else { return add(.notRunning, "no scheduler runs in this process") }
        if situation.storeFails {
            add(.storeFails, "the store cannot be used; the scheduler tries it again at least once a second")
        }
        if !situation.unmet.isEmpty { add(.conditions, "it waits for \(Self.text(situation.unmet))") }
        if situation.isParked || situation.isShared, let lack = situation.lack { explain(lack) }
        explainQueue()
    }

    private mutating func explain(_ lack: JobSituation.Lack) {
        let (kind, queue) = (job.request.kind, job.request.queue)
        switch (lack, situation.isShared) {
        case (.handler, false):
            add(.parked, "this program has no handler for the kind \"\(kind)\"; it waits until there is one")
        case (.handler, true): add(.parked, "no node has a handler for the kind \"\(kind)\"; it waits until one has")
        case (.queue, false):
            add(.parked, "this program does not serve the queue \"\(queue)\"; it waits until a program does")
        case (.queue, true):
            let nodes = "no node with a handler for the kind \"\(kind)\""
            add(.parked, "\(nodes) serves the queue \"\(queue)\"; it waits until one does")
        }
    }

    private mutating func explainQueue() {
        guard let status = situation.queue else { return }
        let queue = status.queue
        if situation.isLeft {
            add(.queued, "many jobs like it are due before it, and the scheduler reads them from the store in parts")
        }
        if queue.isPaused { return add(.queuePaused, "the queue \"\(queue.id)\" is paused") }
        if let key = job.request.fairnessKey, let limit = queue.concurrencyPerKey,
            situation.keyRunningCount >= limit
        {
            add(.keyFull, "the key \"\(key)\" has reached the queue's limit of runs in progress for one key: \(limit)")
        } else if let limit = queue.concurrency, status.runningCount >= limit {
            add(.queueFull, "the queue \"\(queue.id)\" has reached its limit of runs in progress: \(limit)")
        } else if let rate = queue.rate, let delay = situation.rateDelay, delay > .zero {
            add(
                .queueRate, at: now.advanced(by: delay),
                "the queue \"\(queue.id)\" has reached its rate: \(rate.runs) in \(Self.text(rate.period))"
            )
        } else if let limit = situation.queuePlaces, status.runningCount >= limit {
            add(
                .noPlace,
                "the scheduler has reached its limit of runs in progress for the queue \"\(queue.id)\": \(limit)")
        } else if situation.places.taken >= situation.places.all {
            add(.noPlace, "the scheduler has reached its limit of runs in progress: \(situation.places.all)")
        } else {
            return
        }
        if status.waitingCount > 1 {
            add(.queued, "\(status.waitingCount) jobs of its queue wait for a place, including this one")
        }
    }

    private mutating func explainNextLook() {
        if let look = situation.nextLook ?? job.nextWake, look > now {
            add(.nextLook, at: look, "the scheduler examines the job again, unless something happens before")
        }
    }

    // MARK: Words

    /// Returns the duration as text, rounded to milliseconds.
    private static func text(_ duration: Duration) -> String {
        DurationText.format(.milliseconds((duration.wholeNanoseconds + 500_000) / 1_000_000))
    }

    private static func text(_ conditions: JobConditions) -> String {
        let names: [(JobConditions, String)] = [
            (.network, "a network"), (.externalPower, "external power"), (.idle, "an idle machine"),
        ]
        return names.filter { conditions.contains($0.0) }.map(\.1).joined(separator: ", ")
    }

    private static func attempts(_ retry: RetryPolicy) -> String {
        "the retry policy allows \(retry.maximumAttempts == 1 ? "one attempt" : "\(retry.maximumAttempts) attempts")"
    }
}

extension LoadedJob {
    /// Returns the number of the occurrence that is meant if the caller names none; `nil` if the job has no occurrence.
    ///
    /// It is the open occurrence with the earliest due instant, otherwise the next occurrence, otherwise the last one.
    /// Open runs by hand are considered only with `includesByHand`.
    func currentOccurrence(includingByHand includesByHand: Bool) -> Int? {
        let open = open.filter { includesByHand || !$0.isByHand }
        if let first = open.min(by: { ($0.due, $0.occurrence) < ($1.due, $1.occurrence) }) { return first.occurrence }
        if !job.state.isFinal { return job.nextOccurrence }
        return job.nextOccurrence > 1 ? job.nextOccurrence - 1 : nil
    }
}
