import ApusClient
import ApusJobs
import Hummingbird
import LoopbackWeb

/// The routes of lists of jobs, and of changes of many jobs.
extension Routes {
    func addLists(to api: APIRouter) {
        api.get("/v1/jobs", needs: .read) { request, context in
            var (query, parameters) = try jobQuery(request, and: ["newest", "lastRun", "limit", "after"])
            query.newestFirst = try flag(parameters, "newest")
            if parameters["lastRun"] != nil { query.includesLastRuns = try flag(parameters, "lastRun") }
            if let limit = try number(parameters, "limit", in: 1...1_000) { query.limit = limit }
            query.cursor = parameters["after"]
            return try await long.answer(context) { [query] _ in try Response.json(try await jobs.page(query)) }
        }
        api.get("/v1/job-count", needs: .read) { request, context in
            let query = try jobQuery(request).query
            return try await long.answer(context) { _ in
                try Response.json(WireCount(count: try await scheduler.count(query)))
            }
        }
        api.get("/v1/next", needs: .read) { request, context in
            let limit = try number(try Query(of: request, known: ["limit"]), "limit", in: 1...100) ?? 10
            return try await long.answer(context) { check in
                try Response.json(try await jobs.next(limit: limit, check: check))
            }
        }
        api.get("/v1/obstructed", needs: .read) { request, context in
            let parameters = try Query(of: request, known: ["limit", "after"])
            let limit = try number(parameters, "limit", in: 1...1_000) ?? 50
            let after = parameters["after"]
            guard after.map({ $0.utf8.first == UInt8(ascii: "z") || Int64($0).map { $0 >= 0 } ?? false }) ?? true else {
                throw WebError.invalid("after: must be the \"next\" of an earlier page of this list")
            }
            return try await long.answer(context) { check in
                try Response.json(try await jobs.obstructed(limit: limit, after: after, check: check))
            }
        }
    }

    /// Adds the routes that change all matching jobs.
    func addBulkChanges(to api: APIRouter) {
        api.delete("/v1/jobs", needs: .administer) { request, context in
            try await change(request, context, WireCancelled(cancelled: []), "cancel every job") { query, answer in
                let page = try await scheduler.cancelPage(query)
                answer.cancelled += page.changed.map(\.id.rawValue)
                answer.next = page.next
            }
        }
        api.post("/v1/failed/retry", needs: .administer) { request, context in
            try await change(request, context, WireRetried(runs: []), "retry every job that has failed") {
                query, answer in
                let page = try await scheduler.retryPage(query)
                answer.runs += page.changed.map { WireRun($0) }
                answer.next = page.next
            }
        }
        api.delete("/v1/ended", needs: .administer) { request, context in
            try await change(request, context, WireDeleted(deleted: 0), "delete every job that has ended") {
                query, answer in
                let page = try await scheduler.deletePage(query)
                answer.deleted += page.changed.count
                answer.next = page.next
            }
        }
    }

    /// Changes the jobs that a request selects, one page of them or all, and adds the results to the answer.
    private func change<Answer: ChangeAnswer>(
        _ request: Request, _ context: APIContext, _ start: Answer, _ deed: String,
        _ change: @escaping @Sendable (JobQuery, inout Answer) async throws -> Void
    ) async throws -> Response {
        var (query, parameters) = try jobQuery(request, and: ["all", "limit", "after"])
        // An empty variable in a script must not select all jobs.
        if query.idPrefixOrName?.isEmpty ?? false {
            throw WebError.invalid("match: must not be empty; give all=true to \(deed)")
        }
        guard try flag(parameters, "all") != (query != JobQuery()) else {
            throw WebError.invalid(
                "give either all=true to \(deed), or a filter: failed, fairnessKey, kind, label, match, queue, state")
        }
        let limit = try number(parameters, "limit", in: 1...1_000)
        (query.limit, query.cursor) = (limit ?? 1_000, parameters["after"])
        return try await long.answer(context) { [query] check in
            var (query, answer) = (query, start)
            repeat {
                try check()
                try await change(query, &answer)
                query.cursor = answer.next
            } while limit == nil && query.cursor != nil
            return try Response.json(answer)
        }
    }

