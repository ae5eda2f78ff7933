import ApusBackground
import ApusTesting
import HTTPTypes
import LoopbackWeb

/// The requests `POST /device/…`: actions of the user, and events of the phone.
enum PhoneControls {
    /// A route of the phone.
    enum Route: String, CaseIterable {
        /// Moves along a street, at one metre per second.
        case walk
        /// Stands still.
        case still
        /// Moves like `walk`, but has a position only in every other minute.
        case tunnel

        var route: LocationRoute {
            let begin = LocationRoute.Place(latitude: 52.5163, longitude: 13.3777)
            switch self {
            case .walk: return .moving(from: begin, north: 0.000004, east: 0.000012)
            case .still: return .standing(at: begin)
            case .tunnel:
                return .steps(
                    (0..<30).flatMap { minute in
                        (0..<60).map { second in
                            let place = LocationRoute.Place(
                                latitude: begin.latitude + 0.000004 * Double(minute * 60 + second),
                                longitude: begin.longitude + 0.000012 * Double(minute * 60 + second))
                            return (after: .seconds(second == 0 && minute > 0 ? 60 : 1), place: place)
                        } + [(after: .seconds(1), place: nil)]
                    })
            }
        }
    }

    private static let month = 2_592_000.0

    @MainActor
    static func perform(_ name: String, _ arguments: Arguments, on phone: PhoneStage) async throws {
        guard let accepted = accepted[name] else {
            throw WebError(
                .notFound, code: "notFound",
                message:
                    "the device has no control “\(name)”; it has \(self.accepted.keys.sorted().joined(separator: ", "))"
            )
        }
        try arguments.accept(only: accepted, in: name)
        if try await passTime(name, arguments, on: phone) { return }
        if try useScreen(name, arguments, phone.device) { return }
        if try changeConditions(name, arguments, phone.device) { return }
        if try answerQuestions(name, arguments, phone.device) { return }
        if try develop(name, arguments, on: phone) { return }
        preconditionFailure("“\(name)” is listed and does nothing")
    }

    /// All controls, with the names of their arguments.
    static let accepted: [String: [String]] = [
        "home": [], "open": [], "switcher": [], "swipe": [], "lock": [], "unlock": [], "call": [], "end-call": [],
        "kill": [], "reboot": [], "scroll": ["on", "seconds"], "tap-notification": ["id"],
        "battery": ["level"], "plug": [], "unplug": [], "low-power": ["on"], "network": ["network"],
        "background-refresh": ["on"], "auto-lock": ["seconds"], "thermal": ["state"], "memory-pressure": [],
        "route": ["name"],
        "notification-authorization": ["allows"], "location-answer": ["authorization"],
        "launch-job": ["id"], "expire-job": ["id"], "cancel-job": ["id"], "declare": ["mode", "on"],
        "speed": ["speed"], "advance": ["seconds"], "skip-day": [], "next-event": [], "sleep": ["seconds"],
        "clock": ["seconds"], "reset": [],
    ]

    @MainActor
    private static func passTime(
        _ name: String, _ arguments: Arguments, on phone: PhoneStage
    ) async throws -> Bool {
        switch name {
        case "speed": phone.speed = try arguments.number("speed", in: 0...3_600)
        case "advance":
            let seconds = try arguments.number("seconds", in: 0...month, of: "seconds")
            await phone.move { await phone.advance($0, by: Duration(inSeconds: seconds)) }
        case "skip-day": await phone.move { await phone.advance($0, by: .seconds(86_400)) }
        case "next-event": await phone.move { _ = await $0.skipToNextEvent() }
        case "scroll" where arguments.has("seconds"):
            try arguments.acceptOne(of: "on", "seconds")
            let seconds = try arguments.number("seconds", in: 0...3_600, of: "seconds")
            await phone.move { device in
                device.beginScrolling()
                await phone.advance(device, by: Duration(inSeconds: seconds))
                device.endScrolling()
            }
        case "sleep":
            phone.device.sleepMachine(
                for: Duration(inSeconds: try arguments.number("seconds", in: 0...month, of: "seconds")))
        case "clock":
            phone.device.moveWallClock(
                by: Duration(inSeconds: try arguments.number("seconds", in: -10 * month...10 * month, of: "seconds")))
        case "reset": phone.reset()
        default: return false
        }
        return true
    }

