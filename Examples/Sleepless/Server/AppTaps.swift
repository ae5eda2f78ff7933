import ApusBackground
import HTTPTypes
import LoopbackWeb
import SleeplessApp

/// The requests `POST /app/…`: the user's taps in the app.
enum AppTaps {
    /// Performs a tap.
    ///
    /// - Throws: ``WebError`` for an unknown tap or an argument that is not accepted; ``AppError`` if the app refuses
    ///   the tap.
    @MainActor
    static func perform(_ tap: String, _ arguments: Arguments, in app: App) throws {
        guard let accepted = accepted[tap] else {
            throw WebError(
                .notFound, code: "notFound",
                message: "the app has no action “\(tap)”; it has \(self.accepted.keys.sorted().joined(separator: ", "))"
            )
        }
        try arguments.accept(only: accepted, in: tap)
        switch tap {
        case "tab": app.tab = try arguments.choice("tab")
        case "timer/go":
            let delay = try arguments.number("delay", in: TimerModel.delays, of: "seconds")
            let interval = try arguments.optionalNumber("repeat", in: TimerModel.intervals, of: "seconds")
            try app.timer.go(delay: delay, repeat: interval)
        case "timer/cancel": try app.timer.cancel(try arguments.identifier("id"))
        case "timer/cancel-all": app.timer.cancelAll()
        case "countdown/start":
            try arguments.acceptOne(of: "seconds", "at")
            if arguments.has("at") {
                try app.countdown.start(until: try arguments.instant("at", after: app.now))
            } else {
                let seconds = try arguments.number("seconds", in: CountdownModel.lengths, of: "seconds")
                try app.countdown.start(seconds: seconds)
            }
        case "countdown/pause": try app.countdown.pause()
        case "countdown/resume": try app.countdown.resume()
        case "countdown/add":
            let seconds = try arguments.number("seconds", in: CountdownModel.changes, of: "seconds")
            try app.countdown.add(seconds: seconds)
        case "countdown/cancel": try app.countdown.cancel()
        case "countdown/acknowledge": try app.countdown.acknowledge()
        case "todo/add": try app.toDo.add(try arguments.text("title"))
        case "todo/complete": try app.toDo.complete(try arguments.identifier("id"))
        case "todo/remove": try app.toDo.remove(try arguments.identifier("id"))
        case "audio/play": try audio(of: app).play()
        case "audio/pause": try audio(of: app).pause()
        case "audio/next": try audio(of: app).next()
        case "audio/restart": try audio(of: app).restart()
        case "location/authorize":
            try location(of: app).authorize(try arguments.choice("wish", LocationAuthorization.self))
        case "location/start": try location(of: app).start(inBackground: try arguments.flag("inBackground", or: false))
        case "location/stop": try location(of: app).stop()
        case "location/clear": try location(of: app).clear()
        case "completion/start": try app.completion.start()
        case "completion/stop": try app.completion.stop()
        case "refresh/schedule":
            let earliest = try arguments.optionalNumber("earliest", in: RefreshModel.delays, of: "seconds")
            try app.refresh.schedule(
                try arguments.choice("kind"), earliest: earliest ?? 0,
                network: try arguments.flag("network", or: false), power: try arguments.flag("power", or: false))
        case "refresh/cancel": app.refresh.cancel(try arguments.text("id"))
        case "refresh/simulate": app.refresh.simulateLaunch(try arguments.text("id"))
        case "lessons/ticks": app.lessons.tick(try arguments.flag("on"))
        case "lessons/wake-ups":
            try app.lessons.measureWakeUps(
                tolerance: try arguments.number("tolerance", in: LessonsModel.tolerances, of: "seconds"))
        case "lessons/frames": try app.lessons.compareFrames()
        case "lessons/export": app.lessons.export()
        case "lessons/mistake": try app.lessons.make(try arguments.choice("kind"))
        default: preconditionFailure("“\(tap)” is listed and does nothing")
        }
    }

    @MainActor
    private static func audio(of app: App) throws(WebError) -> AudioModel {
        guard let audio = app.audio else { throw unavailable("sound") }
        return audio
    }

    @MainActor
    private static func location(of app: App) throws(WebError) -> LocationModel {
        guard let location = app.location else { throw unavailable("positions") }
        return location
    }

    private static func unavailable(_ what: String) -> WebError {
        WebError(.conflict, code: "unavailable", message: "this host has no \(what) of its own")
    }

    /// All taps, with the names of their arguments.
    static let accepted: [String: [String]] = [
        "tab": ["tab"],
        "timer/go": ["delay", "repeat"], "timer/cancel": ["id"], "timer/cancel-all": [],
        "countdown/start": ["seconds", "at"], "countdown/pause": [], "countdown/resume": [],
        "countdown/add": ["seconds"], "countdown/cancel": [], "countdown/acknowledge": [],
        "todo/add": ["title"], "todo/complete": ["id"], "todo/remove": ["id"],
        "audio/play": [], "audio/pause": [], "audio/next": [], "audio/restart": [],
        "location/authorize": ["wish"], "location/start": ["inBackground"], "location/stop": [], "location/clear": [],
        "completion/start": [], "completion/stop": [],
        "refresh/schedule": ["kind", "earliest", "network", "power"], "refresh/cancel": ["id"],
        "refresh/simulate": ["id"],
        "lessons/ticks": ["on"], "lessons/wake-ups": ["tolerance"], "lessons/frames": [], "lessons/export": [],
        "lessons/mistake": ["kind"],
    ]

    /// Returns the response to an error of the app.
    static func answer(_ error: AppError) -> WebError {
        switch error.code {
        case .invalid: WebError(.badRequest, code: "invalid", message: error.message)
        case .notFound: WebError(.notFound, code: "notFound", message: error.message)
        case .unavailable: WebError(.conflict, code: "unavailable", message: error.message)
        case .storeFailed: WebError(.internalServerError, code: "storeFailed", message: error.message)
        }
    }
}