    /// Adds the routes that list jobs that were set aside because they cannot be read, and submissions that were
    /// refused.
    func addLeftOut(to api: APIRouter) {
        api.get("/v1/unreadable", needs: .read) { request, context in
            let parameters = try Query(of: request, known: ["limit", "after"])
            let limit = try number(parameters, "limit", in: 1...1_000) ?? 50
            let after = try parameters["after"].map { text in
                guard let key = Int64(text), key >= 0 else {
                    throw WebError.invalid("after: must be the \"next\" of an earlier page of this list")
                }
                return key
            }
            return try await long.answer(context) { _ in
                let found = try await scheduler.unreadableJobs(after: after ?? 0, limit: limit + 1)
                return try Response.json(WireUnreadablePage(found, limit: limit))
            }
        }
        api.get("/v1/refusals", needs: .read) { request, context in
            let parameters = try Query(of: request, known: ["limit", "after"])
            let limit = try number(parameters, "limit", in: 1...1_000) ?? 50
            let after = parameters["after"]
            return try await long.answer(context) { _ in
                let (found, next) = try await BoundedPage.read(
                    limit: limit, after: after,
                    size: { (refused: RefusedSubmission) in
                        512 + refused.command.utf8.count + refused.refusal.message.utf8.count
                    },
                    piece: { limit, after in
                        let page = try await scheduler.refusals(limit: limit, cursor: after)
                        return (page.refusals, page.nextCursor)
                    })
                return try Response.json(WireRefusalPage(found, next: next))
            }
        }
    }

    /// Returns the query for the jobs that a request selects, and the parameters of the request.
    ///
    /// `others` contains the names of the parameters that only the calling route knows.
    private func jobQuery(
        _ request: Request, and others: [String] = []
    ) throws -> (query: JobQuery, parameters: Query) {
        let parameters = try Query(
            of: request, known: ["match", "failed"] + Self.filterParameters.known + others,
            repeatable: ["state"] + Self.filterParameters.repeatable)
        var query = try jobQuery(parameters)
        query.idPrefixOrName = parameters["match"]
        for state in parameters.all("state") {
            guard let state = JobState(rawValue: state) else {
                throw WebError.invalid(
                    "state: \"\(state)\" is not one of \(JobState.allCases.map(\.rawValue).joined(separator: ", "))"
                )
            }
            query.states.insert(state)
        }
        if try flag(parameters, "failed") { query.lastEnded = [.failed, .lost] }
        return (query, parameters)
    }

    /// The parameters that select jobs, in requests for jobs and in requests for runs.
    static let filterParameters = (known: ["kind"], repeatable: ["label", "queue", "fairnessKey"])

    /// Returns the query of the parameters in ``filterParameters``.
    func jobQuery(_ parameters: Query) throws -> JobQuery {
        var query = JobQuery(
            kind: try parameters["kind"].map { try ActionKind(named: $0).rawValue },
            fairnessKeys: Set(parameters.all("fairnessKey")), labels: try labels(parameters))
        for name in parameters.all("queue") {
            let queue = QueueID(name)
            try queue.validate()
            query.queues.insert(queue)
        }
        return query
    }

    func labels(_ parameters: Query) throws -> [String: String] {
        var labels: [String: String] = [:]
        for label in parameters.all("label") {
            let scalars = label.unicodeScalars
            guard let separator = scalars.firstIndex(of: "="), separator != scalars.startIndex else {
                throw WebError.invalid("label: \"\(label)\" is not KEY=VALUE, such as team=web")
            }
            let key = String(scalars[..<separator])
            guard labels.updateValue(String(scalars[scalars.index(after: separator)...]), forKey: key) == nil else {
                throw WebError.invalid("label: \"\(key)\" is given twice; a job has each label once")
            }
        }
        return labels
    }
}

/// The answer to a change of all matching jobs, which grows with each page.
private protocol ChangeAnswer: Encodable, Sendable {
    /// The position of the next page.
    var next: String? { get }
}

extension WireCancelled: ChangeAnswer {}
extension WireRetried: ChangeAnswer {}
extension WireDeleted: ChangeAnswer {}
