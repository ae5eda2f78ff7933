import ApusApple
import ApusBackground
import ApusDevice
import ApusTestSupport
import Logging
import SimulatedAppleCore
import Testing
import UIKit

@testable import ApusTimers

extension ApusAppleTests {
    @MainActor
    @Suite("AppleHost")
    struct Host {
        private func observer(_ journal: Journal) -> @MainActor (AppleHost) -> Any {
            { host in host.observePhase { journal.note("\($0)") } }
        }

        @Test("phases come in UIKit's order, also to observers, and suspension is not announced")
        func phases() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                device.launchPort(build: observer(journal))
                #expect(journal.take() == ["0 active"])
                device.pressHome()
                #expect(journal.take() == ["0 inactive", "0 background"])
                device.advance(by: .seconds(10))
                #expect(device.host?.phase == .suspended)
                try #expect(device.port.phase == .background)
                device.open()
                #expect(journal.take() == ["10 inactive", "10 active"])
                device.receiveCall()
                device.endCall()
                #expect(journal.take() == ["10 inactive", "10 active"])
                device.openAppSwitcher()
                device.swipeAway()
                #expect(journal.take() == ["10 inactive", "10 background", "10 terminated"])
            }
        }

        @Test("an app with scenes that enters the foreground is inactive before it is active")
        func scenes() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                SimulatedPhone.install(
                    on: device, delegate: PortDelegate(observer(journal)), sceneDelegate: { EmptySceneDelegate() })
                device.launch()
                #expect(journal.take() == ["0 inactive", "0 active"])
            }
        }

        @Test("the sequence of phases equals the observers' and ends with the app")
        func phaseChanges() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                device.launchPort { host in
                    let changes = host.phaseChanges()
                    host.start {
                        for await phase in changes { journal.note("\(phase)") }
                        journal.note("over")
                    }
                    return ()
                }
                device.pressHome()
                device.advance(by: .seconds(10))
                device.open()
                device.swipeAway()
                #expect(
                    journal.all == [
                        "0 active", "0 inactive", "0 background", "10 inactive", "10 active", "10 inactive",
                        "10 background", "10 terminated", "10 over",
                    ])
            }
        }

        @Test("an observer of the background phase uses the time that UIKit grants, and no more")
        func slowObserver() throws {
            for (seconds, faults) in [(4, 0), (6, 1)] {
                try SimulatedDevice.run { device in
                    if faults > 0 { device.expect(.slowBackgroundEntry) }
                    device.launchPort { [weak device] host in
                        host.observePhase { phase in
                            if phase == .background { device?.host?.work(for: .seconds(seconds)) }
                        }
                    }
                    device.pressHome()
                    #expect(device.faults.count == faults)
                }
            }
        }

        @Test("the foreground time is unlimited, and in the background UIKit's estimate counts down")
        func remaining() throws {
            try SimulatedDevice.run { device in
                device.launchPort { host in try host.beginBackgroundTask(named: "upload") }
                try #expect(device.port.backgroundTimeRemaining == nil)
                device.pressHome()
                device.advance(by: .seconds(10))
                try #expect(device.port.backgroundTimeRemaining == .seconds(20))
            }
        }

        @Test(
            "battery, low-power mode and temperature are known and observed; conditions that UIKit does not report are unknown"
        )
        func conditions() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                device.launchPort { host in
                    let changes = host.conditionChanges()
                    host.start {
                        for await conditions in changes {
                            let (level, power) = (conditions.batteryLevel, conditions.isOnExternalPower)
                            journal.note("\(level.map { Int($0 * 100) } ?? -1) \(power.map { "\($0)" } ?? "?")")
                        }
                    }
                    return ()
                }
                try #expect(
                    device.port.conditions
                        == DeviceConditions(
                            isOnExternalPower: false, batteryLevel: 1, isLowPowerMode: false, thermalState: .nominal))
                device.setBattery(0.5)
                device.plugIn()
                device.advance(by: .seconds(1))
                #expect(journal.all == ["0 50 false", "0 50 true"])
                device.pressHome()
                device.advance(by: .seconds(10))
                device.unplug()
                device.setLowPowerMode(true)
                device.setThermalState(.serious)
                device.open()
                device.advance(by: .seconds(1))
                #expect(journal.take().last == "11 50 false")
                device.plugIn()
                device.advance(by: .seconds(1))
                try #expect(
                    device.port.conditions
                        == DeviceConditions(
                            isOnExternalPower: true, batteryLevel: 0.5, isLowPowerMode: true, thermalState: .serious))
            }
        }

        @Test("each start of the device has its own identifier")
        func bootID() throws {
            try SimulatedDevice.run { device in
                device.launchPort { _ in () }
                let first = try #require(device.port.bootID)
                device.kill()
                device.open()
                try #expect(device.port.bootID == first)
                device.reboot()
                device.open()
                try #expect(device.port.bootID != first)
            }
        }

        // MARK: Background tasks

        @Test(
            "a background task keeps the app running until it is ended, and is ended once however often `end` is called"
        )
        func claim() throws {
            try SimulatedDevice.run { device in
                device.launchPort { host in try host.beginBackgroundTask(named: "upload") }
                device.pressHome()
                device.advance(by: .seconds(15))
                #expect(device.host?.phase == .background)
                let task: BackgroundTask = try device.built()
                for _ in 0..<3 { task.end() }
                device.advance(by: .seconds(3))
                #expect(device.host?.phase == .suspended)
                #expect(device.claims == (["upload"], ["upload"]))
                #expect(device.warnings.isEmpty)
            }
        }

        @Test(
            "four seconds before the end, handlers are called in one pass on the main actor, and background tasks then end"
        )
        func expiry() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                device.launchPort { host in
                    try ["one", "two"].map { name in
                        try host.beginBackgroundTask(named: name) { journal.note("\(name) expires") }
                    }
                }
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(journal.all == ["26 one expires", "26 two expires"])
                #expect(device.claims == (["one", "two"], ["one", "two"]))
                try #expect(device.delay(of: .backgroundTaskEnded("two")) == .seconds(26))
                #expect(device.ends.isEmpty)
                #expect(device.warnings.isEmpty)
                #expect(device.host?.phase == .suspended)
            }
        }

        @Test("a handler that ends its background task itself ends it only once")
        func handlerEnds() throws {
            try SimulatedDevice.run { device in
                device.launchPort { host in
                    let box = Locked<BackgroundTask?>(nil)
                    let task = try host.beginBackgroundTask(named: "upload") { box.withLock { $0.take() }?.end() }
                    box.withLock { $0 = task }
                    return ()
                }
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.claims == (["upload"], ["upload"]))
                #expect(device.warnings.isEmpty && device.ends.isEmpty)
            }
        }

        @Test("an app that asks to end its background task itself and does not is terminated, as on a phone")
        func leftToTheApp() throws {
            try SimulatedDevice.run { device in
                device.expect(.backgroundTaskNotEnded)
                device.launchPort { host in
                    var request = BackgroundTaskRequest(name: "upload")
                    request.endsOnExpiration = false
                    return try host.beginBackgroundTask(request)
                }
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.ends.count == 1)
            }
        }

        @Test("a refused background task is an error, and its handler is called on the main loop")
        func invalid() throws {
            var policy = SystemPolicy()
            policy.givesInvalidBackgroundTasks = true
            try SimulatedDevice.run(policy: policy) { device in
                let journal = Journal(device)
                device.launchPort { host in
                    do {
                        return try host.beginBackgroundTask(named: "upload") { journal.note("expires") }
                    } catch let error as BackgroundError {
                        journal.note("\(error.code)")
                        return ()
                    }
                }
                #expect(journal.all == ["0 tooLate", "0 expires"])
            }
        }

        @Test("a background task that begins too late is ended after its handler was called")
        func late() throws {
            var policy = SystemPolicy()
            // After the expiration handlers have returned, the app still runs for a second.
            policy.suspensionDelay = .seconds(1)...(.seconds(1))
            try SimulatedDevice.run(policy: policy) { device in
                let journal = Journal(device)
                device.launchPort { host in
                    let late = Locked<BackgroundTask?>(nil)
                    host.engine.schedule(after: .milliseconds(26_500)) {
                        let task = try? host.beginBackgroundTask(named: "late") { journal.note("late expires") }
                        journal.note(task == nil ? "refused" : "given")
                        late.withLock { $0 = task }
                    }
                    let early = try host.beginBackgroundTask(named: "upload")
                    return { _ = (early, late.withLock { $0 }) }
                }
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(journal.all == ["26 given", "26 late expires"])
                #expect(device.ends.isEmpty && device.warnings.isEmpty)
            }
        }

        @Test("a released background task is ended, and logged with its source location")
        func dropped() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                device.launchPort { _ in
                    let host = AppleHost(
                        logger: Logger { if $0.level >= .error { journal.note($0.text) } })
                    _ = try host.beginBackgroundTask(named: "upload")
                    return host
                }
                #expect(device.claims == (["upload"], ["upload"]))
                #expect(journal.all.count == 1)
                #expect(journal.all.first?.contains("ApusAppleTests/AppleHostTests.swift") == true)
            }
        }

        @Test("withBackgroundTask cancels its body at the expiry, and the app is suspended")
        func structured() throws {
            try SimulatedDevice.run { device in
                let journal = Journal(device)
                device.launchPort { host in
                    host.start {
                        do {
                            try await host.withBackgroundTask(named: "upload") {
                                try await host.engine.sleep(for: .seconds(100))
                            }
                            journal.note("done")
                        } catch {
                            journal.note("cancelled")
                        }
                    }
                    return ()
                }
                device.advance(by: .zero)
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(journal.all == ["26 cancelled"])
                #expect(device.claims == (["upload"], ["upload"]))
                #expect(device.ends.isEmpty)
            }
        }
    }
}

private final class EmptySceneDelegate: UIResponder, UISceneDelegate {}
