import HTTPTypes
import LoopbackWeb
import SleeplessApp

/// Where the app runs: on the simulated phone, or in this process.
@MainActor
protocol Stage: AnyObject, Sendable {
    /// Who looks at it.
    var feed: ScreenFeed { get }

    /// Everything that is seen.
    func screen() -> Screen

    /// The app, if it is in front.
    ///
    /// - Throws: ``WebError`` with the status 409 if it is not.
    func appInFront() throws(WebError) -> App

    /// What follows from a tap at once has happened when this returns.
    func settle()

    /// What a person does with the device.
    ///
    /// - Throws: ``WebError``.
    func control(_ name: String, _ arguments: Arguments) async throws

    /// The number of the log's last line; 0 without lines.
    var lastLine: Int { get }

    /// A page of the log after a line.
    func log(after: Int) -> LogPage
}

extension Stage {
    /// The app was made: its screen and its frames are sent from now on.
    func show(_ app: App) {
        app.onChange = { [feed] in feed.changed() }
        app.toDo.onFrame = { [feed] balloon in if let balloon { feed.frame(balloon) } }
    }

    static var notInFront: WebError {
        WebError(
            .conflict, code: "notInFront", message: "the app is not in front, so it cannot be tapped; open it first")
    }
}
