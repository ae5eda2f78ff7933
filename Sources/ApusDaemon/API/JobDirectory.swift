import ApusJobs
import ApusTimers
import LoopbackWeb

/// Finds jobs by what people type, and makes jobs of what they ask for.
struct JobDirectory: Sendable {
    var scheduler: JobScheduler
    var random: any RandomSource
    /// Submissions that look for a job of their name pass one at a time: of two that find none, each would make one.
    private let named = Turnstile()

    init(scheduler: JobScheduler, random: any RandomSource) {
        self.scheduler = scheduler
        self.random = random
    }

    /// The job that `text` means: its identifier, the beginning of just one identifier, or a name. Among several,
    /// the job that has not ended. Throws ``JobError`` with `notFound`, or `ambiguous` with the candidates.
    func resolve(_ text: String) async throws -> JobID {
        guard !text.isEmpty else {
            throw JobError(.invalid, "id: must not be empty; give an identifier, the beginning of one, or a name")
        }
        if let exact = try await scheduler.job(JobID(text)) { return exact.job.id }
        let candidates = try await scheduler.jobs(
            JobQuery(idPrefixOrName: text, states: [.scheduled, .suspended], limit: 6)
        ).jobs
        switch candidates.count {
        case 1:
            return candidates[0].id
        case 0:
            // The latest of the ended ones: of a name that is used repeatedly, people mean that.
            let ended = try await scheduler.jobs(
                JobQuery(idPrefixOrName: text, states: [.cancelled, .finished], limit: 1_000)
            ).jobs
            let named = ended.filter { $0.request.name == text }
            if let latest = named.max(by: { $0.key < $1.key }) { return latest.id }
            if ended.count == 1 { return ended[0].id }
            if ended.isEmpty {
                throw JobError(.notFound, "there is no job \"\(text)\"; `apus list --all` shows all of them")
            }
            throw ambiguous(text, ended)
        default:
            throw ambiguous(text, candidates)
        }
    }

    private func ambiguous(_ text: String, _ jobs: [Job]) -> JobError {
        let shown = jobs.prefix(5).map { job in job.request.name.map { "\(job.id) (\($0))" } ?? "\(job.id)" }
        return JobError(
            .ambiguous,
            "\"\(text)\" can mean \(shown.joined(separator: ", "))\(jobs.count > 5 ? " and others" : ""): type more of the identifier"
        )
    }

    /// The job with its last run, as in a list (``JobPage/lastRuns``).
    func shown(_ text: String) async throws -> WireJob {
        let id = try await resolve(text)
        guard let loaded = try await scheduler.job(id) else { throw JobError(.notFound, "there is no job \"\(text)\"") }
        for query in [
            RunQuery(job: id, states: [.claimed], limit: 1), RunQuery(job: id, begunOnly: true, limit: 1),
            RunQuery(job: id, states: [.skipped, .cancelled], limit: 1),
        ] {
            if let run = try await scheduler.runs(query).runs.first { return wire(loaded.job, lastRun: run) }
        }
        return wire(loaded.job)
    }

    /// What the last attempt that has ended printed, or that of one occurrence.
    func output(_ id: JobID, occurrence: Int?) async throws -> [UInt8] {
        let query = RunQuery(
            job: id, occurrence: occurrence, states: [.succeeded, .failed, .lost, .cancelled],
            begunOnly: true, limit: 1)
        return try await scheduler.runs(query).runs.first?.output ?? []
    }

    /// The job with what only the scheduler knows. `action` is what it does, if that is known already; else it is read
    /// from the job's payload.
    func wire(_ job: Job, action: Action? = nil, lastRun: Run? = nil) -> WireJob {
        WireJob(
            job, action: action, lastRun: lastRun, waitingFor: scheduler.awaitedConditions(job.id),
            parked: scheduler.isParked(job.id))
    }

    /// Cancels the jobs that have not ended; with labels, those that have all of them.
    func cancelAll(labels: [String: String]) async throws -> [JobID] {
        var cancelled: [JobID] = []
        while true {
            let page = try await scheduler.jobs(
                JobQuery(states: [.scheduled, .suspended], labels: labels, limit: 500)
            ).jobs
            guard !page.isEmpty else { return cancelled }
            for job in page {
                _ = try await scheduler.cancel(job.id)
                cancelled.append(job.id)
            }
        }
    }

    /// What is to come of the jobs that are scheduled, at most `perJob` occurrences of each.
    func upcoming(after: WallInstant, until: WallInstant, perJob limit: Int) async throws -> WireUpcoming {
        var found: [(due: WallInstant, occurrence: WireUpcoming.Occurrence)] = []
        var truncated: [String] = []
        var query = JobQuery(states: [.scheduled], limit: 500)
        repeat {
            let page = try await scheduler.jobs(query)
            for job in page.jobs {
                let next = scheduler.upcoming(job, after: after, through: until, limit: limit + 1)
                if next.count > limit { truncated.append(job.id.rawValue) }
                found += next.prefix(limit).map { due, note in
                    let occurrence = WireUpcoming.Occurrence(
                        job: job.id.rawValue, name: job.request.name, due: TimeText.iso8601(due),
                        note: note?.description)
                    return (due, occurrence)
                }
            }
            query.after = page.next
        } while query.after != nil
        found.sort { ($0.due, $0.occurrence.job) < ($1.due, $1.occurrence.job) }
        return WireUpcoming(occurrences: found.map(\.occurrence), truncated: truncated)
    }

