public import ApusBackground
public import ApusTimers

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
