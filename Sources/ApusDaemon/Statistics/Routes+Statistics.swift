import ApusJobs
import Hummingbird
import LoopbackWeb
import NIOCore

/// What is measured: from the history, and since the daemon started.
extension Routes {
    func addStatistics(to router: Router<APIContext>) {
        router.get("/v1/stats") { request, _ in
            let parameters = try Query(of: request, known: ["job", "since", "zone"])
            let since = try instant(parameters, "since")
            let zone = try TimeText.zone(named: parameters["zone"] ?? "UTC", argument: "zone")
            let job: JobID? = if let name = parameters["job"] { try await jobs.resolve(name) } else { nil }
            return try Response.json(
                try await StatisticsDirectory(scheduler: scheduler).statistics(job: job, since: since, zone: zone))
        }
        router.get("/metrics") { request, _ in
            _ = try Query(of: request, known: [])
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(
                    byteBuffer: ByteBuffer(string: metrics.page(version: ApusVersion.current, started: started))))
        }
    }
}
