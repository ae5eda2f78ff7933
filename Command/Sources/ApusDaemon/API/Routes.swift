import ApusClient
import ApusJobs
import ApusTimers
import HTTPTypes
import Hummingbird
import LoopbackWeb
import NIOCore
import PlatformC

/// The HTTP API, which is the same on the socket and on the HTTP listener.
///
/// `openapi.yaml` describes it.
struct Routes: Sendable {
    var scheduler: JobScheduler
    var jobs: JobDirectory
    var events: EventFeeds
    var home: Home
    var identity: HomeIdentity
    var store: StoreLocation
    /// The daemon's name.
    var node: NodeID
    var nodes: NodeDirectory
    var queues: QueueDirectory
    var metrics: PrometheusRegistry
    let long = LongRequests()
    var started: WallInstant
    var running: @Sendable () -> Int
    /// Asks the daemon to stop.
    var stop: @Sendable () -> Void

    func onSocket() -> Router<APIContext> {
        let router = router(guardedBy: PeerCheck(), feed: events.socket)
        router.refuseOtherMethods()
        return router
    }

    /// Returns a router with the routes of the API for one listener; the caller may add others to it.
    func router(
        guardedBy check: any MiddlewareProtocol<Request, Response, APIContext>, feed: EventFeed
    ) -> Router<APIContext> {
        let router = Router(context: APIContext.self)
        router.add(middleware: ErrorAnswers(explain: ErrorMeaning.answer))
        router.add(middleware: check)
        router.add(middleware: HomeCheck(home: home, identity: identity))
        router.add(middleware: BodyBound(others: ["/v1/import": WireImport.mostBytes]))
        let api = APIRouter(router: router)
        api.get("/v1/health", needs: .read) { request, _ in
            _ = try Query(of: request, known: [])
            return try Response.json(health())
        }
        api.post("/v1/stop", needs: .administer) { request, _ in
            _ = try Query(of: request, known: [])
            stop()
            return Response(status: .accepted)
        }
        api.get("/v1/events", needs: .read) { request, _ in try await events(request, on: feed) }
        addJobs(to: api)
        addLists(to: api)
        addLeftOut(to: api)
        addBulkChanges(to: api)
        addImport(to: api)
        addExport(to: api)
        addRuns(to: api)
        addQueues(to: api)
        addCalendar(to: api)
        addStatistics(to: api)
        api.get("/v1/nodes", needs: .read) { request, _ in
            _ = try Query(of: request, known: [])
            return try Response.json(try await nodes.nodes())
        }
        return router
    }

