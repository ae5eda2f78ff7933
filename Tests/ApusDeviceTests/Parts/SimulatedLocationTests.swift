import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusDevice

@MainActor
@Suite("Location on a simulated phone")
struct SimulatedLocationTests {
    typealias Place = LocationRoute.Place
    let device = PartsHarness()
    let seen = Log<String>()
    let walk = LocationRoute.moving(from: Place(latitude: 0, longitude: 0), north: 1, east: 0, every: .seconds(10))

    func location(
        _ authorization: LocationAuthorization = .whenInUse, isModeDeclared: Bool = true, isInFront: Bool = true
    ) -> SimulatedLocation {
        let location = SimulatedLocation(
            device.surroundings, authorization: authorization, isModeDeclared: isModeDeclared,
            stillness: .seconds(300))
        location.setRoute(walk)
        location.appForegrounded(isInFront)
        return location
    }

    /// Starts updates and notes each as a text.
    ///
    /// The text of a position is its latitude and its instant in seconds; the text of another update is its kind.
    func start(_ location: SimulatedLocation, inBackground: Bool = true) throws {
        let updates = try location.updates(inBackground: inBackground)
        let (device, seen) = (device, seen)
        device.time.start {
            for await update in updates { seen.add(device.text(of: update)) }
            seen.add("over")
        }
        device.time.settle()
    }

    func refusal(_ location: SimulatedLocation, inBackground: Bool = true) -> BackgroundError.Code? {
        #expect(throws: BackgroundError.self) { _ = try location.updates(inBackground: inBackground) }?.code
    }

