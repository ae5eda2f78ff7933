import ApusJobs
import ApusTimers
import HTTPTypes
import Hummingbird
import LoopbackWeb
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The HTTP API, the same on the socket and on the HTTP listener. Described by `openapi.yaml`.
struct Routes: Sendable {
    var scheduler: JobScheduler
    var jobs: JobDirectory
    var events: EventHub
    var home: Home
    /// Where the jobs are.
    var store: StoreLocation
    /// What the daemon is called.
    var node: NodeID
    var nodes: NodeDirectory
    var queues: QueueDirectory
    var metrics: PrometheusRegistry
    /// Reads the traces of callers; `nil` without traces.
    var tracer: SpanTracer?
    var started: WallInstant
    var running: @Sendable () -> Int
    /// Asks the daemon to stop.
    var stop: @Sendable () -> Void
    /// Asks the daemon to begin nothing more, and to stop when what runs has ended.
    var drain: @Sendable () -> Void

    /// The routes of the socket.
    func onSocket() -> Router<APIContext> {
        let router = router(guardedBy: PeerCheck(), feed: events.socket)
        router.refuseOtherMethods()
        return router
    }

    /// The routes of one listener, to which others can be added.
    func router(
        guardedBy check: any MiddlewareProtocol<Request, Response, APIContext>, feed: EventFeed
    ) -> Router<APIContext> {
        let router = Router(context: APIContext.self)
        router.add(middleware: ErrorAnswers(explain: ErrorMeaning.answer))
        router.add(middleware: check)
        router.add(middleware: BodyBound())
        if let tracer { router.add(middleware: CallerTrace(tracer: tracer)) }
        router.get("/v1/health") { request, _ in
            _ = try Query(of: request, known: [])
            return try Response.json(health())
        }
        router.post("/v1/stop") { request, _ in
            if try flag(try Query(of: request, known: ["drain"]), "drain") { drain() } else { stop() }
            return Response(status: .accepted)
        }
        router.get("/v1/events") { request, _ in try await events(request, on: feed) }
        addJobs(to: router)
        addRuns(to: router)
        addQueues(to: router)
        addCalendar(to: router)
        addStatistics(to: router)
        router.get("/v1/nodes") { request, _ in
            _ = try Query(of: request, known: [])
            return try Response.json(try await nodes.nodes())
        }
        return router
    }

