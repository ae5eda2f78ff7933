import ApusBackground
import HTTPTypes
import LoopbackWeb
import SleeplessApp

/// What `POST /app/…` does: the user's taps in the app.
enum AppTaps {
    /// - Throws: ``WebError`` for an unknown tap or an argument that is not accepted, ``AppError`` when the app refuses.
    @MainActor
    static func perform(_ tap: String, _ arguments: Arguments, in app: App) throws {
        switch tap {
        case "tab": app.tab = try arguments.choice("tab")
        case "timer/go":
            // The app says which numbers it takes.
            let delay = try arguments.number("delay", in: anyNumber)
            try app.timer.go(delay: delay, repeat: try arguments.optionalNumber("repeat", in: anyNumber))
        case "timer/cancel": try app.timer.cancel(try arguments.identifier("id"))
        case "timer/cancel-all": app.timer.cancelAll()
        case "countdown/start":
            if arguments.has("at") {
                try app.countdown.start(until: try arguments.instant("at"))
            } else {
                try app.countdown.start(seconds: try arguments.number("seconds", in: anyNumber))
            }
        case "countdown/pause": try app.countdown.pause()
        case "countdown/resume": try app.countdown.resume()
        case "countdown/add": try app.countdown.add(seconds: try arguments.number("seconds", in: anyNumber))
        case "countdown/cancel": try app.countdown.cancel()
        case "countdown/acknowledge": try app.countdown.acknowledge()
        case "todo/add": try app.toDo.add(try arguments.text("title"))
        case "todo/complete": try app.toDo.complete(try arguments.identifier("id"))
        case "todo/remove": try app.toDo.remove(try arguments.identifier("id"))
        case "audio/play": app.audio.play()
        case "audio/pause": app.audio.pause()
        case "audio/next": app.audio.next()
        case "audio/restart": app.audio.restart()
        case "location/authorize":
            try app.location.authorize(try arguments.choice("wish", LocationAuthorization.self))
        case "location/start": try app.location.start(inBackground: try arguments.flag("inBackground", or: false))
        case "location/stop": app.location.stop()
        case "location/clear": app.location.clear()
        case "completion/start": try app.completion.start()
        case "completion/stop": try app.completion.stop()
        case "refresh/schedule":
            try app.refresh.schedule(
                try arguments.choice("kind"), earliest: try arguments.optionalNumber("earliest", in: anyNumber) ?? 0,
                network: try arguments.flag("network", or: false), power: try arguments.flag("power", or: false))
        case "refresh/cancel": app.refresh.cancel(try arguments.text("id"))
        case "refresh/simulate": app.refresh.simulateLaunch(try arguments.text("id"))
        default:
            throw WebError(
                .notFound, code: "notFound", message: "the app has no “\(tap)”; docs/sleepless.md lists them")
        }
    }

    private static let anyNumber = -1e15...1e15

    /// How an error of the app is answered.
    static func answer(_ error: AppError) -> WebError {
        switch error.code {
        case .invalid: WebError(.badRequest, code: "invalid", message: error.message)
        case .notFound: WebError(.notFound, code: "notFound", message: error.message)
        case .unavailable: WebError(.conflict, code: "unavailable", message: error.message)
        case .storeFailed: WebError(.internalServerError, code: "storeFailed", message: error.message)
        }
    }
}
