public import ApusTimers

/// A background task that a process holds now, for programs and tests that show what keeps an app running.
public struct OpenBackgroundTask: Sendable, Hashable {
    /// What names it within its process.
    public var id: BackgroundTaskID
    /// What is being finished, as the app or the system has named it.
    public var name: String
    /// The calling place, as `Module/File.swift:12`, where it is known.
    public var place: String?
    /// What the wall clock showed when it was begun.
    public var begun: WallInstant

    /// A background task.
    public init(id: BackgroundTaskID, name: String, place: String?, begun: WallInstant) {
        self.id = id
        self.name = name
        self.place = place
        self.begun = begun
    }
}