    private func addJobs(to api: APIRouter) {
        api.post("/v1/jobs", needs: .define) { request, context in
            _ = try Query(of: request, known: [])
            let body = try await request.body.collect(upTo: context.maxUploadSize)
            let submission = try StrictJSON.decode(WireSubmission.self, from: body.readableBytesView)
            let result = try await jobs.submit(submission, by: context.caller)
            let isNew = [.inserted, .replaced].contains(result.outcome)
            // The action of a new job was just decoded, so it need not be decoded again from the job.
            var job = jobs.wire(result.job, action: isNew ? submission.action : nil)
            job.outcome = result.outcome.rawValue
            return try Response.json(job, status: isNew ? .created : .ok)
        }
        api.get("/v1/jobs/:id", needs: .read) { request, context in
            try Response.json(try await jobs.shown(try name(request, context)))
        }
        api.patch("/v1/jobs/:id", needs: .define) { request, context in
            let id = try await jobs.resolve(try name(request, context))
            let body = try await request.body.collect(upTo: context.maxUploadSize)
            let change = try StrictJSON.decode(WireJobChange.self, from: body.readableBytesView)
            return try Response.json(jobs.wire(try await jobs.change(id, change, by: context.caller)))
        }
        api.delete("/v1/jobs/:id", needs: .control) { request, context in
            let id = try await jobs.resolve(try name(request, context))
            return try Response.json(jobs.wire(try await scheduler.cancel(id)))
        }
        api.post("/v1/jobs/:id/delete", needs: .administer) { request, context in
            let id = try await jobs.resolve(try name(request, context))
            try await scheduler.delete(id)
            return try Response.json(WireDeleted(deleted: 1))
        }
        api.post("/v1/jobs/:id/suspend", needs: .control) { request, context in
            let id = try await jobs.resolve(try name(request, context))
            return try Response.json(jobs.wire(try await scheduler.suspend(id)))
        }
        api.post("/v1/jobs/:id/resume", needs: .control) { request, context in
            let id = try await jobs.resolve(try name(request, context))
            return try Response.json(jobs.wire(try await scheduler.resume(id)))
        }
        api.post("/v1/jobs/:id/run", needs: .control) { request, context in
            let id = try await jobs.resolve(try name(request, context))
            return try Response.json(WireRun(try await scheduler.runNow(id)), status: .accepted)
        }
        api.post("/v1/jobs/:id/retry", needs: .control) { request, context in
            let (id, occurrence) = try await occurrence(request, context)
            return try Response.json(WireRun(try await scheduler.retry(id, occurrence: occurrence)), status: .accepted)
        }
        api.get("/v1/jobs/:id/why", needs: .read) { request, context in
            let (id, occurrence) = try await occurrence(request, context)
            return try await long.answer(context) { _ in
                try Response.json(WireExplanation(try await scheduler.explain(id, occurrence: occurrence)))
            }
        }
        api.post("/v1/jobs/:id/runs/:occurrence/cancel", needs: .control) { request, context in
            let text = try name(request, context, of: "occurrence")
            let occurrence = try number(text, "occurrence", in: Self.occurrences)
            let id = try await jobs.resolve(try context.pathParameter("id"))
            return try Response.json(WireRun(try await scheduler.cancelRun(id, occurrence: occurrence)))
        }
    }

