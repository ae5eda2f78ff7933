import ApusBackground
import ApusTimers
import Testing

@testable import ApusDevice
@testable import ApusVirtualTime

@MainActor
@Suite("What the device offers its parts")
struct DevicePartTests {
    private enum Event: Equatable {
        case launched, ended, rebooted
        case phase(Phase)
        case call(isActive: Bool)
    }

    @MainActor
    private final class Recorder: DevicePart {
        var events: [Event] = []

        nonisolated init(_ surroundings: PartSurroundings) {}
        func appLaunched(toForeground: Bool) { events.append(.launched) }
        func appEntered(_ phase: Phase) { events.append(.phase(phase)) }
        func appSuspended() { events.append(.phase(.suspended)) }
        func processEnded() { events.append(.ended) }
        func callChanged(isActive: Bool) { events.append(.call(isActive: isActive)) }
        func deviceRebooted() { events.append(.rebooted) }
    }

    @Test("a continuous mode keeps the app running in the background, and when it stops the app is suspended")
    func continuousMode() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe(AppManifest(backgroundModes: [.audio]))
            #expect(!host.setContinuousMode(.location, isActive: true), "it is not declared")
            host.setContinuousMode(.audio, isActive: true)
            let task = try host.beginBackgroundTask(named: "save") { host.note("expired") }
            device.pressHome()
            device.advance(by: .seconds(3_600))
            #expect(host.phase == .background)
            #expect(host.backgroundTimeRemaining == nil)
            host.setContinuousMode(.audio, isActive: false)
            device.advance(by: .zero)
            #expect(host.backgroundTimeRemaining == .seconds(30))
            task.end()
            device.advance(by: .seconds(3))
            #expect(host.phase == .suspended)
            #expect(device.ownNotes.isEmpty)
        }
    }

    @Test("a part is notified of processes, phases, calls and restarts, and also of the suspension")
    func events() throws {
        try SimulatedDevice.run { device in
            let part = device.add(Recorder.self)
            _ = try device.launchProbe()
            device.receiveCall()
            device.endCall()
            device.pressHome()
            device.advance(by: .seconds(10))
            device.reboot()
            #expect(
                part.events == [
                    .launched, .phase(.inactive), .phase(.active), .call(isActive: true), .phase(.inactive),
                    .call(isActive: false), .phase(.active), .phase(.inactive), .phase(.background), .phase(.suspended),
                    .ended, .rebooted,
                ])
        }
    }

    @Test("the system's timers run while the app is suspended, and may resume it in the background for a while")
    func wake() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            device.pressHome()
            device.systemEngine.schedule(after: .seconds(100)) { [weak device] in
                MainActor.assumeIsolated { _ = device?.wakeInBackground("a visitor") }
            }
            device.advance(by: .seconds(100))
            #expect(host.phase == .background)
            #expect(try device.probe.phases.suffix(2) == [.suspended, .background])
            device.advance(by: .seconds(3))
            #expect(host.phase == .suspended)
        }
    }

    @Test("a launch in the background has only that phase; it is forbidden after a force quit, and until an unlock")
    func backgroundLaunch() throws {
        try SimulatedDevice.run { device in
            device.install { ProbeApp($0) }
            #expect(device.wakeInBackground("fetch"))
            device.advance(by: .zero)
            #expect(device.host?.phase == .background)
            let probe = try device.probe
            #expect(probe.phases == [.background])
            device.advance(by: .seconds(3))
            #expect(device.host?.phase == .suspended)
            device.open()
            device.swipeAway()
            #expect(!device.wakeInBackground("fetch"))
            device.launch()
            device.reboot()
            #expect(!device.wakeInBackground("fetch"))
            device.unlock()
            #expect(device.wakeInBackground("fetch"))
        }
    }
}

@Suite("A process in virtual time")
struct VirtualProcessTests {
    @Test("timers of a stopped process neither fire nor delay the time, and overdue ones fire when it runs again")
    func stopped() throws {
        let time = VirtualTime()
        let process = time.startProcess(boot: BootReading())
        let log = DeviceLog(time: time)
        process.engine.schedule(after: .seconds(1)) { log.add(.app, .note("timer")) }
        process.start { log.add(.app, .note("task")) }
        process.stop()
        time.advance(by: .seconds(10))
        #expect(!time.advanceToNextDeadline())
        #expect(log.events.isEmpty)
        process.resume()
        time.settle()
        #expect(log.events.map(\.what) == [.note("task"), .note("timer")])
    }

    @Test("at one instant the system comes first, then the processes in the order of their start")
    func order() {
        let time = VirtualTime()
        let log = DeviceLog(time: time)
        for name in ["first", "second"] {
            let process = time.startProcess(boot: BootReading())
            process.engine.schedule(after: .seconds(1)) { log.add(.app, .note(name)) }
        }
        time.engine.schedule(after: .seconds(1)) { log.add(.system, .note("system")) }
        time.advance(by: .seconds(1))
        #expect(log.events.map(\.what) == [.note("system"), .note("first"), .note("second")])
    }

    @Test("tasks of an ended process do not continue, even if they are resumed")
    func ended() {
        let time = VirtualTime()
        let process = time.startProcess(boot: BootReading())
        let log = DeviceLog(time: time)
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        process.start {
            for await _ in stream {}
            log.add(.app, .note("ran"))
        }
        process.start {
            try? await process.engine.sleep(for: .seconds(1))
            log.add(.app, .note("ran"))
        }
        time.settle()
        time.end(process)
        continuation.finish()
        time.advance(by: .seconds(2))
        #expect(log.events.isEmpty)
        #expect(process.unfinishedTasks == 2)
    }
}
