import HTTPTypes
import LoopbackWeb
import SleeplessApp

/// The environment of the app: the simulated phone, or this process.
@MainActor
protocol Stage: AnyObject, Sendable {
    var feed: ScreenFeed { get }

    /// Returns the visible state of the environment and of its app.
    func screen() -> Screen

    /// Returns the app if it is active.
    ///
    /// - Throws: ``WebError`` with the status 409 if it is not.
    func appInFront() throws(WebError) -> App

    /// Performs at once everything that follows from a tap.
    func settle()

    /// Performs an action of the user on the device.
    ///
    /// - Throws: ``WebError`` if the control is unknown or an argument is not accepted.
    func control(_ name: String, _ arguments: Arguments) async throws

    /// The number of the log's last line; 0 without lines.
    var lastLine: Int { get }

    /// Returns a page of the log after a line.
    func log(after: Int) -> LogPage
}

extension Stage {
    /// Connects the app's screens and frames with the feed.
    func show(_ app: App) {
        app.onChange = { [feed] in feed.changed() }
        app.toDo.onFrame = { [feed] balloon in if let balloon { feed.frame(balloon) } }
    }

    static var notInFront: WebError {
        WebError(
            .conflict, code: "notInFront", message: "the app is not in front, so it cannot be tapped; open it first")
    }
}
