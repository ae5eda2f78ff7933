public import ApusBackground
public import ApusTimers

/// What the simulated system has done about background jobs, and why it has not done more.
public struct BackgroundJobReport: Sendable, Hashable, CustomStringConvertible {
    /// A request whose run has not begun.
    public struct Waiting: Sendable, Hashable {
        /// What was asked for.
        public let request: BackgroundJobRequest
        /// What stands in the way now; empty when it runs at the next opportunity.
        public let obstacles: [BackgroundJobObstacle]
    }

    /// A submission that was refused: the app has caught the error, or not.
    public struct Refusal: Sendable, Hashable, CustomStringConvertible {
        /// What was asked for.
        public let request: BackgroundJobRequest
        /// When, on the wall clock.
        public let instant: WallInstant
        /// The error's code.
        public let code: BackgroundJobError.Code
        /// The error's message.
        public let message: String

        /// The refusal in one line.
        public var description: String {
            "\(instant.iso8601) \(request.identifier) was refused: \(code): \(message)"
        }
    }

    /// All runs, in the order of their beginning.
    public let runs: [BackgroundJobRecord]
    /// The requests that wait, in the order of their submission.
    public let waiting: [Waiting]
    /// The submissions that were refused, in their order.
    public let refusals: [Refusal]
    /// For each identifier and each reason, at how many looks of the system it has put the job off.
    public let deferrals: [String: [String: Int]]

    /// How many runs of an identifier have begun.
    public func count(of identifier: String) -> Int { runs.count { $0.identifier == identifier } }

    /// The report as text: a line for each run, each refusal, each reason and each request that waits.
    public var description: String {
        var lines = ["\(runs.count) runs"]
        lines += runs.map { "  \($0)" }
        lines += refusals.map(\.description)
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

/// One run of a background job on a simulated device.
public struct BackgroundJobRecord: Sendable, Hashable, CustomStringConvertible {
    /// What became of a run.
    public enum Outcome: Sendable, Hashable, CustomStringConvertible {
        /// It was completed with success.
        case succeeded
        /// It was completed without success.
        case failed
        /// Its time was over, or it was cancelled: it was completed after that, or it had no expiration handler.
        case expired
        /// The process ended before, and why.
        case killed(String)
        /// The process that was started for it has no handler for it.
        case noHandler

        /// The outcome in a word or two.
        public var description: String {
            switch self {
            case .succeeded: "success"
            case .failed: "failure"
            case .expired: "expired"
            case .killed(let why): "killed: \(why)"
            case .noHandler: "no handler"
            }
        }
    }

    /// What was asked for.
    public let request: BackgroundJobRequest
    /// When it was asked for.
    public let submitted: WallInstant
    /// When the system began with it.
    public let launched: WallInstant
    /// When it was over; `nil` while it runs.
    public internal(set) var ended: WallInstant?
    /// What became of it; `nil` while it runs.
    public internal(set) var outcome: Outcome?

    /// The job's identifier.
    public var identifier: String { request.identifier }
    /// What the job needs.
    public var kind: BackgroundJobRequest.Kind { request.kind }

    /// The run in one line.
    public var description: String {
        let end = outcome.map { ": \($0)" } ?? ", running"
        return "\(launched.iso8601) \(identifier)\(end)"
    }
}

/// Something about a background job, in a device's log.
public struct BackgroundJobEvent: Sendable, Hashable, CustomStringConvertible {
    /// What happened. More cases may be added.
    public enum What: Sendable, Hashable {
        /// The app asked for a run.
        case submitted
        /// The request took the place of a pending one.
        case replaced
        /// The request was refused, with that error code.
        case refused(String)
        /// The system looked at the pending request and put it off, for other reasons than before.
        case deferred(reasons: [String])
        /// A run began.
        case launched
        /// The run's time was over.
        case expired
        /// The app completed the run.
        case completed(success: Bool)
        /// The run was over without the app's word, and why.
        case ended(String)
        /// A pending request was withdrawn.
        case cancelled
    }

    /// The job's identifier.
    public var identifier: String
    /// What happened.
    public var what: What

    /// An event.
    public init(_ identifier: String, _ what: What) {
        self.identifier = identifier
        self.what = what
    }

    /// The event in a line: "deferred feed: low battery".
    public var description: String {
        switch what {
        case .submitted: "submitted \(identifier)"
        case .replaced: "replaced \(identifier)"
        case .refused(let code): "refused \(identifier): \(code)"
        case .deferred(let reasons): "deferred \(identifier): \(reasons.joined(separator: ", "))"
        case .launched: "launched \(identifier)"
        case .expired: "expired \(identifier)"
        case .completed(let success): "completed \(identifier): \(success ? "success" : "failure")"
        case .ended(let why): "ended \(identifier): \(why)"
        case .cancelled: "cancelled \(identifier)"
        }
    }
}
