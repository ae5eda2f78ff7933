import ApusClient
import ApusJobs
import Hummingbird
import LoopbackWeb
import NIOCore

/// What is measured: from the history, and since the daemon started.
extension Routes {
    func addStatistics(to api: APIRouter) {
        api.get("/v1/stats", needs: .read) { request, context in
            let parameters = try Query(of: request, known: ["job", "since", "zone", "limit"])
            let since = try instant(parameters, "since")
            let zone = try TimeText.zone(named: parameters["zone"] ?? "UTC", argument: "zone")
            let limit = try number(parameters, "limit", in: 1...1_000) ?? 1_000
            let job: JobID? = if let name = parameters["job"] { try await jobs.resolve(name) } else { nil }
            return try await long.answer(context) { check in
                try Response.json(
                    try await StatisticsDirectory(scheduler: scheduler)
                        .statistics(job: job, since: since, zone: zone, limit: limit, check: check))
            }
        }
        api.get("/metrics", needs: .read) { request, _ in
            _ = try Query(of: request, known: [])
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(
                    byteBuffer: ByteBuffer(string: metrics.page(version: ApusVersion.current, started: started))))
        }
    }
}
