#if os(Linux)
    import ApusVirtualTime
    import ApusBackground
    import ApusDevice
    import ApusTestTraits
    import ApusTimers
    import AVFoundation
    import Foundation
    import MediaPlayer
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// An app and the events that happen to it; it runs in the test's process and in a process of its own.
    private struct Scenario: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var manifest = AppManifest(usesScenes: false)
        let app: @MainActor @Sendable () -> any UIApplicationDelegate
        var sceneDelegate: (@MainActor @Sendable () -> any UISceneDelegate)?
        let program: @convention(c) () -> Void
        var fault: Fault.Rule?
        let events: @MainActor @Sendable (SimulatedDevice) -> Void

        static let all: [Scenario] = [
            Scenario(
                testDescription: "life cycle", app: { Recorder() }, program: { SimulatedPhone.run(Recorder()) },
                events: { device in
                    device.launch()
                    device.applyMemoryPressure()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.moveWallClock(by: .seconds(3_600))
                    device.open()
                    device.advance(by: .seconds(1))
                    device.receiveCall()
                    device.endCall()
                    device.swipeAway()
                }),
            Scenario(
                testDescription: "scenes", manifest: AppManifest(usesScenes: true), app: { Recorder() },
                sceneDelegate: { SceneRecorder() },
                program: { SimulatedPhone.run(Recorder(), sceneDelegate: { SceneRecorder() }) },
                events: { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.open()
                }),
            Scenario(
                testDescription: "scenes that are taken away", manifest: AppManifest(usesScenes: true),
                app: { Recorder() }, sceneDelegate: { SceneRecorder() },
                program: { SimulatedPhone.run(Recorder(), sceneDelegate: { SceneRecorder() }) },
                events: { device in
                    device.launch()
                    device.disconnectScene()
                    device.pressHome()
                    device.disconnectScene()
                    device.disconnectScene()
                    device.advance(by: .seconds(60))
                    device.open()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.disconnectScene()
                    device.advance(by: .seconds(60))
                    device.open()
                }),
            Scenario(
                testDescription: "a background task that is given back", app: { Claimer() },
                program: { SimulatedPhone.run(Claimer()) },
                events: { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.open()
                }),
            Scenario(
                testDescription: "a background task that is kept", app: { Keeper() },
                program: { SimulatedPhone.run(Keeper()) },
                fault: .backgroundTaskNotEnded,
                events: { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                }),
            Scenario(
                testDescription: "background tasks",
                manifest: AppManifest(
                    backgroundModes: [.fetch, .processing], permittedTaskIdentifiers: ["refresh", "process"],
                    usesScenes: false),
                app: { Refresher() }, program: { SimulatedPhone.run(Refresher()) },
                events: { device in
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(6 * 3_600))
                    device.kill()
                    device.advance(by: .seconds(6 * 3_600))
                    device.launchJob("process")
                    device.advance(by: .seconds(3_600))
                }),
            Scenario(
                testDescription: "notifications", app: { Reminder() }, program: { SimulatedPhone.run(Reminder()) },
                events: { device in
                    device.launch()
                    device.advance(by: .seconds(60))
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.kill()
                    device.advance(by: .seconds(1_500))
                    _ = device.notifications.tap("tea")
                    device.advance(by: .seconds(1))
                }),
            Scenario(
                testDescription: "location",
                manifest: AppManifest(backgroundModes: [.location], usesScenes: false), app: { Walker() },
                program: { SimulatedPhone.run(Walker()) },
                events: { device in
                    device.location.userAnswer = .always
                    device.location.setRoute(
                        .steps(
                            (0..<30).map { step in
                                (.seconds(20), LocationRoute.Place(latitude: Double(step), longitude: 11))
                            }))
                    device.launch()
                    device.advance(by: .seconds(60))
                    device.pressHome()
                    device.advance(by: .seconds(3_600))
                    device.open()
                    device.location.setAuthorization(.denied)
                    device.advance(by: .seconds(1))
                }),
            Scenario(
                testDescription: "audio", manifest: AppManifest(backgroundModes: [.audio], usesScenes: false),
                app: { Player() }, program: { SimulatedPhone.run(Player()) },
                events: { device in
                    device.launch()
                    device.advance(by: .seconds(100))
                    device.pressHome()
                    device.advance(by: .seconds(100))
                    device.receiveCall()
                    device.advance(by: .seconds(10))
                    device.endCall()
                    device.advance(by: .seconds(10))
                    device.open()
                    SimulatedPhone.give(\.pauseCommand, on: device)
                    device.advance(by: .seconds(600))
                }),
            Scenario(
                testDescription: "conditions", app: { Watcher() }, program: { SimulatedPhone.run(Watcher()) },
                events: { device in
                    device.launch()
                    device.plugIn()
                    device.advance(by: .seconds(1))
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.unplug()
                    device.advance(by: .seconds(60))
                    device.open()
                    device.advance(by: .seconds(1))
                }),
        ]
    }

    /// Returns the lines of the log, sorted within each instant.
    ///
    /// The order within an instant differs between the two runs, because an app in a process of its own comes to rest
    /// between two steps of the system.
    private func byInstant(_ log: String) -> [String] {
        let lines = log.split(separator: "\n")
        let instants = Dictionary(grouping: lines.enumerated(), by: { $0.element.prefix { $0 != " " } })
        return instants.values.sorted { $0[0].offset < $1[0].offset }.flatMap { $0.map { String($0.element) }.sorted() }
    }

    @MainActor
    @Suite("The simulated frameworks in a process of the app's own", .serialized, .simulatedPhone())
    struct OwnProcessTests {
        @Test(
            "an app does the same in a process of its own as in the test's process, instant by instant",
            arguments: Scenario.all)
        private func same(_ scenario: Scenario) throws {
            func log(_ install: (SimulatedDevice) -> Void) throws -> [String] {
                try SimulatedDevice.run { device in
                    if let fault = scenario.fault { device.expect(fault) }
                    install(device)
                    scenario.events(device)
                    return byInstant(device.logText)
                }
            }
            let shared = try log { device in
                SimulatedPhone.install(
                    on: device, manifest: scenario.manifest, delegate: scenario.app(),
                    sceneDelegate: scenario.sceneDelegate)
            }
            let own = try log { device in
                SimulatedPhone.install(on: device, manifest: scenario.manifest, program: scenario.program)
            }
            #expect(own.difference(from: shared).map { "\($0)" } == [])
            // The scenario is pointless if the app has noted nothing.
            #expect(own.contains { $0.contains("app note") })
        }

        @Test("an identifier that an earlier process has kept in a file ends no background task of this one")
        func keptIdentifier() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { SimulatedPhone.run(Hoarder()) })
                device.launch()
                device.kill()
                device.launch()
                #expect(device.logText.contains("app note: background task 2"))
                #expect(!device.has(.backgroundTaskEnded("kept")))
                #expect(
                    device.warnings == [
                        "background task 1 was begun by an earlier process of the app, so it is not ended here"
                    ]
                )
            }
        }

        @Test("an app that sleeps on its way to the background takes that time, and is ended when it takes too long")
        func sleepsOnTheWay() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { SimulatedPhone.run(Sleeper(seconds: 2)) })
                device.launch()
                let start = device.time.uptime()
                device.pressHome()
                #expect(start.duration(to: device.time.uptime()) == .seconds(2))
                #expect(device.logText.contains("app note: slept"))
            }
            try SimulatedDevice.run { device in
                device.expect(.slowBackgroundEntry)
                SimulatedPhone.install(on: device, program: { SimulatedPhone.run(Sleeper(seconds: 10)) })
                device.launch()
                device.pressHome()
                #expect(device.host == nil && !device.logText.contains("app note: slept"))
            }
        }

        @Test(
            "a background task ended by what its handler has put on a queue is ended too late, at the same instant too"
        )
        func endedAfterHandler() throws {
            func log(_ unendedBackgroundTasks: SystemPolicy.UnendedBackgroundTasks, fault: Fault.Rule?) throws -> String
            {
                var policy = SystemPolicy()
                policy.unendedBackgroundTasks = unendedBackgroundTasks
                return try SimulatedDevice.run(policy: policy) { device in
                    if let fault { device.expect(fault) }
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(Latecomer()) })
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    return device.logText
                }
            }
            let strict = try log(.endsAppAfterHandlers, fault: .backgroundTaskNotEnded)
            #expect(
                strict.contains("background tasks “late” were still open when their expiration handlers had returned"))
            let lenient = try log(.endsAppAtZero, fault: nil)
            #expect(
                lenient.contains(
                    "warning: background tasks “late” were still open when their expiration handlers had returned"))
            #expect(!lenient.contains("terminated"))
        }

        @Test("an app that waits for ever in its launch is ended by the watchdog")
        func waitsInLaunch() throws {
            try SimulatedDevice.run { device in
                device.expect(.slowLaunch)
                SimulatedPhone.install(on: device, program: { DispatchSemaphore(value: 0).wait() })
                device.launch()
                #expect(device.host == nil)
            }
        }

        @Test("the launch handler of a background task may wait for the main thread, and complete the task elsewhere")
        func mainThreadFromLaunchHandler() throws {
            try SimulatedDevice.run { device in
                let manifest = AppManifest(
                    backgroundModes: [.fetch], permittedTaskIdentifiers: ["refresh"], usesScenes: false)
                SimulatedPhone.install(on: device, manifest: manifest, program: { SimulatedPhone.run(Elsewhere()) })
                device.launch()
                device.pressHome()
                device.advance(by: .seconds(60))
                device.launchJob("refresh")
                device.advance(by: .seconds(60))
                #expect(device.logText.contains("app note: on the main thread"))
                let run = try #require(device.jobs.history.first)
                #expect(run.outcome == .succeeded)
                #expect(run.ended.map { run.launched.duration(to: $0) } == .seconds(5))
            }
        }

        @Test(
            "an event with which the device answers a call arrives at the same instant, although the app has later timers"
        )
        func eventOfACall() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { SimulatedPhone.run(Asker()) })
                device.location.setAuthorization(.whenInUse)
                device.location.setRoute(.standing(at: LocationRoute.Place(latitude: 48, longitude: 11)))
                device.launch()
                device.advance(by: .seconds(60))
                #expect(device.logText.contains("app note: position at 3 s"))
                #expect(device.logText.split(separator: "\n").count { $0.contains("app note: position") } == 1)
            }
        }

        @Test("an app's variables are new in its next process, and what the system keeps is still there")
        func nextProcess() throws {
            try SimulatedDevice.run { device in
                let manifest = AppManifest(
                    backgroundModes: [.processing], permittedTaskIdentifiers: ["study"], usesScenes: false)
                SimulatedPhone.install(on: device, manifest: manifest, program: { SimulatedPhone.run(Counter()) })
                for _ in 0..<3 {
                    device.launch()
                    device.kill()
                }
                device.launchJob("study")
                device.advance(by: .seconds(1))
                #expect(device.logText.split(separator: "\n").count { $0.contains("app note: launch 1") } == 4)
                #expect(device.logText.contains("app note: BGHealthResearchTask"))
            }
        }
    }
#endif
