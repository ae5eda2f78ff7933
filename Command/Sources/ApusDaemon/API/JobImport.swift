import ApusClient
import ApusJobs
import ApusTimers
import CApus
import Hummingbird
import LoopbackWeb
import NIOCore

extension Routes {
    func addImport(to api: APIRouter) {
        api.post("/v1/import", needs: .administer) { request, _ in
            _ = try Query(of: request, known: [])
            // Nothing else in the daemon needs so much memory for a moment.
            defer { capus_release_freed_memory() }
            return try Response.json(try await jobs.imported(try await decoded(request)))
        }
    }

    private func decoded(_ request: Request) async throws -> WireImport {
        let body: ByteBuffer
        do { body = try await request.body.collect(upTo: WireImport.mostBytes) } catch is NIOTooManyBytesError {
            throw WebError.tooLarge(mostBytes: WireImport.mostBytes)
        }
        return try StrictJSON.decode(WireImport.self, from: body.readableBytesView)
    }
}

extension JobDirectory {
    /// Imports all of the jobs, or none.
    ///
    /// There are two exceptions for a crontab: changes of existing jobs in a shared store, and the cancellations of
    /// `prune`, are made one after another once the new jobs are stored. A failure may leave some of them undone.
    ///
    /// Only one import runs at a time, because two imports that both find no job would each create it.
    func imported(_ wanted: WireImport) async throws -> WireImported {
        guard wanted.crontab != nil || wanted.prune == nil else {
            throw DaemonError(.invalid, "prune: can only be given with crontab; leave it out")
        }
        return try await imports.pass {
            guard let crontab = wanted.crontab else { return try await restored(wanted) }
            var attempts = 0
            while true {
                do { return try await merged(wanted, from: crontab) } catch let error as JobError
                    where error.code == .alreadyExists
                {
                    // Another node has imported the crontab in the meantime. The next attempt finds its jobs.
                    attempts += 1
                    if attempts == 8 { throw error }
                }
            }
        }
    }

    private static func at<Value>(_ index: Int, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as JobError {
            throw JobError(code: error.code, message: "jobs[\(index)]: \(error.message)")
        } catch let error as DaemonError {
            throw DaemonError(error.code, "jobs[\(index)]: \(error.message)")
        } catch { throw DaemonError(.invalid, "jobs[\(index)]: \(error)") }
    }

    // MARK: Exported jobs

    private func restored(_ wanted: WireImport) async throws -> WireImported {
        let (now, zones) = (scheduler.now, scheduler.timeZones)
        var answer = WireImported(jobs: [], gone: [])
        var new: [JobRestoration] = []
        var positions: [Int] = []
        var (taken, keys): (Set<JobID>, Set<String>) = ([], [])
        for page in stride(from: 0, to: wanted.jobs.count, by: 500) {
            let exported = wanted.jobs[page..<min(page + 500, wanted.jobs.count)]
            var restorations: [JobRestoration] = []
            for (index, job) in zip(exported.indices, exported) {
                restorations.append(
                    try Self.at(index) {
                        try job.restoration(as: JobID(job.record?.id ?? ""), at: now, in: zones)
                    })
            }
            let references = zip(exported, restorations).map { Self.references(to: $0, $1.request) }
            let found = try await scheduler.jobs(references.flatMap { $0 })
            var start = 0
            for (position, var restoration) in restorations.enumerated() {
                let (job, own) = (exported[page + position], references[position])
                let there = found[start..<start + own.count]
                let known = zip(own, there).filter { Self.means($0, $1, job, restoration.request) }
                    .compactMap { $1 }
                let hasIdentifier = found[start].map { !$0.state.isFinal } ?? false
                start += own.count
                if let key = job.submission.idempotencyKey, !keys.insert(key).inserted {
                    throw DaemonError(
                        .invalid, "jobs[\(page + position)]: idempotencyKey: another job of the import has it too")
                }
                if restoration.request.uniqueness.key != nil, let other = there.last ?? nil,
                    !known.contains(where: { $0.key == other.key })
                {
                    throw DaemonError(
                        .invalid,
                        "jobs[\(page + position)]: unique.key: the open job \(other.id) has this key, and does something else"
                    )
                }
                // A cancelled job is created again, because the file contains a copy of it.
                if let same = known.first(where: { !$0.state.isFinal }) ?? known.first(where: { $0.state == .finished })
                {
                    answer.jobs.append(.init(outcome: .unchanged, id: same.id.rawValue))
                    continue
                }
                if there.contains(where: { $0?.request.idempotencyKey == restoration.request.idempotencyKey }) {
                    restoration.request.idempotencyKey = nil
                }
                if job.record == nil || hasIdentifier || taken.contains(restoration.request.id) {
                    restoration.request.id = try await freeID(besides: taken)
                }
                taken.insert(restoration.request.id)
                let ends = try Self.at(page + position) {
                    try JobMachine.restored(restoration, now: now, in: zones).machine.job.state.isFinal
                }
                positions.append(answer.jobs.count)
                answer.jobs.append(.init(outcome: ends ? .ended : .created, id: nil))
                new.append(restoration)
            }
        }
        if wanted.dryRun == true { return answer }
        for (position, job) in zip(positions, try await scheduler.restore(new)) {
            answer.jobs[position].id = job.id.rawValue
        }
        return answer
    }

    /// Returns references to the existing jobs that may be the exported job; the reference by its identifier is the
    /// first.
    private static func references(to job: WireExportedJob, _ request: JobRequest) -> [JobReference] {
        let keys = Set([request.idempotencyKey, job.record?.idempotencyKey].compactMap { $0 })
        var references: [JobReference] = [.id(request.id)]
        if let key = request.idempotencyKey, let origin = Self.origin(key) { references.append(.id(origin.id)) }
        references += keys.sorted().map { .idempotencyKey($0) }
        if let content = request.uniqueContent {
            references.append(.unique(kind: request.kind, content, submittedAfter: nil))
        }
        return references
    }

