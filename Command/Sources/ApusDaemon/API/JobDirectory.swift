import ApusClient
import ApusJobs
import ApusTimers
import LoopbackWeb

/// Finds jobs by what people type, and makes jobs of what they ask for.
struct JobDirectory: Sendable {
    var scheduler: JobScheduler
    var random: any RandomSource
    let imports = Turnstile()

    /// The job that `text` means: that with the whole identifier; else with the name; else the job of which just one
    /// identifier begins so. Among several of a name, the job that has not ended, or the latest of those that have.
    /// Throws ``JobError`` with `notFound`, or `ambiguous` with the candidates.
    func resolve(_ text: String) async throws -> JobID {
        guard !text.isEmpty else {
            throw JobError(
                code: .invalid, message: "id: must not be empty; give an identifier, the beginning of one, or a name")
        }
        if let exact = try await scheduler.job(JobID(text)) { return exact.id }
        let isOpen: Set<JobState> = [.scheduled, .suspended]
        for query in [
            JobQuery(names: [text], states: isOpen, includesLastRuns: false, limit: 6),
            JobQuery(names: [text], newestFirst: true, includesLastRuns: false, limit: 1),
            JobQuery(idPrefixOrName: text, states: isOpen, includesLastRuns: false, limit: 6),
            JobQuery(idPrefixOrName: text, includesLastRuns: false, limit: 6),
        ] {
            let found = try await scheduler.jobs(query).jobs
            if found.count == 1 { return found[0].id }
            if found.count > 1 { throw ambiguous(text, found) }
        }
        throw JobError(code: .notFound, message: "there is no job \"\(text)\"; `apus list --all` shows all of them")
    }

    private func ambiguous(_ text: String, _ jobs: [Job]) -> JobError {
        let shown = jobs.prefix(5).map { job in job.request.name.map { "\(job.id) (\($0))" } ?? "\(job.id)" }
        return JobError(
            code: .ambiguous,
            message:
                "\"\(text)\" can mean \(shown.joined(separator: ", "))\(jobs.count > 5 ? " and others" : ""): type more of the identifier"
        )
    }

    /// The job with its last run, as in a list (``JobPage/lastRuns``).
    func shown(_ text: String) async throws -> WireJob {
        let id = try await resolve(text)
        guard let job = try await scheduler.job(id) else {
            throw JobError(code: .notFound, message: "there is no job \"\(text)\"")
        }
        for query in [
            RunQuery(jobID: id, states: [.running], limit: 1), RunQuery(jobID: id, begunOnly: true, limit: 1),
            RunQuery(jobID: id, states: [.skipped, .cancelled], limit: 1),
        ] {
            if let run = try await scheduler.runs(query).runs.first { return wire(job, lastRun: run) }
        }
        return wire(job)
    }

