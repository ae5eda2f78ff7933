/// What an app asks of a host when it begins a background task.
public struct BackgroundTaskRequest: Sendable {
    /// What is being finished, for logs and for the report of what had to be cut.
    public var name: String
    /// The place that began the task, as `Module/File.swift:12`.
    public var place: String
    /// Called on the main actor when the time is nearly over, or instead of a background task when it is over. It has
    /// about a second; all handlers of an app together have a few.
    public var onExpiration: @MainActor @Sendable () -> Void
    /// Whether the background task ends by itself when the expiration handler has returned: the rule. `false` leaves it
    /// to ``BackgroundTask/end()``, for work that winds up by itself; only where the host waits for that
    /// (``BackgroundHost/waitsForExpiredTasks``) may that be later than the handler's return.
    public var endsOnExpiration = true

    /// A request from the calling place.
    public init(
        name: String,
        fileID: String = #fileID,
        line: Int = #line,
        onExpiration: @escaping @MainActor @Sendable () -> Void = {}
    ) {
        self.name = name
        place = "\(fileID):\(line)"
        self.onExpiration = onExpiration
    }
}
