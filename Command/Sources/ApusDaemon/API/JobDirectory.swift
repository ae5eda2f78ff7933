import ApusClient
import ApusJobs
import ApusTimers
import LoopbackWeb

/// Finds jobs by the texts that users type, and makes jobs from submissions.
struct JobDirectory: Sendable {
    var scheduler: JobScheduler
    var random: any RandomSource
    let imports = Turnstile()

    /// Returns the job that a text refers to.
    ///
    /// It is the first of these that exists: the job with that identifier, the open job with that name, the latest
    /// ended job with that name, the only open job whose identifier begins with the text, and the only job of any state
    /// whose identifier begins with the text.
    ///
    /// - Throws: ``JobError`` with `notFound`, with `ambiguous` and the candidates, or with `invalid` for an empty
    ///   text.
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

    /// Returns a job with its last run, in the form in which lists show it (``JobPage/lastRuns``).
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

    /// Returns the output of the last ended attempt of a job, or of one occurrence; empty if no attempt has ended.
    func output(_ id: JobID, occurrence: Int?) async throws -> [UInt8] {
        let query = RunQuery(
            jobID: id, occurrence: occurrence, states: [.succeeded, .failed, .lost, .cancelled],
            begunOnly: true, limit: 1)
        return try await scheduler.runs(query).runs.first?.output ?? []
    }

    /// Returns the wire form of a job, with the state that only the scheduler knows.
    ///
    /// `action` is the job's action if it is known already; otherwise it is decoded from the payload.
    func wire(_ job: Job, action: Action? = nil, lastRun: Run? = nil) -> WireJob {
        WireJob(
            job, action: action, lastRun: lastRun, waitingFor: scheduler.awaitedConditions(job.id),
            parked: scheduler.isParked(job.id))
    }

    /// Submits a job if the caller is allowed to.
    ///
    /// - Returns: the job, and the effect of the submission.
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

    /// Checks that a caller may change the open job with the same uniqueness key, if there is one.
    ///
    /// The request would change or replace that job, whose action may differ from the request's. A page in a browser
    /// may change only jobs that show texts. Its submission is therefore bound to the content of the job that is
    /// checked here, and is refused if another job has been submitted in the meantime.
    private func checkRight(of caller: Caller?, toMeet request: inout JobRequest) async throws {
        guard caller != .script, request.conflict != .keep, let key = request.uniqueness.key else { return }
        let met = try await scheduler.jobs([.unique(kind: request.kind, .key(key), submittedAfter: nil)])[0]
        if let met { try Right.check(caller, met.request) }
        request.terms.replaces = JobContent(met?.request ?? request)
    }

    /// Changes the definition of a job if the caller is allowed to.
    func change(_ id: JobID, _ change: WireJobChange, by caller: Caller?) async throws -> Job {
        try await scheduler.update(id) { request in
            try Right.check(caller, request)
            request = try change.applied(to: request, at: scheduler.now, in: scheduler.timeZones)
            try Right.check(caller, request)
        }
    }

    /// Submits a job with a new identifier.
    ///
    /// The identifier has six characters, the first of them a letter, so there are 22 · 30⁵ = 535 million identifiers.
    /// If the identifier is taken, the next one is longer.
    private func submitNew(_ request: JobRequest) async throws -> SubmissionResult {
        var request = request
        var length = 6
        while true {
            request.id = try await unusedID(length: length, named: request.name)
            do {
                // Only the policy `refuse` makes the scheduler refuse a taken identifier. With another policy, the open
                // job that happens to have the identifier would count as the same as the new one.
                if request.conflict != .refuse, try await isOpen(request.id) {
                    throw JobError(code: .alreadyExists, message: "\(request.id): a job has this identifier already")
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

    /// Returns a random identifier that does not begin with the name of a job.
    ///
    /// A user can type the beginning of an identifier in place of the whole, but a name always refers to the job that
    /// has it. If jobs have so many short names that several attempts fail, the identifier may begin with one.
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

    /// Submits a job in place of the open job with that name, if there is one.
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
                // Another submission has come first, here or on another node. The next attempt finds the job of that
                // submission.
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

    /// The letters that cannot be mistaken for another letter or a digit.
    ///
    /// An identifier begins with one of them, so that it is never a number.
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
