import ApusClient
import ArgumentParser

/// The completion of a job's name or identifier in a shell.
package enum JobCompletion {
    /// The time for which the shell waits for the daemon's answer.
    ///
    /// A completion does not start a daemon.
    private static let patience: Duration = .seconds(2)

    /// Returns the names and identifiers that begin with `prefix`.
    ///
    /// Only jobs that have not ended are considered. If none of them matches, the ended jobs are considered.
    package static func candidates(_ prefix: String) async -> [String] {
        guard let session = try? Session() else { return [] }
        let client = DaemonClient(home: session.home, patience: patience)
        for states in [["scheduled", "suspended"], ["cancelled", "finished"]] {
            guard let jobs = try? await client.jobs(states: states, limit: 1_000).jobs else { return [] }
            let found = words(for: jobs, prefix: prefix)
            if !found.isEmpty { return found }
        }
        return []
    }

    static func words(for jobs: [WireJob], prefix: String) -> [String] {
        // Several jobs may have the same name.
        let names = Set(jobs.compactMap(\.name)).sorted()
        return (names + jobs.map(\.id)).filter { $0.utf8.starts(with: prefix.utf8) && PrintableText.escaped($0) == $0 }
    }
}

extension CompletionKind {
    /// The completion of names and identifiers of jobs, which the scripts of `apus completions` request from the
    /// daemon.
    ///
    /// For the parser, it is an empty list, so the scripts that the parser itself generates
    /// (`--generate-completion-script`) do not request names. In those scripts, bash would expand a name such as
    /// `$(date)`.
    static var jobs: CompletionKind { .list([]) }
}