    /// What the last attempt that has ended printed, or that of one occurrence.
    func output(_ id: JobID, occurrence: Int?) async throws -> [UInt8] {
        let query = RunQuery(
            jobID: id, occurrence: occurrence, states: [.succeeded, .failed, .lost, .cancelled],
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

    /// Submits a job for a caller who may.
    /// - Returns: the job, and what the submission did.
    func submit(_ submission: WireSubmission, by caller: Caller?) async throws -> SubmissionResult {
        var request = try submission.request(at: scheduler.now, in: scheduler.timeZones)
        let conflict = try submission.conflict.map(PolicyText.conflict)
        guard conflict == nil || submission.name != nil || submission.unique != nil else {
            throw DaemonError(
                .invalid, "conflict: give a name, or unique, which say what counts as the same job")
        }
        request.conflict = request.uniqueness.countsContent ? conflict ?? .keep : .refuse
        try Right.check(caller, request)
        try await checkRight(of: caller, toMeet: &request)
        guard let conflict, let name = submission.name else { return try await submitNew(request) }
        return try await submit(request, named: name, conflict, by: caller)
    }

    /// A job with the same key may do something else. A page's submission changes none that the page may not change, also
    /// if that job is submitted after this check.
    private func checkRight(of caller: Caller?, toMeet request: inout JobRequest) async throws {
        guard caller != .script, request.conflict != .keep, let key = request.uniqueness.key else { return }
        let met = try await scheduler.jobs([.unique(kind: request.kind, .key(key), submittedAfter: nil)])[0]
        if let met { try Right.check(caller, met.request) }
        request.terms.replaces = JobContent(met?.request ?? request)
    }

    /// Changes what a job is asked to do, for a caller who may.
    func change(_ id: JobID, _ change: WireJobChange, by caller: Caller?) async throws -> Job {
        try await scheduler.update(id) { request in
            try Right.check(caller, request)
            request = try change.applied(to: request, at: scheduler.now, in: scheduler.timeZones)
            try Right.check(caller, request)
        }
    }

    /// Submits a job of a new identifier: six characters, the first of them a letter, which are 22 · 30⁵ = 535 million
    /// identifiers. Where one is taken, the next try is longer.
    private func submitNew(_ request: JobRequest) async throws -> SubmissionResult {
        var request = request
        var length = 6
        while true {
            request.id = try await unusedID(length: length, named: request.name)
            do {
                // Another policy would take the job that happens to have the identifier for the same one.
                if request.conflict != .refuse, try await isOpen(request.id) {
                    throw JobError(code: .alreadyExists, message: "\(request.id): there is such a job")
                }
                return try await scheduler.submit(request)
            } catch let error as JobError where error.code == .alreadyExists && length < 12 {
                if request.terms.requiresFreeName, !(try await openJobs(named: request.name ?? "").isEmpty) {
                    throw error
                }
                length += 1
            }
        }
    }

    /// An identifier that does not begin with the name of a job: to people, the name means that job. Where jobs have so
    /// many short names that none is found, it may.
    private func unusedID(length: Int, named name: String?) async throws -> JobID {
        var id = randomID(length: length)
        for _ in 0..<16 {
            let beginnings = Set(id.rawValue.indices.map { String(id.rawValue[...$0]) })
            let isName = name.map(beginnings.contains) ?? false
            if !isName, try await scheduler.jobs(JobQuery(names: beginnings, limit: 1)).jobs.isEmpty { break }
            id = randomID(length: length)
        }
        return id
    }

    private func isOpen(_ id: JobID) async throws -> Bool {
        try await scheduler.job(id).map { !$0.state.isFinal } ?? false
    }

    /// Submits a job in the place of the open one with that name, if there is one.
    private func submit(
        _ request: JobRequest, named name: String, _ conflict: ConflictPolicy, by caller: Caller?
    ) async throws -> SubmissionResult {
        var attempts = 0
        while true {
            let same = try await openJobs(named: name)
            guard same.count <= 1 else {
                throw JobError(
                    code: .ambiguous,
                    message:
                        "name: \"\(name)\" is the name of several open jobs, \(same.map(\.id.rawValue).joined(separator: ", ")): "
                        + "cancel all but one of them, or give another name")
            }
            var request = request
            request.terms.requiresFreeName = true
            do {
                guard let old = same.first else { return try await submitNew(request) }
                if conflict != .keep { try Right.check(caller, old.request) }
                if caller != .script { request.terms.replaces = JobContent(old.request) }
                (request.id, request.conflict) = (old.id, conflict)
                return try await scheduler.submit(request)
            } catch let error as JobError where [.alreadyExists, .conflict].contains(error.code) && conflict != .refuse
            {
                // Another submission was first, here or on another node: its job counts.
                attempts += 1
                if attempts == 8 { throw error }
            }
        }
    }

    private func openJobs(named name: String) async throws -> [Job] {
        let query = JobQuery(
            names: [name], states: [.scheduled, .suspended], includesLastRuns: false, limit: 6)
        return try await scheduler.jobs(query).jobs
    }

    /// Letters and digits that are not mistaken for one another; a letter first, so that an identifier is never a number.
    private static let letters: [Character] = Array("abcdefghjkmnpqrstvwxyz")
    private static let characters: [Character] = letters + Array("23456789")

    func randomID(length: Int) -> JobID {
        var bits = random.next()
        func pick(_ characters: [Character]) -> Character {
            defer { bits /= UInt64(characters.count) }
            return characters[Int(bits % UInt64(characters.count))]
        }
        return JobID(String([pick(Self.letters)] + (1..<length).map { _ in pick(Self.characters) }))
    }
}
