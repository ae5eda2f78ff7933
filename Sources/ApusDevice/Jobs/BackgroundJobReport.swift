public import ApusBackground

/// What the simulated system has done about background jobs, and why it has not done more.
public struct BackgroundJobReport: Sendable, Hashable, CustomStringConvertible {
    /// A request whose run has not begun.
    public struct Waiting: Sendable, Hashable {
        /// What was asked for.
        public let request: BackgroundJobRequest
        /// What stands in the way now; empty when it runs at the next opportunity.
        public let obstacles: [BackgroundJobObstacle]
    }

    /// All runs, in the order of their beginning.
    public let runs: [BackgroundJobRecord]
    /// The requests that wait, in the order of their submission.
    public let waiting: [Waiting]
    /// For each identifier and each reason, at how many looks of the system it has put the job off.
    public let deferrals: [String: [String: Int]]

    /// How many runs of an identifier have begun.
    public func count(of identifier: String) -> Int { runs.count { $0.identifier == identifier } }

    /// The report as text: a line for each run, each reason and each request that waits.
    public var description: String {
        var lines = ["\(runs.count) runs"]
        lines += runs.map { "  \($0)" }
        for (identifier, reasons) in deferrals.sorted(by: { $0.key < $1.key }) {
            lines.append("\(identifier) was postponed")
            lines += reasons.sorted { $0.key < $1.key }.map { "  \($0.value) times: \($0.key)" }
        }
        for waiting in waiting {
            let why = waiting.obstacles.map(\.description).joined(separator: ", ")
            lines.append("\(waiting.request.identifier) waits" + (why.isEmpty ? " for an opportunity" : ": \(why)"))
        }
        return lines.joined(separator: "\n")
    }
}