    private func addJobs(to router: Router<APIContext>) {
        router.post("/v1/jobs") { request, context in
            _ = try Query(of: request, known: [])
            let body = try await request.body.collect(upTo: context.maxUploadSize)
            let submission = try StrictJSON.decode(WireSubmission.self, from: body.readableBytesView)
            // A browser runs code of many strangers. What it submits stays within the daemon.
            if context.caller != .script, !submission.action.onlyShowsTexts {
                throw WebError.forbidden(
                    "a browser can submit countdowns and notifications; commands and webhooks come from the command line"
                )
            }
            let (job, isNew) = try await jobs.submit(submission)
            // What a new job does is what was just read: it need not be read once more from the job.
            return try Response.json(
                jobs.wire(job, action: isNew ? submission.action : nil), status: isNew ? .created : .ok)
        }
        router.get("/v1/jobs") { request, _ in
            let page = try await scheduler.jobs(try jobQuery(request))
            return try Response.json(
                WireJobPage(jobs: zip(page.jobs, page.lastRuns).map { jobs.wire($0, lastRun: $1) }, next: page.next))
        }
        router.delete("/v1/jobs") { request, _ in
            let parameters = try Query(of: request, known: ["all"], repeatable: ["label"])
            let labels = try labels(parameters)
            guard try flag(parameters, "all") != !labels.isEmpty else {
                throw WebError.invalid(
                    "say either all=true, to cancel every job, or label=KEY=VALUE; or name one job in the path")
            }
            return try Response.json(
                WireCancelled(cancelled: try await jobs.cancelAll(labels: labels).map(\.rawValue)))
        }
        router.get("/v1/jobs/:id") { request, context in
            try Response.json(try await jobs.shown(try name(request, context)))
        }
        router.patch("/v1/jobs/:id") { request, context in
            let id = try await jobs.resolve(try name(request, context))
            let body = try await request.body.collect(upTo: context.maxUploadSize)
            let change = try StrictJSON.decode(WireJobChange.self, from: body.readableBytesView)
            if context.caller != .script, change.action?.onlyShowsTexts == false {
                throw WebError.forbidden("a browser cannot change commands and webhooks; the command line can")
            }
            return try Response.json(jobs.wire(try await jobs.change(id, change)))
        }
        router.delete("/v1/jobs/:id") { request, context in
            let id = try await jobs.resolve(try name(request, context))
            return try Response.json(jobs.wire(try await scheduler.cancel(id)))
        }
        router.post("/v1/jobs/:id/suspend") { request, context in
            let id = try await jobs.resolve(try name(request, context))
            return try Response.json(jobs.wire(try await scheduler.suspend(id)))
        }
        router.post("/v1/jobs/:id/resume") { request, context in
            let id = try await jobs.resolve(try name(request, context))
            return try Response.json(jobs.wire(try await scheduler.resume(id)))
        }
        router.post("/v1/jobs/:id/run") { request, context in
            let id = try await jobs.resolve(try name(request, context))
            return try Response.json(WireRun(try await scheduler.runNow(id)), status: .accepted)
        }
        router.post("/v1/jobs/:id/retry") { request, context in
            let (id, occurrence) = try await occurrence(request, context)
            return try Response.json(WireRun(try await scheduler.retry(id, occurrence: occurrence)), status: .accepted)
        }
        router.get("/v1/jobs/:id/why") { request, context in
            let (id, occurrence) = try await occurrence(request, context)
            return try Response.json(WireExplanation(try await scheduler.explain(id, occurrence: occurrence)))
        }
        router.post("/v1/jobs/:id/runs/:occurrence/cancel") { request, context in
            let text = try name(request, context, of: "occurrence")
            let occurrence = try number(text, "occurrence", in: Self.occurrences)
            let id = try await jobs.resolve(try context.pathParameter("id"))
            return try Response.json(WireRun(try await scheduler.cancelRun(id, occurrence: occurrence)))
        }
    }

