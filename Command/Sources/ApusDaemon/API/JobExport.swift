import ApusClient
import ApusJSON
import ApusJobs
import Hummingbird
import LoopbackWeb
import NIOCore

extension Routes {
    func addExport(to api: APIRouter) {
        api.get("/v1/export", needs: .read) { request, context in
            let labels = try labels(try Query(of: request, known: [], repeatable: ["label"]))
            // The first piece is read before the answer begins, so that the status of the answer can report an error.
            // After that, an error can only break off the answer.
            let beginning = try await long.answer(context) { check in
                try await JobExport(labels: labels).next(from: scheduler, check: check)
            }
            return Response(
                status: .ok, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
                body: .init { writer in
                    var piece = beginning
                    while true {
                        try await writer.write(piece.text)
                        guard let rest = piece.rest else { break }
                        // Each piece is read as a long request of its own, so that a client that reads slowly does not
                        // keep other long requests waiting.
                        piece = try await long.answer(context) { check in
                            try await rest.next(from: scheduler, check: check)
                        }
                    }
                    try await writer.finish(nil)
                })
        }
    }
}

/// The text of an export of the jobs that have not ended, in pieces.
///
/// Each job is on a line of its own, so that jobs can be counted without parsing them. `WireExportedJob.otherLines` is
/// the number of the other lines.
struct JobExport: Sendable {
    private var query: JobQuery
    private var isFirst = true
    private var hasJobs = false
    /// The number of jobs that are not exported: those of other programs' kinds, and those that cannot be read.
    private var leftOut = 0

    init(labels: [String: String]) {
        query = JobQuery(
            states: [.scheduled, .suspended], labels: labels, includesLastRuns: false, limit: Self.jobsRead)
    }

    /// The maximum number of jobs that are read into memory at once.
    private static let jobsRead = 100
    /// The approximate size of a piece in bytes; a piece is larger if the jobs of one read are larger.
    private static let bytes = 256 << 10

    /// Reads the next piece, and returns it with an export of the remaining jobs, which is `nil` after the last piece.
    func next(
        from scheduler: JobScheduler, check: () throws -> Void
    ) async throws -> (text: ByteBuffer, rest: JobExport?) {
        var rest = self
        var text = ByteBuffer()
        if isFirst { text.writeString("{\"version\":\(WireExportedJob.version),\"jobs\":[\n") }
        rest.isFirst = false
        repeat {
            try check()
            let page = try await scheduler.jobs(rest.query)
            rest.leftOut += page.unreadable.count
            for job in page.jobs {
                guard ActionKind(rawValue: job.request.kind) != nil else {
                    rest.leftOut += 1
                    continue
                }
                if rest.hasJobs { text.writeStaticString(",\n") }
                rest.hasJobs = true
                text.writeBytes(try Self.line(job))
            }
            rest.query.cursor = page.nextCursor
        } while rest.query.cursor != nil && text.readableBytes < Self.bytes
        guard rest.query.cursor == nil else { return (text, rest) }
        if rest.hasJobs { text.writeStaticString("\n") }
        text.writeString(rest.leftOut > 0 ? "],\"leftOut\":\(rest.leftOut)}\n" : "]}\n")
        return (text, nil)
    }

    private static func line(_ job: Job) throws -> [UInt8] {
        let wire = WireJob(job, lastRun: nil, waitingFor: [], parked: false)
        let bytes = try JSONText.bytes(of: WireExportedJob(wire))
        // The text may be shown on a terminal, so unprintable characters are escaped; JSON escapes those below 0x20
        // anyway.
        return bytes.contains { $0 >= 0x7F }
            ? Array(PrintableText.escapedJSON(String(decoding: bytes, as: UTF8.self)).utf8) : bytes
    }
}
