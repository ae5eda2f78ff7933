/// The filter for the jobs of a request.
public struct JobFilter: Hashable, Sendable {
    /// The queues whose jobs pass; all jobs do if it is empty.
    public var queues: [String]
    /// The fairness keys whose jobs pass; all jobs do if it is empty.
    public var fairnessKeys: [String]
    /// The labels (`key=value`) that a job must all have to pass.
    public var labels: [String]

    /// Creates a filter; an omitted argument lets all jobs pass.
    public init(queues: [String] = [], fairnessKeys: [String] = [], labels: [String] = []) {
        self.queues = queues
        self.fairnessKeys = fairnessKeys
        self.labels = labels
    }
}
