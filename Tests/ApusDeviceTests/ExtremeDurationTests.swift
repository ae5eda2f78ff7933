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
            // Some controls take no time, such as setting the wall clock. Others end at an event, or after the
            // duration, which is cut to what a clock can show.
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

    private static let rules: [WritableKeyPath<SystemPolicy, Duration>] = [
        \.backgroundBudget, \.expirationLead, \.handlerWarning, \.handlerLimit, \.longBackgroundTaskWarning,
        \.firstTransferDelay, \.launchLimit, \.sceneUpdateLimit, \.enterBackgroundLimit, \.willTerminateTime,
        \.dataProtectionDelay, \.rebootTime, \.jobs.usageWindow, \.jobs.expectedUseLead, \.jobs.refreshPatience,
        \.jobs.dailyRefreshBudget, \.jobs.refreshSpacing, \.jobs.processingSpacing, \.jobs.nightBegin, \.jobs.nightEnd,
        \.jobs.refreshLimit, \.jobs.processingLimit, \.jobs.windUpTime, \.jobs.progressStall, \.jobs.cpuWindow,
    ]
    private static let ranges: [WritableKeyPath<SystemPolicy, ClosedRange<Duration>>] = [
        \.suspensionDelay, \.jobs.opportunitySpacing,
    ]

    @Test("the lists of rules have every duration of the policy")
    func listedRules() {
        let policy = SystemPolicy()
        let values =
            Mirror(reflecting: policy).children.map(\.value) + Mirror(reflecting: policy.jobs).children.map(\.value)
        #expect(values.count(where: { $0 is Duration }) == Self.rules.count)
        #expect(values.count(where: { $0 is ClosedRange<Duration> }) == Self.ranges.count)
    }

    @Test("a device has each rule of any duration between zero and 366 days", arguments: Duration.extremes)
    func boundedRules(duration: Duration) {
        let expected = min(max(.zero, duration), .seconds(366 * 86_400))
        var policy = SystemPolicy()
        for rule in Self.rules { policy[keyPath: rule] = duration }
        for range in Self.ranges { policy[keyPath: range] = duration...duration }
        let device = SimulatedDevice(policy: policy)
        let other = SimulatedDevice()
        other.policy = policy
        for device in [device, other] {
            for rule in Self.rules { #expect(device.policy[keyPath: rule] == expected) }
            #expect(device.policy.suspensionDelay == expected...expected)
            let spacing = max(.seconds(1), expected)
            #expect(device.policy.jobs.opportunitySpacing == spacing...spacing)
        }
        #expect(device.policy.backgroundTaskLimit == policy.backgroundTaskLimit)
    }

    /// Runs an app for a day in which it does everything that the rules are about.
    private func live(_ policy: SystemPolicy) throws {
        let device = SimulatedDevice(policy: policy)
        let host = try device.launchJobApp { host, task in
            host.work(for: .milliseconds(10))
            task.setCompleted(success: true)
        }
        device.transfers.serve { _ in .file(bytes: 1_000) }
        try device.jobs.submitRequest(.refresh)
        try device.jobs.submitRequest(.tidy)
        try? device.beginContinued()
        let task = try host.beginBackgroundTask(named: "upload") { host.note("expires") }
        device.advance(by: .seconds(40))
        device.pressHome()
        device.advance(by: .seconds(60))
        task.end()
        device.lock()
        device.plugIn()
        device.advance(by: .seconds(86_400))
        device.unlock()
        device.reboot()
        device.unlock()
        device.open()
        device.advance(by: .seconds(60))
        device.switchOff()
    }

    /// Durations of each kind that a policy may have: negative, zero, the shortest, an ordinary one and the longest.
    nonisolated private static let distinctDurations: [Duration] = [
        .seconds(-1), .zero, .nanoseconds(1), .seconds(1), .seconds(Int64.max),
    ]

    @Test("a day passes under a rule of any duration", arguments: distinctDurations)
    func rules(duration: Duration) throws {
        for rule in Self.rules {
            var policy = SystemPolicy.impatient
            policy[keyPath: rule] = duration
            try live(policy)
        }
        for range in Self.ranges {
            for bounds in [duration...duration, min(.zero, duration)...max(.zero, duration)] {
                var policy = SystemPolicy.impatient
                policy[keyPath: range] = bounds
                try live(policy)
            }
        }
    }

    @Test("an exploration with any longest wait explores", arguments: distinctDurations)
    func explorations(duration: Duration) throws {
        var exploration = Exploration()
        exploration.steps = 20
        exploration.longestWait = duration
        let report = try SimulatedDevice.explore(seeds: 1...2, exploration) { device in
            device.install { ProbeApp($0) }
        }
        #expect(report.seedCount == 2 && report.time <= .seconds(2 * 20 * 30 * 86_400))
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
                #expect(route.lastMove(upTo: max(.zero, other)).map { $0 <= max(.zero, other) } ?? true)
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
