import ApusClient
import ArgumentParser

/// Does the same to each of several jobs, and continues after one that fails; then the exit code is 1.
/// - Returns: what was done, in the order of the jobs.
func forEach<Result>(
    _ ids: [String], _ body: (DaemonClient, String) async throws -> Result, done: ([Result]) throws -> Void
) async throws {
    let session = try Session()
    var results: [Result] = []
    var failed = false
    for id in ids {
        do {
            results.append(try await session.call { try await body($0, id) })
        } catch let error as DaemonError {
            Terminal.note("apus: \(error)")
            failed = true
        }
    }
    try done(results)
    if failed { throw ExitCode(1) }
}

/// Jobs of which several were changed at once, as `--json` prints them.
struct ChangedJobs: Codable {
    var jobs: [WireJob]
}
