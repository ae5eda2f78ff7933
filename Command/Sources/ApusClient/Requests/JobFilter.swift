/// Which jobs a request is about.
public struct JobFilter: Hashable, Sendable {
    /// Only jobs of these queues; empty for all.
    public var queues: [String]
    /// Only jobs with one of these fairness keys; empty for all.
    public var fairnessKeys: [String]
    /// Only jobs that have all of these labels (`key=value`).
    public var labels: [String]

    /// A filter; each argument left out lets all jobs pass.
    public init(queues: [String] = [], fairnessKeys: [String] = [], labels: [String] = []) {
        self.queues = queues
        self.fairnessKeys = fairnessKeys
        self.labels = labels
    }
}