    @MainActor
    private static func useScreen(_ name: String, _ arguments: Arguments, _ device: SimulatedDevice) throws -> Bool {
        switch name {
        case "home": device.pressHome()
        case "open": device.open()
        case "switcher": device.openAppSwitcher()
        case "swipe": device.swipeAway()
        case "lock": device.lock()
        case "unlock": device.unlock()
        case "call": device.receiveCall()
        case "end-call": device.endCall()
        case "kill": device.kill()
        case "reboot": device.reboot()
        case "scroll":
            if try arguments.flag("on") { device.beginScrolling() } else { device.endScrolling() }
        case "tap-notification":
            let id = try arguments.text("id")
            guard device.notifications.tap(id) else {
                throw WebError(
                    .notFound, code: "notFound", message: "no notification with the `id` “\(id)” is shown")
            }
        default: return false
        }
        return true
    }

    @MainActor
    private static func changeConditions(
        _ name: String, _ arguments: Arguments, _ device: SimulatedDevice
    ) throws -> Bool {
        switch name {
        case "battery": device.setBattery(try arguments.number("level", in: 0...1))
        case "plug": device.plugIn()
        case "unplug": device.unplug()
        case "low-power": device.setLowPowerMode(try arguments.flag("on"))
        case "network": device.setNetwork(try arguments.choice("network"))
        case "auto-lock":
            let seconds = try arguments.optionalNumber("seconds", in: 1...3_600, of: "seconds")
            device.autoLock = seconds.map { Duration(inSeconds: $0) }
        case "background-refresh": device.setBackgroundRefresh(try arguments.flag("on"))
        case "thermal": device.setThermalState(try arguments.choice("state"))
        case "memory-pressure": device.applyMemoryPressure()
        case "route": device.location.setRoute(try arguments.choice("name", Route.self).route)
        default: return false
        }
        return true
    }

    /// Sets the user's answer to a request for permission, and changes the permission if the user was already asked.
    @MainActor
    private static func answerQuestions(
        _ name: String, _ arguments: Arguments, _ device: SimulatedDevice
    ) throws -> Bool {
        switch name {
        case "notification-authorization":
            let allows = try arguments.flag("allows")
            device.notifications.userAllows = allows
            if device.notifications.authorization != .notDetermined {
                device.notifications.setAuthorization(allows ? .authorized : .denied)
            }
        case "location-answer":
            let answer: LocationAuthorization = try arguments.choice("authorization")
            device.location.userAnswer = answer
            if device.location.authorization != .notDetermined { device.location.setAuthorization(answer) }
        default: return false
        }
        return true
    }

    /// Performs an action of a developer on a job or on the app's declared modes, or cancels a running job as the user
    /// does.
    @MainActor
    private static func develop(_ name: String, _ arguments: Arguments, on phone: PhoneStage) throws -> Bool {
        let jobs = phone.device.jobs
        switch name {
        case "launch-job": phone.device.launchJob(try pendingJob(arguments, jobs))
        case "expire-job": phone.device.expireJob(try runningJob(arguments, jobs))
        case "cancel-job": phone.device.cancelJob(try runningJob(arguments, jobs))
        case "declare":
            let mode: AppManifest.BackgroundMode = try arguments.choice("mode")
            phone.declare(mode, try arguments.flag("on"))
        default: return false
        }
        return true
    }

    @MainActor
    private static func pendingJob(_ arguments: Arguments, _ jobs: SimulatedTaskScheduler) throws -> String {
        try job(arguments, among: jobs.pendingRequests().map(\.identifier), are: "pending")
    }

    @MainActor
    private static func runningJob(_ arguments: Arguments, _ jobs: SimulatedTaskScheduler) throws -> String {
        try job(arguments, among: jobs.running.map(\.identifier), are: "running")
    }

    private static func job(_ arguments: Arguments, among known: [String], are what: String) throws -> String {
        let id = try arguments.text("id")
        guard known.contains(id) else {
            let list = known.isEmpty ? "none is" : "these are: \(known.joined(separator: ", "))"
            throw WebError(
                .notFound, code: "notFound", message: "no job with the `id` “\(id)” is \(what); \(list)")
        }
        return id
    }
}
