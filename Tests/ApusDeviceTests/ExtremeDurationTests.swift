import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusDevice

@MainActor
@Suite("Extreme durations of the simulated device")
struct ExtremeDurationTests {
    @Test("each control with any duration lets that much time pass, or none", arguments: Duration.extremes)
    func controls(duration: Duration) async throws {
        let controls: [@MainActor (SimulatedDevice) async -> Void] = [
            { await $0.advance(by: duration) }, { $0.scroll(for: duration) },
            { $0.sleepMachine(for: duration) }, { $0.moveWallClock(by: duration) },
            { await $0.skipToNextEvent(within: duration) }, { $0.host?.work(for: duration) },
            { DeviceStep.advance(duration).perform(on: $0) },
        ]
        for control in controls {
            let device = SimulatedDevice()
            let host = try device.launchProbe()
            host.engine.schedule(after: .seconds(2)) { host.note("two") }
            let (before, elapsed) = (device.time.continuous(), device.elapsed)
            await control(device)
            let passed = before.duration(to: device.time.continuous())
            // Nothing, as for the wall clock; until an event; or the duration, as far as a clock can show it.
            #expect(passed >= .zero && (passed <= max(.zero, duration)), "\(duration)")
            #expect(device.elapsed >= elapsed)
            await device.advance(by: .seconds(3))
            device.switchOff()
        }
    }

    @Test("a run in real time that is cancelled lets any duration pass", arguments: Duration.extremes)
    func realTime(duration: Duration) async throws {
        let device = SimulatedDevice()
        _ = try device.launchProbe()
        let before = device.time.uptime()
        let run = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await device.runInRealTime(for: duration)
        }
        await run.value
        let passed = before.duration(to: device.time.uptime())
        #expect(passed == max(.zero, duration).clamped || passed >= .nanoseconds(Int64.max - 1 << 60), "\(duration)")
        device.switchOff()
    }

    @Test("the screen is locked after any duration, at least a second", arguments: Duration.extremes)
    func autoLock(duration: Duration) throws {
        let device = SimulatedDevice()
        _ = try device.launchProbe()
        device.autoLock = duration
        device.advance(by: .seconds(1))
        #expect(device.isLocked == (duration <= .seconds(1)))
        device.switchOff()
    }

    @Test("tracks of any duration end, or play on", arguments: Duration.extremes)
    func tracks(duration: Duration) throws {
        let world = PartsHarness()
        let items = ["a", "b"].map { AudioItem(id: $0, title: $0, source: $0) }
        let audio = SimulatedAudio(
            world.surroundings, durations: ["a": duration, "b": duration], isModeDeclared: true)
        try world.run {
            await audio.setQueue(items)
            try await audio.play()
        }
        world.time.advance(by: .seconds(1))
        audio.seek(to: duration)
        #expect(audio.position >= .zero && audio.position <= max(.zero, duration))
        world.time.advance(by: .seconds(4))
        #expect((audio.state.current == nil) == (duration <= .seconds(2)), "\(duration)")
        #expect(audio.position >= .zero && audio.position <= max(.zero, duration))
    }

    @Test("a route with steps and intervals of any duration is read", arguments: Duration.extremes)
    func routes(duration: Duration) throws {
        let place = LocationRoute.Place(latitude: 1, longitude: 1)
        for other in Duration.extremes {
            let routes = [
                LocationRoute.steps([(after: duration, place: place), (after: other, place: nil)]),
                LocationRoute.moving(from: place, north: 1, east: 1, every: duration),
            ]
            for route in routes {
                let next = route.nextReading(after: max(.zero, other))
                #expect(next.map { $0 > max(.zero, other.clamped) } ?? true, "\(duration), \(other)")
                #expect(route.readings(after: .zero, upTo: max(.zero, other), limit: 3).count <= 3)
                _ = route.reading(at: other)
                #expect(route.lastMove(upTo: max(.zero, other)) <= max(.zero, other))
            }
        }
        let world = PartsHarness()
        let location = SimulatedLocation(
            world.surroundings, authorization: .always, isModeDeclared: true, stillness: duration)
        location.setRoute(.moving(from: place, north: 1, east: 1, every: duration))
        location.appForegrounded(true)
        let updates = try location.updates(inBackground: true)
        let seen = world.time.start { await updates.reduce(into: 0) { count, _ in count += 1 } }
        world.time.advance(by: .milliseconds(20))
        location.setRoute(.steps([(after: duration, place: place), (after: duration, place: place)]))
        world.time.advance(by: .milliseconds(20))
        location.stop()
        let count = try world.time.perform { try await seen.value }
        #expect(count >= 1)
    }

    @Test("a transfer fails after any duration", arguments: Duration.extremes)
    func transfers(duration: Duration) throws {
        let time = VirtualTime()
        var machine = TransferMachine(firstDelay: duration)
        var scene = DeviceScene()
        (scene.conditions.network, scene.conditions.isOnExternalPower) = (.available, true)
        (scene.isAppInFront, scene.isAppAtRest, scene.isAppStopped) = (false, false, false)
        for round in 0..<3 {
            let record = machine.add(TransferRequest(.download, url: "https://example.com"), to: "s")
            machine.change(
                TransferMachine.Key(session: "s", number: record.number), .resume, scene, now: ClockReading(time.clocks)
            )
            for action in machine.update(scene, now: ClockReading(time.clocks)) {
                guard case .ask(let key, _) = action else { continue }
                machine.answered(key, .failure(.cannotConnectToHost, after: duration), now: ClockReading(time.clocks))
            }
            time.advance(by: .seconds(round))
            _ = machine.update(scene, now: ClockReading(time.clocks))
        }
    }
}