    @Test("the first update comes at once, the others when the phone moves, and none after the stop")
    func updates() throws {
        let location = location()
        device.time.advance(by: .seconds(5))
        try start(location)
        device.time.advance(by: .seconds(20))
        location.stop()
        device.time.advance(by: .seconds(20))
        #expect(seen.all == ["5.0 at 5", "10.0 at 10", "20.0 at 20", "over"])
        #expect(device.time.pendingTimerCount == 0)
        #expect(
            device.log.filter { $0.contains("location") } == [
                "5 app location: started, also in the background", "25 app location: stopped",
            ])
    }

    @Test("a period without a fix is reported")
    func noFix() throws {
        let location = location()
        location.setRoute(
            .steps([
                (after: .seconds(1), place: Place(latitude: 1, longitude: 0)), (after: .seconds(1), place: nil),
                (after: .seconds(8), place: Place(latitude: 2, longitude: 0)),
            ]))
        try start(location)
        device.time.advance(by: .seconds(20))
        #expect(seen.all == ["no fix", "1.0 at 1", "no fix", "2.0 at 10"])
        location.stop()
        device.time.settle()
    }

    @Test("a new route begins at once, with an update")
    func newRoute() throws {
        let location = location()
        try start(location)
        device.time.advance(by: .seconds(3))
        location.setRoute(.standing(at: Place(latitude: 50, longitude: 0)))
        device.time.advance(by: .seconds(60))
        #expect(seen.all == ["0.0 at 0", "50.0 at 3"])
        location.stop()
        device.time.settle()
    }

    @Test("dropping the sequence ends the updates, and starting again ends the earlier sequence")
    func endings() throws {
        let location = location()
        _ = try location.updates(inBackground: true)
        #expect(device.keptAwake == [true, false])
        try start(location)
        device.time.advance(by: .seconds(10))
        try start(location, inBackground: false)
        #expect(seen.all == ["0.0 at 0", "10.0 at 10", "over", "10.0 at 10"])
        #expect(device.keptAwake == [true, false, true, false])
        device.time.advance(by: .seconds(10))
        #expect(seen.all.last == "20.0 at 20")
        location.stop()
        device.time.settle()
    }

    @Test(
        "updates for the background keep the app awake, with “when in use” and with “always”",
        arguments: [LocationAuthorization.whenInUse, .always])
    func keepsAwake(_ authorization: LocationAuthorization) throws {
        let location = location(authorization)
        try start(location)
        #expect(device.keptAwake == [true])
        location.appForegrounded(false)
        device.time.advance(by: .seconds(10))
        #expect(seen.all == ["0.0 at 0", "10.0 at 10"])
        #expect(device.keptAwake == [true])
        location.stop()
        device.time.settle()
        #expect(device.keptAwake == [true, false])
    }

    @Test("updates that start in the background need “always”")
    func startedInBackground() throws {
        let whenInUse = location(isInFront: false)
        #expect(refusal(whenInUse) == .modeUnavailable)
        #expect(refusal(whenInUse, inBackground: false) == .modeUnavailable)
        #expect(device.keptAwake == [])
        let always = location(.always, isInFront: false)
        try start(always)
        device.time.advance(by: .seconds(10))
        #expect(seen.all == ["0.0 at 0", "10.0 at 10"])
        #expect(device.keptAwake == [true])
        // The user now allows updates only while the app is in use. Updates that the app started in the background
        // therefore wait until it is in front.
        always.setAuthorization(.whenInUse)
        device.time.advance(by: .seconds(25))
        #expect(device.keptAwake == [true, false])
        always.appForegrounded(true)
        device.time.settle()
        #expect(seen.all.suffix(2) == ["whenInUse", "35.0 at 35"])
        #expect(device.keptAwake == [true, false, true])
        always.stop()
        device.time.settle()
    }

    @Test("without the declared mode, updates in the background are an error for Apus and otherwise a fault")
    func undeclared() throws {
        let location = location(.always, isModeDeclared: false)
        #expect(refusal(location) == .modeUnavailable)
        #expect(device.faults == [])
        location.startUpdating(LocationSettings(inBackground: true), fileID: "App/Map.swift", line: 3) { _ in }
        #expect(device.faults.map(\.rule) == [.undeclaredLocationMode])
        #expect(device.faults.first?.place == "App/Map.swift:3")
        try start(location, inBackground: false)
        #expect(seen.all == ["0.0 at 0"])
        #expect(device.keptAwake == [])
        location.stop()
        device.time.settle()
    }

    @Test("without inBackground, a suspended app gets the updates that it missed on its next run, in order")
    func queued() throws {
        let location = location()
        try start(location, inBackground: false)
        location.appForegrounded(false)
        device.time.advance(by: .seconds(10))
        location.appSuspended()
        device.time.advance(by: .seconds(25))
        #expect(seen.all == ["0.0 at 0", "10.0 at 10"])
        #expect(device.keptAwake == [])
        // The system has no timer for an app that cannot run.
        #expect(device.time.pendingTimerCount == 0)
        location.appResumed()
        device.time.settle()
        #expect(seen.all == ["0.0 at 0", "10.0 at 10", "20.0 at 20", "30.0 at 30"])
        device.time.advance(by: .seconds(10))
        #expect(seen.all.last == "40.0 at 40")
        location.stop()
        device.time.settle()
    }

    @Test("a suspended app receives the last hundred missed updates, with changes of the authorization in order")
    func manyQueued() throws {
        let location = location(.always)
        try start(location, inBackground: false)
        location.appSuspended()
        device.time.advance(by: .seconds(85))
        location.setAuthorization(.whenInUse)
        device.time.advance(by: .seconds(20))
        location.appResumed()
        device.time.settle()
        #expect(seen.all.suffix(4) == ["80.0 at 80", "whenInUse", "90.0 at 90", "90.0 at 100"])
        location.appSuspended()
        device.time.advance(by: .seconds(86400))
        location.setAuthorization(.always)
        device.time.advance(by: .seconds(20))
        location.appResumed()
        device.time.settle()
        #expect(seen.all.count == 12 + 100)
        #expect(seen.all.suffix(3) == ["always", "90.0 at 86510", "90.0 at 86520"])
        location.stop()
        device.time.settle()
    }

    @Test("the user is asked once, and once more about “always”; no app gets more than it requests")
    func asking() throws {
        func ask(_ location: SimulatedLocation, _ wish: LocationAuthorization) throws -> LocationAuthorization {
            try device.run { await location.requestAuthorization(wish) }
        }
        let generous = location(.notDetermined)
        generous.userAnswer = .always
        #expect(refusal(generous) == .modeUnavailable)
        #expect(try ask(generous, .denied) == .notDetermined)
        #expect(try ask(generous, .whenInUse) == .whenInUse)
        #expect(try ask(generous, .always) == .always)
        #expect(try ask(generous, .whenInUse) == .always)
        let careful = location(.notDetermined)
        #expect(try ask(careful, .whenInUse) == .whenInUse)
        #expect(try ask(careful, .always) == .whenInUse)
        // The user is not asked a second time.
        careful.userAnswer = .always
        #expect(try ask(careful, .always) == .whenInUse)
        let stern = location(.notDetermined)
        stern.userAnswer = .denied
        #expect(try ask(stern, .whenInUse) == .denied)
        stern.userAnswer = .always
        #expect(try ask(stern, .always) == .denied)
        #expect(refusal(stern, inBackground: false) == .modeUnavailable)
    }

    /// The source is WWDC 2019, session 705, "What's New in Core Location".
    ///
    /// The user first reads the same question as for “when in use”. The question about “always” follows when the app
    /// does something that only “always” allows.
    @Test("“always” is provisional: the user decides about it when the app starts updates in the background")
    func provisionalAlways() throws {
        let (device, seen) = (device, seen)
        for answer in [LocationAuthorization.whenInUse, .always] {
            let location = location(.notDetermined)
            location.userAnswer = answer
            #expect(try device.run { await location.requestAuthorization(.always) } == .always)
            // Neither an app in front nor updates that were started in front use anything that only “always” allows.
            location.startUpdating(LocationSettings(inBackground: true)) { _ in }
            location.appForegrounded(false)
            device.time.advance(by: .seconds(100))
            #expect(location.authorization == .always)
            device.mainLoop.drain()
            location.startUpdating(LocationSettings(inBackground: true)) { seen.add(device.text(of: $0)) }
            device.time.advance(by: .seconds(20))
            device.mainLoop.drain()
            #expect(location.authorization == answer)
            location.stop(1)
        }
        #expect(
            seen.all == [
                "90.0 at 100", "whenInUse", "90.0 at 220", "90.0 at 230", "90.0 at 240",
            ])
        let provisional = "authorization always, provisional: the user has allowed “when in use” only"
        let logged = device.log.compactMap { $0.split(separator: "user location: ").dropFirst().first.map(String.init) }
        #expect(logged == [provisional, "authorization whenInUse", provisional, "authorization always"])
    }

    /// After an authorization for one use, a request for `always` is ignored.
    ///
    /// The source is Apple, documentation/corelocation/cllocationmanager/requestalwaysauthorization().
    @Test("an authorization for one use ends with a suspension or the process, and is never “always”")
    func allowOnce() throws {
        let location = location(.notDetermined)
        location.userAnswer = .always
        location.userAllowsOnce = true
        for end in [location.appSuspended, location.processEnded] {
            #expect(try device.run { await location.requestAuthorization(.always) } == .whenInUse)
            #expect(try device.run { await location.requestAuthorization(.always) } == .whenInUse)
            location.appForegrounded(false)
            #expect(location.authorization == .whenInUse)
            end()
            #expect(location.authorization == .notDetermined)
            location.appResumed()
            location.appForegrounded(true)
        }
        #expect(device.log.filter { $0.hasSuffix("authorization whenInUse, this time only") }.count == 2)
        location.userAllowsOnce = false
        #expect(try device.run { await location.requestAuthorization(.whenInUse) } == .whenInUse)
        location.appSuspended()
        #expect(location.authorization == .whenInUse)
    }

    /// Without the keys of the usage texts, the requests for authorization do nothing.
    ///
    /// The sources are Apple's pages about `requestWhenInUseAuthorization()` and `requestAlwaysAuthorization()`.
    @Test(
        "without its usage texts, an app cannot ask the user, and the log names the missing keys",
        arguments: [
            (nil, "x", ["NSLocationWhenInUseUsageDescription"], ["NSLocationWhenInUseUsageDescription"]),
            ("x", nil, [], ["NSLocationAlwaysAndWhenInUseUsageDescription"]),
            (
                "", "", ["NSLocationWhenInUseUsageDescription"],
                ["NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription"]
            ),
        ] as [(String?, String?, [String], [String])])
    func usageTexts(whenInUse: String?, always: String?, missing: [String], missingForAlways: [String]) throws {
        for (wish, keys) in [(LocationAuthorization.whenInUse, missing), (.always, missingForAlways)] {
            let device = PartsHarness()
            let location = SimulatedLocation(device.surroundings, isModeDeclared: false)
            let manifest = AppManifest(locationWhenInUseUsage: whenInUse, locationAlwaysUsage: always)
            location.appInstalled(InstalledApp(manifest: manifest, trackDurations: [:]))
            let isAsked = keys.isEmpty
            #expect(
                try device.run { await location.requestAuthorization(wish) } == (isAsked ? wish : .notDetermined))
            let warnings = device.log.filter { $0.contains("warning") }
            #expect(warnings.count == (isAsked ? 0 : 1))
            for key in keys { #expect(warnings.first?.contains(key) == true) }
        }
    }

    @Test("positions stop when the user withdraws the authorization, and continue when it is restored")
    func changedInMidStream() throws {
        let location = location()
        try start(location)
        device.time.advance(by: .seconds(10))
        location.setAuthorization(.denied)
        #expect(device.keptAwake == [true, false])
        device.time.advance(by: .seconds(15))
        location.setAuthorization(.whenInUse)
        device.time.advance(by: .seconds(5))
        #expect(seen.all == ["0.0 at 0", "10.0 at 10", "denied", "whenInUse", "25.0 at 25", "30.0 at 30"])
        #expect(device.keptAwake == [true, false, true])
        location.stop()
        device.time.settle()
    }

    @Test("the updates end with their process, and no longer keep it running")
    func processEnded() throws {
        let location = location()
        try start(location)
        location.processEnded()
        device.time.advance(by: .seconds(100))
        #expect(seen.all == ["0.0 at 0", "over"])
        #expect(device.keptAwake == [true, false])
        #expect(device.time.pendingTimerCount == 0)
        #expect(refusal(location) == .modeUnavailable)
    }

    @Test("the real service calls the app on its main loop, and reports the authorization if it refuses updates")
    func rawUpdates() throws {
        let location = location(.denied)
        let (device, seen) = (device, seen)
        location.startUpdating(LocationSettings()) { seen.add(device.text(of: $0)) }
        device.mainLoop.drain()
        #expect(seen.all == ["denied"])
        #expect(device.log.last?.contains("warning: the user's authorization is denied") == true)
        location.setAuthorization(.whenInUse)
        location.startUpdating(LocationSettings()) { seen.add(device.text(of: $0)) }
        device.time.advance(by: .seconds(10))
        #expect(seen.all == ["denied"])
        device.mainLoop.drain()
        #expect(seen.all == ["denied", "0.0 at 0", "10.0 at 10"])
        // Updates that wait in the main loop are dropped by `stop()`.
        device.time.advance(by: .seconds(10))
        location.stop(1)
        device.mainLoop.drain()
        #expect(seen.all.count == 3)
    }

    @Test("the phone moves while it sleeps")
    func asleep() throws {
        let location = location()
        try start(location, inBackground: false)
        device.time.sleepMachine(for: .seconds(25))
        #expect(seen.all == ["0.0 at 0", "10.0 at 10", "20.0 at 20"])
        location.stop()
        device.time.settle()
    }
}

extension PartsHarness {
    /// Returns the latitude and the instant in seconds since the start, or the kind of another update.
    fileprivate func text(of report: LocationReport) -> String {
        switch report {
        case .update(let update): text(of: update)
        case .refused: "refused"
        case .paused: "paused"
        }
    }

    fileprivate func text(of update: LocationUpdate) -> String {
        switch update {
        case .position(let position):
            "\(position.latitude) at \(position.instant.nanoseconds / 1_000_000_000 - 1_767_225_600)"
        case .noFix: "no fix"
        case .authorization(let authorization): authorization.rawValue
        }
    }
}
