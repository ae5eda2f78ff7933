/// A page of jobs.
public struct WireJobPage: Codable, Hashable, Sendable {
    /// The jobs.
    public var jobs: [WireJob]
    /// Pass it as `after` for the next page; `null` at the end.
    @Nullable public var next: String?

    package init(jobs: [WireJob], next: String? = nil) {
        self.jobs = jobs
        self.next = next
    }
}

/// A page of runs, newest first.
public struct WireRunPage: Codable, Hashable, Sendable {
    /// The runs.
    public var runs: [WireRun]
    /// By identifier, the names of their jobs, of those that have one.
    @EmptyIfAbsent public var names: [String: String]
    /// Pass it as `after` for the next page; `null` at the end.
    @Nullable public var next: String?

    package init(runs: [WireRun], names: [String: String], next: String? = nil) {
        self.runs = runs
        self.names = names
        self.next = next
    }
}
