import ApusBackground
import ApusTestSupport
import ApusTimers
import Testing

@testable import ApusDevice
@testable import ApusVirtualTime

/// Tests the pauses of updates while the phone does not move.
extension SimulatedLocationTests {
    @Test("the updates pause when the phone does not move; with “always”, the app may start them again")
    func pause() throws {
        let location = location(.always)
        location.setRoute(.standing(at: Place(latitude: 7, longitude: 7)))
        try start(location)
        device.time.advance(by: .seconds(299))
        #expect(device.keptAwake == [true])
        device.time.advance(by: .seconds(1))
        #expect(device.keptAwake == [true, false])
        #expect(device.log.last?.contains("paused: the phone stands still") == true)
        location.setRoute(walk)
        device.time.advance(by: .seconds(60))
        #expect(seen.all == ["7.0 at 0"])
        try start(location)
        device.time.advance(by: .seconds(10))
        #expect(seen.all.suffix(2) == ["60.0 at 360", "70.0 at 370"])
        location.stop()
        device.time.settle()
    }

    @Test("with “when in use”, a pause ends the access until the app is launched again")
    func pauseEndsAccess() throws {
        let location = location()
        location.setRoute(.standing(at: Place(latitude: 7, longitude: 7)))
        try start(location)
        device.time.advance(by: .seconds(300))
        #expect(refusal(location) == .modeUnavailable)
        location.appForegrounded(false)
        location.appForegrounded(true)
        #expect(refusal(location) == .modeUnavailable)
        location.processEnded()
        location.appForegrounded(true)
        try start(location)
        #expect(seen.all.last == "7.0 at 300")
        location.stop()
        device.time.settle()
    }

    @Test("a phone that moves is examined for its readings only, however short the time until a pause is")
    func movingIsExaminedForReadings() throws {
        let location = SimulatedLocation(
            device.surroundings, authorization: .always, isModeDeclared: true, stillness: .milliseconds(1))
        location.setRoute(.moving(from: Place(latitude: 7, longitude: 7), north: 0.001, east: 0, every: .seconds(10)))
        try start(location)
        let before = device.time.engine.statistics.fires
        device.time.advance(by: .seconds(60))
        #expect(device.time.engine.statistics.fires - before == 6)
        #expect(device.keptAwake == [true])
        location.stop()
        device.time.settle()
    }

    @Test("the updates do not pause while the phone moves, or if the app has switched pauses off")
    func noPause() throws {
        let moving = location()
        let seen = Log<LocationReport>()
        moving.startUpdating(LocationSettings(inBackground: true)) { seen.add($0) }
        device.time.advance(by: .seconds(3000))
        #expect(device.keptAwake == [true])
        moving.setRoute(.standing(at: Place(latitude: 7, longitude: 7)))
        moving.change(1, LocationSettings(inBackground: true, pausesAutomatically: false))
        device.time.advance(by: .seconds(3000))
        #expect(device.keptAwake == [true])
        device.mainLoop.drain()
        #expect(!seen.all.contains(.paused))
        moving.change(1, LocationSettings(inBackground: true))
        device.time.advance(by: .zero)
        device.mainLoop.drain()
        #expect(seen.all.last == .paused)
        moving.processEnded()
        device.time.settle()
    }

    @Test("the time of a suspension does not count as time without a move")
    func suspendedStandingStill() throws {
        let location = location()
        location.setRoute(.standing(at: Place(latitude: 7, longitude: 7)))
        try start(location, inBackground: false)
        device.time.advance(by: .seconds(200))
        location.appSuspended()
        device.time.advance(by: .seconds(3000))
        location.appResumed()
        device.time.advance(by: .seconds(299))
        #expect(!device.log.contains { $0.contains("paused") })
        device.time.advance(by: .seconds(1))
        #expect(device.log.last == "3500 system location: paused: the phone stands still")
        location.stop()
        device.time.settle()
    }
}
