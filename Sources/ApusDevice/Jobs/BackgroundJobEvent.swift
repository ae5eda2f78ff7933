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