    /// Returns whether a job that was found is the exported one.
    ///
    /// A job with the same identifier is the exported one only if it was also submitted at the same instant, because
    /// another job may have taken the identifier since. The same holds for an idempotency key that a user gave. A job
    /// with the same uniqueness key is the exported one if it has the same payload.
    private static func means(
        _ reference: JobReference, _ found: Job?, _ job: WireExportedJob, _ request: JobRequest
    ) -> Bool {
        guard let found else { return false }
        let created = found.created.iso8601
        switch reference {
        case .id(let id):
            if let record = job.record, (record.id, record.created) == (id.rawValue, created) { return true }
            return job.submission.idempotencyKey.flatMap(Self.origin).map { $0 == (id, created) } ?? false
        case .idempotencyKey(let key):
            return job.record.map { $0.created == created } ?? true || Self.origin(key) != nil
        case .unique(_, .key, _): return found.request.payload == request.payload
        case .key, .unique: return true
        }
    }

    /// Returns the identifier and the creation instant that an idempotency key contains; `nil` if it was not made for
    /// an export.
    private static func origin(_ key: String) -> (id: JobID, created: String)? {
        let words = key.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        return words.count == 3 && words[0] == "export" ? (JobID(words[1]), words[2]) : nil
    }

    private func freeID(besides taken: Set<JobID>) async throws -> JobID {
        var length = 6
        while true {
            let id = randomID(length: length)
            if !taken.contains(id), try await scheduler.job(id) == nil { return id }
            length = min(length + 1, 12)
        }
    }

    // MARK: Lines of a crontab

    /// Imports the lines of a crontab.
    ///
    /// Each line is matched with an earlier job of this crontab that has the same schedule, command and policies. The
    /// lines that are left are matched with the remaining jobs that have the same command. Any other line becomes a new
    /// job.
    private func merged(_ wanted: WireImport, from crontab: String) async throws -> WireImported {
        let (now, zones) = (scheduler.now, scheduler.timeZones)
        let label = ["crontab": crontab]
        var requests: [JobRequest] = []
        for (index, job) in wanted.jobs.enumerated() {
            guard job.record == nil, !job.suspended else {
                throw DaemonError(.invalid, "jobs[\(index)]: a line of a crontab has no record and is not suspended")
            }
            var line = job
            line.submission.labels = (job.submission.labels ?? [:]).merging(label) { $1 }
            requests.append(
                try Self.at(index) {
                    let request = try line.restoration(as: JobID("new"), at: now, in: zones).request
                    _ = try JobMachine.submitted(request, now: now, in: zones)
                    return request
                })
        }
        var left = try await openJobs(JobQuery(states: [.scheduled, .suspended], labels: label, limit: 500))
        let known = LabelledJobs(label: "crontab", value: crontab, keys: Set(left.map(\.key)))
        var earlier = [Job?](repeating: nil, count: requests.count)
        for isSame in [Self.isSame, Self.hasSameCommand] {
            for index in requests.indices where earlier[index] == nil {
                guard let found = left.firstIndex(where: { isSame(requests[index], $0.request) }) else { continue }
                earlier[index] = left.remove(at: found)
            }
        }
        var answer = WireImported(jobs: [], gone: left.map { wire($0) })
        var (new, changes): ([JobRequest], [JobRequest]) = ([], [])
        for (request, job) in zip(requests, earlier) {
            guard let job else {
                var request = request
                request.id = try await freeID(besides: Set(new.map(\.id)))
                request.terms.onlyBeside = known
                new.append(request)
                answer.jobs.append(.init(outcome: .created, id: wanted.dryRun == true ? nil : request.id.rawValue))
                continue
            }
            let same = Self.isSame(request, job.request)
            if !same { changes.append(Self.job(job.request, of: request)) }
            answer.jobs.append(.init(outcome: same ? .unchanged : .changed, id: job.id.rawValue))
        }
        if wanted.dryRun == true { return answer }
        // In a shared store, a job of another scheduler can only be changed by a submission that contains nothing else.
        // If the store fails between two changes, a repeated import makes the remaining changes.
        _ = try await scheduler.submit(scheduler.isStoreShared ? new : new + changes)
        if scheduler.isStoreShared { for change in changes { try await scheduler.submit(change) } }
        if wanted.prune == true { for job in left { try await scheduler.cancel(job.id) } }
        return answer
    }

    private func openJobs(_ query: JobQuery) async throws -> [Job] {
        var jobs: [Job] = []
        for try await page in scheduler.pages(of: query) { jobs += page.jobs }
        return jobs
    }

    /// Returns a job with the schedule, the command and the policies of its line, and otherwise unchanged.
    private static func job(_ job: JobRequest, of line: JobRequest) -> JobRequest {
        var job = job
        (job.trigger, job.payload, job.conflict, job.idempotencyKey) = (line.trigger, line.payload, .update, nil)
        (job.policies.missedRuns, job.policies.overlap) = (line.policies.missedRuns, line.policies.overlap)
        return job
    }

    private static func isSame(_ line: JobRequest, _ job: JobRequest) -> Bool {
        WireTrigger(line.trigger) == WireTrigger(job.trigger) && action(line) == action(job)
            && line.policies.missedRuns == job.policies.missedRuns && line.policies.overlap == job.policies.overlap
    }

    private static func hasSameCommand(_ line: JobRequest, _ job: JobRequest) -> Bool {
        action(line)?.command?.argv == action(job)?.command?.argv
    }

    private static func action(_ request: JobRequest) -> Action? { try? LenientJSON.decode(from: request.payload) }
}