    /// Submits a job.
    /// - Returns: the job, and whether it is new. One that was updated or kept is not, and neither is the job of an earlier
    ///   submission with the same idempotency key.
    func submit(_ submission: WireSubmission) async throws -> (job: Job, isNew: Bool) {
        let kind = try submission.kind.map { try ActionKind(named: $0) } ?? .action
        try SubmissionCheck.check(submission, kind: kind)
        let conflict = try submission.conflict.map(PolicyText.conflict)
        guard conflict == nil || submission.name != nil || submission.unique != nil else {
            throw DaemonError(
                .invalid, "conflict: give a name, or unique, which say what counts as the same job")
        }
        var request = JobRequest(
            id: JobID(""),
            name: submission.name,
            kind: kind.rawValue,
            trigger: try submission.trigger.parsed(at: scheduler.now, in: scheduler.timeZones),
            policies: try submission.policies?.parsed() ?? .init(),
            labels: submission.labels ?? [:],
            // With sorted names: the same submission has the same payload.
            payload: try JSONText.bytes(of: submission.action),
            queue: submission.queue.map { QueueID($0) } ?? .default,
            priority: try submission.priority.map(PolicyText.priority) ?? .normal,
            uniqueness: try submission.unique?.parsed() ?? .identifier,
            idempotencyKey: submission.idempotencyKey)
        request.conflict = request.uniqueness.countsPayload ? conflict ?? .keep : .refuse
        guard let conflict, let name = submission.name else { return try await submitNew(request) }
        return try await named.pass { [request] in try await submit(request, named: name, conflict) }
    }

    /// Changes what a job is asked to do.
    func change(_ id: JobID, _ change: WireJobChange) async throws -> Job {
        try await scheduler.update(id) { request in
            request = try change.applied(to: request, at: scheduler.now, in: scheduler.timeZones)
        }
    }

    /// Submits a job of a new identifier: six characters, the first of them a letter, which are 22 · 30⁵ = 535 million
    /// identifiers. Where one is taken, the next try is longer.
    private func submitNew(_ request: JobRequest) async throws -> (job: Job, isNew: Bool) {
        var request = request
        var length = 6
        while true {
            request.id = randomID(length: length)
            do {
                // Another policy would take the job that happens to have the identifier for the same one.
                if request.conflict != .refuse, try await isOpen(request.id) {
                    throw JobError(.alreadyExists, "\(request.id): there is such a job")
                }
                let job = try await scheduler.submit(request)
                return (job, isNew: job.id == request.id)
            } catch let error as JobError where error.code == .alreadyExists && length < 12 {
                length += 1
            }
        }
    }

    private func isOpen(_ id: JobID) async throws -> Bool {
        try await scheduler.job(id).map { !$0.job.state.isFinal } ?? false
    }

    /// Submits a job in the place of the open one with that name, if there is one.
    private func submit(
        _ request: JobRequest, named name: String, _ conflict: ConflictPolicy
    ) async throws -> (job: Job, isNew: Bool) {
        let same = try await openJobs(named: name)
        guard same.count <= 1 else {
            throw JobError(
                .ambiguous,
                "name: \"\(name)\" is the name of several open jobs, \(same.map(\.id.rawValue).joined(separator: ", ")): "
                    + "cancel all but one of them, or give another name")
        }
        guard let old = same.first else { return try await submitNew(request) }
        var request = request
        (request.id, request.conflict) = (old.id, conflict)
        let job = try await scheduler.submit(request)
        return (job, isNew: job.key != old.key)
    }

    private func openJobs(named name: String) async throws -> [Job] {
        var query = JobQuery(idPrefixOrName: name, states: [.scheduled, .suspended], limit: 1_000)
        var named: [Job] = []
        repeat {
            let page = try await scheduler.jobs(query)
            named += page.jobs.filter { $0.request.name == name }
            query.after = page.next
        } while query.after != nil
        return named
    }

    /// Letters and digits that are not mistaken for one another; a letter first, so that an identifier is never a number.
    private static let letters: [Character] = Array("abcdefghjkmnpqrstvwxyz")
    private static let characters: [Character] = letters + Array("23456789")

    private func randomID(length: Int) -> JobID {
        var bits = random.next()
        func pick(_ characters: [Character]) -> Character {
            defer { bits /= UInt64(characters.count) }
            return characters[Int(bits % UInt64(characters.count))]
        }
        return JobID(String([pick(Self.letters)] + (1..<length).map { _ in pick(Self.characters) }))
    }
}
