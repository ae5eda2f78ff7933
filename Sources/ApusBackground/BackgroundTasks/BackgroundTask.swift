internal import Logging

/// What an app asks of a host when it begins a background task.
public struct BackgroundTaskRequest: Sendable {
    /// What is being finished, for logs and for the report of what had to be cut.
    public var name: String
    /// The place that began the task, as `Module/File.swift:12`.
    public var place: String
    /// Called on the main actor when the time is nearly over. The claim ends when it returns.
    public var onExpiration: @MainActor @Sendable () async -> Void

    /// A request from the calling place.
    public init(
        name: String,
        fileID: String = #fileID,
        line: Int = #line,
        onExpiration: @escaping @MainActor @Sendable () async -> Void = {}
    ) {
        self.name = name
        place = "\(fileID):\(line)"
        self.onExpiration = onExpiration
    }
}

/// A claim that says "do not suspend or end me yet".
///
/// It is ended exactly once: by ``end()``, by expiry (after its handler returned), or, as a fault that is logged, when
/// the last reference to it goes away.
public final class BackgroundTask: Sendable {
    /// What is being finished.
    public let name: String

    private let place: String
    private let id: BackgroundTaskRegistry.ClaimID
    private let registry: BackgroundTaskRegistry

    init(_ request: BackgroundTaskRequest, _ id: BackgroundTaskRegistry.ClaimID, _ registry: BackgroundTaskRegistry) {
        name = request.name
        place = request.place
        self.id = id
        self.registry = registry
    }

    /// Ends the claim. From any thread, as often as you like: only the first end counts.
    public func end() {
        registry.end(id)
    }

    deinit {
        if registry.end(id) {
            registry.logger.error(
                "a background task was never ended; call end(), or use withBackgroundTask",
                metadata: ["task": "\(name)", "begun": "\(place)"])
        }
    }
}
