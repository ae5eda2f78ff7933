import ApusDaemon
import ArgumentParser

/// Does the same to each of several jobs; goes on after one that fails, and then exits with 1.
func forEach(_ ids: [String], _ body: (DaemonClient, String) async throws -> TerminalText) async throws {
    let session = try Session()
    var failed = false
    for id in ids {
        do {
            let line = try await session.call { try await body($0, id) }
            Terminal.out(line)
        } catch let error as DaemonError {
            Terminal.note("apus: \(error)")
            failed = true
        }
    }
    if failed { throw ExitCode(1) }
}
