import ApusClient
import ArgumentParser
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Calls `body` for each of several jobs, even after a call has failed; after a failure, the exit code is 1.
///
/// `done` gets the results, in the order of the jobs.
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

/// The changed jobs, as `--json` prints them.
struct ChangedJobs: Codable {
    var jobs: [WireJob]
}

/// Returns a number of jobs in words: `1 job`, `2 jobs`.
package func jobCount(_ count: Int) -> String { "\(count) \(count == 1 ? "job" : "jobs")" }

/// Asks the user before many jobs are changed at once.
enum Confirmation {
    /// Returns if `isGiven` is set (`--yes`), or if the user at the terminal answers `y` or `yes`.
    ///
    /// - Throws: `ValidationError` if no user can be asked, because standard input or standard error is not a terminal;
    ///   `DaemonError` if the user declines.
    static func require(_ question: TerminalText, isGiven: Bool) throws {
        if isGiven { return }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw ValidationError(
                "\(question.raw) There is no terminal to ask at; use --yes to confirm")
        }
        Terminal.note(question + " [y/N] ", terminator: "")
        let answer = (readLine() ?? "").trimmed.lowercased()
        guard ["y", "yes"].contains(answer) else { throw DaemonError(.unavailable, "nothing was changed") }
    }
}
