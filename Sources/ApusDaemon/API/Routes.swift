import ApusJobs
import ApusTimers
import HTTPTypes
import Hummingbird
import LoopbackWeb
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
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
    var started: WallInstant
    var running: @Sendable () -> Int
    /// Asks the daemon to stop.
    var stop: @Sendable () -> Void

    /// The routes of one listener.
    func router(
        guardedBy check: any MiddlewareProtocol<Request, Response, APIContext>, feed: EventFeed
    ) -> Router<APIContext> {
        let router = Router(context: APIContext.self)
        router.add(middleware: ErrorAnswers(explain: ErrorMeaning.answer))
        router.add(middleware: check)
        router.get("/v1/health") { _, _ in try Response.json(health()) }
        router.post("/v1/stop") { _, _ in
            stop()
            return Response(status: .accepted)
        }
        router.get("/v1/events") { request, _ in try await events(request, on: feed) }
        addJobs(to: router)
        addRuns(to: router)
        return router
    }

    private func addJobs(to router: Router<APIContext>) {
        router.post("/v1/jobs") { request, context in
            let body = try await request.body.collect(upTo: context.maxUploadSize)
            let submission = try JSONDecoder().decode(WireSubmission.self, from: Data(body.readableBytesView))
            // A browser runs code of many strangers. What it submits stays within the daemon.
            if context.caller != .script, !submission.action.onlyShowsTexts {
                throw WebError.forbidden(
                    "a browser can submit countdowns and notifications; commands and webhooks come from the command line"
                )
            }
            let (job, isNew) = try await jobs.submit(submission)
            return try Response.json(jobs.wire(job), status: isNew ? .created : .ok)
        }
        router.get("/v1/jobs") { request, _ in
            let page = try await scheduler.jobs(try jobQuery(request))
            return try Response.json(
                WireJobPage(jobs: zip(page.jobs, page.lastRuns).map { jobs.wire($0, lastRun: $1) }, next: page.next))
        }
        router.delete("/v1/jobs") { request, _ in
            guard request.uri.queryParameters.get("all") == "true" else {
                throw WebError.invalid("say ?all=true to cancel every job, or name one in the path")
            }
            return try Response.json(WireCancelled(cancelled: try await jobs.cancelAll().map(\.rawValue)))
        }
        router.get("/v1/jobs/:id") { _, context in
            try Response.json(try await jobs.shown(try context.parameters.require("id")))
        }
        router.delete("/v1/jobs/:id") { _, context in
            let id = try await jobs.resolve(try context.parameters.require("id"))
            return try Response.json(jobs.wire(try await scheduler.cancel(id)))
        }
        router.post("/v1/jobs/:id/suspend") { _, context in
            let id = try await jobs.resolve(try context.parameters.require("id"))
            return try Response.json(jobs.wire(try await scheduler.suspend(id)))
        }
        router.post("/v1/jobs/:id/resume") { _, context in
            let id = try await jobs.resolve(try context.parameters.require("id"))
            return try Response.json(jobs.wire(try await scheduler.resume(id)))
        }
        router.post("/v1/jobs/:id/run") { _, context in
            let id = try await jobs.resolve(try context.parameters.require("id"))
            return try Response.json(WireRun(try await scheduler.runNow(id)), status: .accepted)
        }
    }

    private func addRuns(to router: Router<APIContext>) {
        router.get("/v1/runs") { request, _ in
            var query = RunQuery()
            if let job = request.uri.queryParameters.get("job") { query.job = try await jobs.resolve(job) }
            query.occurrence = try number(request, "occurrence", in: Int.min...Int.max)
            query.begunOnly = request.uri.queryParameters.get("begun") == "true"
            if let limit = try number(request, "limit", in: 1...1_000) { query.limit = limit }
            query.after = request.uri.queryParameters.get("after")
            let page = try await scheduler.runs(query)
            return try Response.json(WireRunPage(runs: page.runs.map { WireRun($0) }, next: page.next))
        }
        router.get("/v1/jobs/:id/logs") { request, context in
            let output = try await jobs.output(
                try context.parameters.require("id"),
                occurrence: try number(request, "occurrence", in: Int.min...Int.max))
            return Response(
                status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(bytes: output)))
        }
    }

    private func health() -> WireHealth {
        WireHealth(
            status: "ok", version: ApusVersion.current, pid: getpid(), home: home.path,
            started: TimeText.iso8601(started),
            running: running())
    }

    private func jobQuery(_ request: Request) throws -> JobQuery {
        let parameters = request.uri.queryParameters
        var query = JobQuery(
            idPrefixOrName: parameters.get("match"), kind: parameters.get("kind"), after: parameters.get("after"))
        for state in parameters.getAll("state") {
            guard let state = JobState(rawValue: state) else {
                throw WebError.invalid(
                    "state: \"\(state)\" is not one of \(JobState.allCases.map(\.rawValue).joined(separator: ", "))"
                )
            }
            query.states.insert(state)
        }
        for label in parameters.getAll("label") {
            guard let separator = label.firstIndex(of: "=") else {
                throw WebError.invalid("label: \"\(label)\" is not KEY=VALUE")
            }
            query.labels[String(label[..<separator])] = String(label[label.index(after: separator)...])
        }
        if let limit = try number(request, "limit", in: 1...1_000) { query.limit = limit }
        return query
    }

    private func number(_ request: Request, _ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = request.uri.queryParameters.get(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw WebError.invalid(
                "\(name): \"\(text)\" is not a whole number\(range.lowerBound == .min ? "" : " from \(range.lowerBound) to \(range.upperBound)")"
            )
        }
        return number
    }

    private func events(_ request: Request, on feed: EventFeed) async throws -> Response {
        let wanted: String? =
            if let job = request.uri.queryParameters.get("job") {
                try await jobs.resolve(job).rawValue
            } else { nil }
        return try events.answer(
            request, on: feed, job: wanted,
            showsNotifications: request.uri.queryParameters.get("terminal") == "true")
    }
}