    private func addRuns(to api: APIRouter) {
        api.get("/v1/runs", needs: .read) { request, context in
            let parameters = try Query(
                of: request,
                known: ["job", "occurrence", "begun", "since", "limit", "after"] + Self.filterParameters.known,
                repeatable: ["outcome"] + Self.filterParameters.repeatable)
            var query = RunQuery()
            query.jobQuery = try jobQuery(parameters)
            query.states = try outcomes(parameters)
            query.since = try instant(parameters, "since")
            query.occurrence = try number(parameters, "occurrence", in: Self.occurrences)
            if let limit = try number(parameters, "limit", in: 1...1_000) { query.limit = limit }
            query.begunOnly = try flag(parameters, "begun")
            query.cursor = parameters["after"]
            if let job = parameters["job"] { query.jobID = try await jobs.resolve(job) }
            return try await long.answer(context) { [query] _ in try Response.json(try await jobs.page(query)) }
        }
        api.get("/v1/jobs/:id/logs", needs: .read) { request, context in
            let parameters = try Query(of: request, known: ["occurrence", "running"])
            let occurrence = try number(parameters, "occurrence", in: Self.occurrences)
            let isRunning = try flag(parameters, "running")
            let id = try await jobs.resolve(try context.pathParameter("id"))
            let live = isRunning ? events.output(of: id, occurrence: occurrence) : nil
            let output = if let live { live } else { try await jobs.output(id, occurrence: occurrence) }
            return Response(
                status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(bytes: output)))
        }
    }

    private func addQueues(to api: APIRouter) {
        api.get("/v1/queues", needs: .read) { request, _ in
            _ = try Query(of: request, known: [])
            return try Response.json(WireQueues(queues: try await queues.queues().map { WireQueue($0) }))
        }
        api.patch("/v1/queues/:name", needs: .administer) { request, context in
            let id = QueueID(try name(request, context, of: "name"))
            let body = try await request.body.collect(upTo: context.maxUploadSize)
            let change = try StrictJSON.decode(WireQueueChange.self, from: body.readableBytesView)
            let queue = try await scheduler.configure(queue: id, try change.parsed())
            return try Response.json(WireQueue(try await queues.status(of: queue)))
        }
    }

    private func addCalendar(to api: APIRouter) {
        api.post("/v1/preview", needs: .read) { request, context in
            _ = try Query(of: request, known: [])
            let body = try await request.body.collect(upTo: context.maxUploadSize)
            let question = try StrictJSON.decode(WirePreviewRequest.self, from: body.readableBytesView)
            return try await long.answer(context) { _ in
                try Response.json(try question.answered(at: scheduler.now, in: scheduler.timeZones))
            }
        }
        api.get("/v1/upcoming", needs: .read) { request, context in
            let parameters = try Query(of: request, known: ["after", "until", "limit"])
            let after = try instant(parameters, "after") ?? scheduler.now
            guard let until = try instant(parameters, "until"), until >= after else {
                throw WebError.invalid(
                    "until: give an instant that is not before \"after\" (or now), such as 2026-12-24T18:00:00Z")
            }
            let limit = try number(parameters, "limit", in: 1...1_000) ?? 100
            return try await long.answer(context) { check in
                try Response.json(try await jobs.upcoming(after: after, until: until, perJob: limit, check: check))
            }
        }
    }

    func instant(_ parameters: Query, _ name: String) throws -> WallInstant? {
        try parameters[name].map { try TimeText.parseISO8601($0, argument: name) }
    }

    private func health() -> WireHealth {
        let outage = scheduler.storeOutage
        return WireHealth(
            status: outage == nil ? "ok" : "storeFails", problem: outage?.error.message,
            problemSince: outage?.since.iso8601, stuck: scheduler.stuckHandlers().count, version: ApusVersion.current,
            pid: getpid(), home: home.path, store: "\(store)", node: node.rawValue, started: started.iso8601,
            running: running())
    }

    /// Returns the states for the words of the parameter `outcome`, which are those of `WireRun.outcome`.
    private func outcomes(_ parameters: Query) throws -> Set<RunState> {
        var states: Set<RunState> = []
        for word in parameters.all("outcome") { states.insert(try OutcomeText.parse(word)) }
        return states
    }

    /// The whole numbers that all JSON readers represent without loss.
    private static let occurrences = -9_007_199_254_740_991...9_007_199_254_740_991

    func number(_ parameters: Query, _ name: String, in range: ClosedRange<Int>) throws -> Int? {
        try parameters[name].map { try number($0, name, in: range) }
    }

    private func number(_ text: String, _ name: String, in range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number), text.utf8.first != UInt8(ascii: "+") else {
            throw WebError.invalid(
                "\(name): \"\(text)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the job in the path, and the occurrence in the query, if there is one.
    private func occurrence(_ request: Request, _ context: APIContext) async throws -> (job: JobID, occurrence: Int?) {
        let parameters = try Query(of: request, known: ["occurrence"])
        let occurrence = try number(parameters, "occurrence", in: Self.occurrences)
        return (try await jobs.resolve(try context.pathParameter("id")), occurrence)
    }

    func flag(_ parameters: Query, _ name: String) throws -> Bool {
        switch parameters[name] {
        case nil, "false"?: return false
        case "true"?: return true
        case let text?: throw WebError.invalid("\(name): \"\(text)\" is not true or false")
        }
    }

    /// Returns a parameter of the path for a route without a query; by default, the text that refers to a job.
    func name(_ request: Request, _ context: APIContext, of parameter: String = "id") throws -> String {
        _ = try Query(of: request, known: [])
        return try context.pathParameter(parameter)
    }

    private func events(_ request: Request, on feed: EventFeed) async throws -> Response {
        let parameters = try Query(of: request, known: ["job", "terminal", "running"])
        let showsNotifications = try flag(parameters, "terminal")
        let beginsWithOutput = try flag(parameters, "running")
        let wanted: String? =
            if let job = parameters["job"] {
                try await jobs.resolve(job).rawValue
            } else { nil }
        return try events.answer(
            request, on: feed, job: wanted, showsNotifications: showsNotifications, beginsWithOutput: beginsWithOutput)
    }
}
