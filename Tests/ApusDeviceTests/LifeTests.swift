import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

@MainActor
@Suite("The simulated device's life cycle")
struct LifeTests {
    @Test("an app with scenes launches in background, one without in inactive; both become active")
    func launchPhases() throws {
        for (usesScenes, first) in [(true, Phase.background), (false, .inactive)] {
            try SimulatedDevice.run { device in
                let seen = Box<Phase?>(nil)
                device.install(AppManifest(usesScenes: usesScenes)) { host in
                    seen.value = host.phase
                    return ProbeApp(host)
                }
                device.launch()
                #expect(seen.value == first)
                let entered: [Phase] = usesScenes ? [.inactive, .active] : [.active]
                let probe = try device.probe
                #expect(probe.phases == entered)
            }
        }
    }

    @Test("an app that leaves the foreground is first inactive, then in the background, then suspended")
    func order() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            device.pressHome()
            #expect(host.phase == .background)
            device.advance(by: .seconds(10))
            #expect(host.phase == .suspended)
            #expect(try device.probe.phases == [.inactive, .active, .inactive, .background])
            let delay = try device.delay(of: .phase(.suspended))
            #expect(device.policy.suspensionDelay.contains(delay))
        }
    }

    @Test("an app that needs over 5 s to enter the background is ended at 5 s")
    func slowEntry() throws {
        try SimulatedDevice.run { device in
            device.expect(.slowBackgroundEntry)
            _ = try device.launchProbe { app, phase in
                guard phase == .background else { return }
                app.host.work(for: .seconds(3))
                app.host.work(for: .seconds(3))
                app.host.note("too late")
            }
            device.pressHome()
            #expect(device.app == nil)
            let reason = try #require(device.ends.first)
            #expect(reason.hasPrefix("0x8badf00d watchdog"))
            #expect(try device.delay(of: .terminated(reason)) == .seconds(5))
            #expect(device.ownNotes.isEmpty)
        }
    }

    @Test("an app may work for 5 s on entering the background, and is suspended after that")
    func allowedEntry() throws {
        try SimulatedDevice.run { device in
            _ = try device.launchProbe { app, phase in if phase == .background { app.host.work(for: .seconds(5)) } }
            device.pressHome()
            device.advance(by: .seconds(10))
            #expect(try device.delay(of: .phase(.suspended)) > .seconds(5))
            #expect(device.ends.isEmpty)
        }
    }

    @Test("an app that needs over 20 s to start is ended")
    func slowLaunch() throws {
        try SimulatedDevice.run { device in
            device.expect(.slowLaunch)
            device.install { host in
                host.work(for: .seconds(21))
                return ProbeApp(host)
            }
            device.launch()
            #expect(device.app == nil)
            #expect(device.ends.first?.hasPrefix("0x8badf00d watchdog") == true)
            device.open()
            #expect(device.ends.count == 2)
        }
    }

    @Test("a call and the app switcher make an app inactive without a background phase")
    func interruptions() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            device.receiveCall()
            #expect(host.phase == .inactive)
            device.endCall()
            #expect(host.phase == .active)
            device.openAppSwitcher()
            #expect(host.phase == .inactive)
            device.open()
            #expect(host.phase == .active)
            #expect(try device.probe.phases == [.inactive, .active, .inactive, .active, .inactive, .active])
        }
    }

    @Test("locking moves the app in front to the background, and unlocking brings it back")
    func lock() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            device.lock()
            #expect(host.phase == .background)
            #expect(host.conditions.isIdle == true)
            device.advance(by: .seconds(60))
            #expect(host.phase == .suspended)
            device.unlock()
            #expect(host.phase == .active)
            #expect(host.conditions.isIdle == false)
            device.pressHome()
            device.lock()
            device.unlock()
            #expect(host.phase == .background)
        }
    }

    @Test("a suspended app is notified of its suspension when it runs again")
    func hearsLate() throws {
        try SimulatedDevice.run { device in
            _ = try device.launchProbe()
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(try device.probe.phases.last == .background)
            device.open()
            #expect(try device.probe.phases.suffix(3) == [.suspended, .inactive, .active])
        }
    }

    @Test("memory pressure ends a suspended app without notice, and only warns a running app")
    func memoryPressure() throws {
        try SimulatedDevice.run { device in
            let heard = Box<[Phase]>([])
            _ = try device.launchProbe { _, phase in heard.value.append(phase) }
            device.applyMemoryPressure()
            #expect(device.app != nil)
            #expect(device.warnings == ["memory is low"])
            device.pressHome()
            device.advance(by: .seconds(60))
            device.applyMemoryPressure()
            #expect(device.app == nil)
            #expect(heard.value.last == .background)
            #expect(device.ends == ["purged from memory while suspended"])
        }
    }

    /// Apple says that the app in front is ended last ("Identifying high-memory use with jetsam event reports").
    @Test("severe memory pressure ends a background app without notice, and only warns the app in front")
    func severeMemoryPressure() throws {
        try SimulatedDevice.run { device in
            let heard = Box<[Phase]>([])
            let host = try device.launchProbe { _, phase in heard.value.append(phase) }
            device.applyMemoryPressure(isSevere: true)
            #expect(device.warnings == ["memory is low"])
            _ = host.beginBackgroundTask(name: "save")
            device.pressHome()
            device.applyMemoryPressure()
            #expect(device.appPhase == .background)
            device.applyMemoryPressure(isSevere: true)
            #expect(device.app == nil)
            #expect(heard.value.last == .background)
            #expect(device.ends == ["purged from memory in the background"])
        }
    }

    @Test("an app that is swiped away while it runs is notified, and ended when its callback has returned")
    func swipeRunning() throws {
        try SimulatedDevice.run { device in
            let heard = Box<[Phase]>([])
            let host = try device.launchProbe { app, phase in
                heard.value.append(phase)
                if phase == .terminated { app.host.work(for: .seconds(4)) }
            }
            device.openAppSwitcher()
            device.swipeAway()
            #expect(heard.value.suffix(3) == [.inactive, .background, .terminated])
            #expect(device.app == nil)
            #expect(host.phase == .terminated)
            #expect(device.ends == ["force quit"])
        }
    }

    @Test("an app that needs over 5 s at its end is ended before it has finished")
    func slowEnd() throws {
        try SimulatedDevice.run { device in
            device.expect(.slowTermination)
            _ = try device.launchProbe { app, phase in
                guard phase == .terminated else { return }
                app.host.work(for: .seconds(6))
                app.host.note("finished")
            }
            device.swipeAway()
            #expect(device.ownNotes.isEmpty)
            #expect(device.ends.first?.hasPrefix("0x8badf00d watchdog") == true)
        }
    }

    @Test("a suspended app that is swiped away is not notified")
    func swipeSuspended() throws {
        try SimulatedDevice.run { device in
            let heard = Box<[Phase]>([])
            _ = try device.launchProbe { _, phase in heard.value.append(phase) }
            device.pressHome()
            device.advance(by: .seconds(60))
            device.swipeAway()
            #expect(heard.value.last == .background)
            #expect(device.ends == ["force quit while suspended"])
        }
    }

    @Test("a crash ends the app without notice, and its records survive")
    func crash() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            try host.storage.save(7, for: "count")
            device.kill()
            #expect(device.ends == ["crash"])
            #expect(throws: BackgroundError.self) { try host.storage.save(8, for: "count") }
            device.launch()
            #expect(try device.host?.storage.load(Int.self, for: "count") == 7)
            #expect(device.host !== host)
        }
    }

    @Test(
        "the system may end an app for a reason with a code",
        arguments: [
            (TerminationCode.watchdog, "0x8badf00d"), (.taskTimeout, "0x2182bad2"), (.sessionTimeout, "0x2182bad3"),
            (.fetchTimeout, "0x2182bad4"), (.fileLock, "0xdead10cc"), (.thermal, "0xc00010ff"),
            (.tooManyBackgroundTasks, "0xbada5e47"),
        ])
    func codes(code: TerminationCode, number: String) throws {
        try SimulatedDevice.run { device in
            _ = try device.launchProbe()
            device.kill(code)
            #expect(device.ends == ["\(number) \(code.name)"])
        }
    }

    @Test("an ended process runs and logs nothing, and gets no background tasks")
    func dead() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let changes = host.phaseChanges()
            host.start {
                for await _ in changes {}
                host.note("the sequence ended")
            }
            host.engine.schedule(after: .seconds(1)) { host.note("timer") }
            host.mainLoop.run { host.note("main loop") }
            device.kill()
            host.start { host.note("task") }
            host.mainLoop.run { host.note("main loop") }
            host.engine.schedule(after: .seconds(1)) { host.note("timer") }
            host.note("note")
            #expect(host.beginBackgroundTask() == .invalid)
            #expect(throws: BackgroundError.self) { try host.beginBackgroundTask(named: "late") }
            device.advance(by: .seconds(60))
            #expect(device.ownNotes.isEmpty)
            #expect(host.phase == .terminated)
            #expect(host.backgroundTimeRemaining == nil)
        }
    }

    @Test("a restart ends the app, and uptime begins again near zero")
    func reboot() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let wall = device.time.wall()
            #expect(host.engine.time.uptime() == UptimeInstant(nanoseconds: 3_600_000_000_000))
            #expect(host.bootID == "boot-1")
            device.reboot()
            #expect(device.app == nil)
            #expect(device.isLocked)
            device.open()
            let next = try #require(device.host)
            #expect(next.bootID == "boot-2")
            #expect(next.engine.time.uptime() == UptimeInstant(nanoseconds: 0))
            #expect(next.engine.time.continuous() == ContinuousInstant(nanoseconds: 0))
            #expect(wall.duration(to: device.time.wall()) == device.policy.rebootTime)
            next.engine.schedule(after: .seconds(5), clock: .uptime) { next.note("5 s") }
            next.engine.schedule(after: .seconds(6)) { next.note("6 s") }
            device.advance(by: .seconds(5))
            #expect(device.ownNotes == ["5 s"])
            #expect(device.log.last?.uptime == UptimeInstant(nanoseconds: 5_000_000_000))
            device.advance(by: .seconds(1))
            #expect(device.ownNotes == ["5 s", "6 s"])
        }
    }

    @Test("an impossible control is a warning, and a launch without an app is a fault")
    func senseless() throws {
        try SimulatedDevice.run { device in
            device.expect(.noApp)
            device.launch()
            device.pressHome()
            device.swipeAway()
            device.endCall()
            #expect(device.warnings == ["the app is not in the switcher, so it cannot be swiped away"])
            _ = try device.launchProbe()
            device.launch()
            #expect(device.warnings.last == "the app is already running; call open() to bring it to the front")
        }
    }

    @Test("an app object that outlives its process is a fault")
    func leak() throws {
        final class Knot {
            var knot: Knot?
        }
        let knot = Box<Knot?>(nil)
        let error = #expect(throws: DeviceError.self) {
            try SimulatedDevice.run(seed: 3) { device in
                device.install { _ in
                    let app = Knot()
                    app.knot = app
                    knot.value = app
                    return app
                }
                device.launch()
            }
        }
        knot.value?.knot = nil
        #expect(error?.unexpectedFaults.map(\.rule) == [.leakedApp])
        #expect(error?.description.contains("seed 3") == true)
    }

    @Test("an app whose creation throws an error has crashed, and the user may launch it again")
    func crashAtLaunch() throws {
        struct NoRecords: Error {}
        try SimulatedDevice.run { device in
            let isBroken = Box(true)
            device.install { host in
                if isBroken.value { throw NoRecords() }
                return ProbeApp(host)
            }
            device.expect(.crashAtLaunch)
            device.launch()
            #expect(device.host == nil)
            #expect(device.faults.map(\.rule) == [.crashAtLaunch])
            isBroken.value = false
            device.launch()
            #expect(device.host?.phase == .active)
        }
    }

    @Test("a test fails if an expected fault does not occur")
    func missing() {
        let error = #expect(throws: DeviceError.self) { try SimulatedDevice.run { $0.expect(.tooManyBackgroundTasks) } }
        #expect(error?.missingFaults == [.tooManyBackgroundTasks])
    }

    @Test("the app receives conditions in order, and a suspended app only the latest when it runs again")
    func conditions() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            let changes = host.conditionChanges()
            host.start { for await change in changes { host.note("battery \(change.batteryLevel ?? -1)") } }
            device.setBattery(0.5)
            device.setLowPowerMode(true)
            device.setBattery(0.4)
            #expect(device.ownNotes == ["battery 0.5", "battery 0.5", "battery 0.4"])
            device.pressHome()
            device.advance(by: .seconds(60))
            device.setBattery(0.3)
            device.setBattery(7)
            device.setNetwork(.none)
            device.plugIn()
            device.setThermalState(.serious)
            device.setBackgroundRefresh(false)
            #expect(host.conditions.batteryLevel == 0.4)
            device.open()
            #expect(device.ownNotes.last == "battery 1.0")
            #expect(device.ownNotes.count == 4)
            #expect(host.conditions == device.conditions)
            device.unplug()
            #expect(host.conditions.isOnExternalPower == false)
            #expect(host.conditions.network == DeviceConditions.Network.none)
            #expect(host.conditions.thermalState == .serious)
            #expect(!device.isBackgroundRefreshOn)
        }
    }
}
