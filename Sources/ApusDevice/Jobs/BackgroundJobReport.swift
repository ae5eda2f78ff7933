public import ApusBackground
public import ApusTimers

/// The state and the results of background jobs on a simulated device, with the reasons for which requests wait.
public struct BackgroundJobReport: Sendable, Hashable, CustomStringConvertible {
    /// A request whose run has not begun.
    public struct Waiting: Sendable, Hashable {
        /// The pending request.
        public let request: BackgroundJobRequest
        /// The obstacles that keep the request from running now; empty if it runs at the next opportunity.
        public let obstacles: [BackgroundJobObstacle]
    }

    /// A submission that was refused, whether or not the app caught the error.
    public struct Refusal: Sendable, Hashable, CustomStringConvertible {
        /// The refused request.
        public let request: BackgroundJobRequest
        /// The wall clock at the submission.
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

    /// The runs, in the order in which they began.
    public let runs: [BackgroundJobRecord]
    /// The pending requests, in the order of their submission.
    public let waiting: [Waiting]
    /// The refused submissions, in order.
    public let refusals: [Refusal]
    /// The number of times that the system put off each job for each reason; the keys are identifiers and reasons.
    public let deferrals: [String: [String: Int]]

    /// Returns how many runs of an identifier have begun.
    public func count(of identifier: String) -> Int { runs.count { $0.identifier == identifier } }

    /// The report as text, with a line for each run, refusal, reason and pending request.
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
    /// The outcome of a run.
    public enum Outcome: Sendable, Hashable, CustomStringConvertible {
        /// The app completed the run with success.
        case succeeded
        /// The app completed the run without success.
        case failed
        /// The run expired or was cancelled; the app completed it only afterwards, or had no expiration handler.
        case expired
        /// The process ended during the run, for this reason.
        case killed(String)
        /// The process that was started for the run has no handler for it.
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

    /// The request of the run.
    public let request: BackgroundJobRequest
    /// The wall clock at the submission.
    public let submitted: WallInstant
    /// The wall clock when the system began the run.
    public let launched: WallInstant
    /// The wall clock when the run ended; `nil` while it runs.
    public internal(set) var ended: WallInstant?
    /// The outcome of the run; `nil` while it runs.
    public internal(set) var outcome: Outcome?

    /// The job's identifier.
    public var identifier: String { request.identifier }
    /// The kind of the job, with its requirements.
    public var kind: BackgroundJobRequest.Kind { request.kind }

    /// The run in one line.
    public var description: String {
        let end = outcome.map { ": \($0)" } ?? ", running"
        return "\(launched.iso8601) \(identifier)\(end)"
    }
}

/// An event of a background job, in a device's log.
public struct BackgroundJobEvent: Sendable, Hashable, CustomStringConvertible {
    /// A kind of event; later versions may add cases.
    public enum What: Sendable, Hashable {
        /// The app submitted a request.
        case submitted
        /// The request replaced a pending one.
        case replaced
        /// The request was refused with this error code.
        case refused(String)
        /// The system examined the pending request and put it off, for other reasons than before.
        case deferred(reasons: [String])
        /// A run began.
        case launched
        /// The run expired, or was cancelled.
        case expired
        /// The app completed the run.
        case completed(success: Bool)
        /// The run ended without being completed by the app, for this reason.
        case ended(String)
        /// A pending request was withdrawn.
        case cancelled
    }

    /// The job's identifier.
    public var identifier: String
    /// The kind of the event.
    public var what: What

    /// Creates an event.
    public init(_ identifier: String, _ what: What) {
        self.identifier = identifier
        self.what = what
    }

    /// The event in one line, such as "deferred feed: low battery".
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