    private func addRuns(to router: Router<APIContext>) {
        router.get("/v1/runs") { request, _ in
            let parameters = try Query(
                of: request, known: ["job", "occurrence", "begun", "since", "limit", "after"], repeatable: ["outcome"])
            var query = RunQuery()
            query.states = try outcomes(parameters)
            query.since = try instant(parameters, "since")
            query.occurrence = try number(parameters, "occurrence", in: Self.occurrences)
            if let limit = try number(parameters, "limit", in: 1...1_000) { query.limit = limit }
            query.begunOnly = try flag(parameters, "begun")
            query.after = parameters["after"]
            if let job = parameters["job"] { query.job = try await jobs.resolve(job) }
            let page = try await scheduler.runs(query)
            return try Response.json(WireRunPage(page))
        }
        router.get("/v1/jobs/:id/logs") { request, context in
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

    private func addQueues(to router: Router<APIContext>) {
        router.get("/v1/queues") { request, _ in
            _ = try Query(of: request, known: [])
            return try Response.json(WireQueues(queues: try await queues.queues().map { WireQueue($0) }))
        }
        router.patch("/v1/queues/:name") { request, context in
            let id = QueueID(try name(request, context, of: "name"))
            let body = try await request.body.collect(upTo: context.maxUploadSize)
            let change = try StrictJSON.decode(WireQueueChange.self, from: body.readableBytesView)
            let queue = try await scheduler.configure(queue: id, try change.parsed())
            return try Response.json(WireQueue(try await queues.status(of: queue)))
        }
    }

    private func addCalendar(to router: Router<APIContext>) {
        router.post("/v1/preview") { request, context in
            _ = try Query(of: request, known: [])
            let body = try await request.body.collect(upTo: context.maxUploadSize)
            let question = try StrictJSON.decode(WirePreviewRequest.self, from: body.readableBytesView)
            return try Response.json(try question.answered(at: scheduler.now, in: scheduler.timeZones))
        }
        router.get("/v1/upcoming") { request, _ in
            let parameters = try Query(of: request, known: ["after", "until", "limit"])
            let after = try instant(parameters, "after") ?? scheduler.now
            guard let until = try instant(parameters, "until"), until >= after else {
                throw WebError.invalid(
                    "until: give an instant that is not before \"after\" (or now), such as 2026-12-24T18:00:00Z")
            }
            let limit = try number(parameters, "limit", in: 1...1_000) ?? 100
            return try Response.json(try await jobs.upcoming(after: after, until: until, perJob: limit))
        }
    }

    func instant(_ parameters: Query, _ name: String) throws -> WallInstant? {
        try parameters[name].map { try TimeText.parseISO8601($0, argument: name) }
    }

    private func health() -> WireHealth {
        WireHealth(
            status: "ok", version: ApusVersion.current, pid: getpid(), home: home.path, store: "\(store)",
            node: node.rawValue, started: TimeText.iso8601(started), running: running())
    }

    private func jobQuery(_ request: Request) throws -> JobQuery {
        let parameters = try Query(
            of: request, known: ["kind", "match", "failed", "newest", "limit", "after"],
            repeatable: ["state", "label"])
        var query = JobQuery(
            idPrefixOrName: parameters["match"],
            kind: try parameters["kind"].map { try ActionKind(named: $0).rawValue },
            after: parameters["after"])
        for state in parameters.all("state") {
            guard let state = JobState(rawValue: state) else {
                throw WebError.invalid(
                    "state: \"\(state)\" is not one of \(JobState.allCases.map(\.rawValue).joined(separator: ", "))"
                )
            }
            query.states.insert(state)
        }
        query.labels = try labels(parameters)
        if try flag(parameters, "failed") { query.lastEnded = [.failed, .lost] }
        query.newestFirst = try flag(parameters, "newest")
        if let limit = try number(parameters, "limit", in: 1...1_000) { query.limit = limit }
        return query
    }

    private func labels(_ parameters: Query) throws -> [String: String] {
        var labels: [String: String] = [:]
        for label in parameters.all("label") {
            guard let separator = label.firstIndex(of: "="), separator != label.startIndex else {
                throw WebError.invalid("label: \"\(label)\" is not KEY=VALUE")
            }
            let key = String(label[..<separator])
            guard labels.updateValue(String(label[label.index(after: separator)...]), forKey: key) == nil else {
                throw WebError.invalid("label: \"\(key)\" is given twice; a job has each label once")
            }
        }
        return labels
    }

    /// Runs are asked for by the words of ``WireRun/outcome``.
    private func outcomes(_ parameters: Query) throws -> Set<RunState> {
        var states: Set<RunState> = []
        for word in parameters.all("outcome") { states.insert(try OutcomeText.parse(word)) }
        return states
    }

    /// What JSON's readers take for a whole number without loss.
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

    /// The job that the path names, and the occurrence that the query may name.
    private func occurrence(_ request: Request, _ context: APIContext) async throws -> (job: JobID, occurrence: Int?) {
        let parameters = try Query(of: request, known: ["occurrence"])
        let occurrence = try number(parameters, "occurrence", in: Self.occurrences)
        return (try await jobs.resolve(try context.pathParameter("id")), occurrence)
    }

    private func flag(_ parameters: Query, _ name: String) throws -> Bool {
        switch parameters[name] {
        case nil, "false"?: return false
        case "true"?: return true
        case let text?: throw WebError.invalid("\(name): \"\(text)\" is not true or false")
        }
    }

    /// What the path of an address without parameters of its own names: a job, as people type it, unless said otherwise.
    private func name(_ request: Request, _ context: APIContext, of parameter: String = "id") throws -> String {
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
