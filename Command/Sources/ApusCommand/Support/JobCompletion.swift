import ApusClient
import ArgumentParser

/// The words that a shell completes where a job is to be named: names and identifiers.
package enum JobCompletion {
    /// A shell waits for the answer, so a daemon that does not answer soon is not waited for, and none is started.
    private static let patience: Duration = .seconds(2)

    /// The names and identifiers that begin with `prefix`: of the jobs that have not ended if there are any, else of the
    /// others.
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
        // A name may be that of several jobs.
        let names = Set(jobs.compactMap(\.name)).sorted()
        return (names + jobs.map(\.id)).filter { $0.utf8.starts(with: prefix.utf8) && PrintableText.escaped($0) == $0 }
    }
}

extension CompletionKind {
    /// Names and identifiers of jobs, asked of the daemon when a shell completes. A list without values stands for them,
    /// so that no script of the parser's own (`--generate-completion-script`) asks for names: bash would expand them.
    static var jobs: CompletionKind { .list([]) }
}
