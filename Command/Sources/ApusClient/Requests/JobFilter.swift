/// The filter for the jobs of a request.
public struct JobFilter: Hashable, Sendable {
    /// The queues whose jobs pass the filter; empty for all queues.
    public var queues: [String]
    /// The fairness keys whose jobs pass the filter; empty for all jobs.
    public var fairnessKeys: [String]
    /// The labels (`key=value`); a job passes the filter only if it has all of them.
    public var labels: [String]

    /// Creates a filter; an omitted argument excludes no jobs.
    public init(queues: [String] = [], fairnessKeys: [String] = [], labels: [String] = []) {
        self.queues = queues
        self.fairnessKeys = fairnessKeys
        self.labels = labels
    }
}
