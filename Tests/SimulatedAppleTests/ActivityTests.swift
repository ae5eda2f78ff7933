#if os(Linux)
    import ActivityKit
    import ApusBackground
    import ApusDevice
    import ApusTimers
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    private struct Ride: ActivityAttributes {
        struct ContentState: Codable, Hashable { var minutes: Int }

        var driver: String
    }

    @MainActor
    private func begin(_ when: String, minutes: Int = 5, staleDate: Date? = nil) {
        do {
            let content = ActivityContent(state: Ride.ContentState(minutes: minutes), staleDate: staleDate)
            let activity = try Activity.request(attributes: Ride(driver: "Ada"), content: content, pushType: nil)
            SimulatedPhone.note("\(when): \(activity.id) \(activity.activityState)")
        } catch {
            SimulatedPhone.note("\(when): \(error)")
        }
    }

    /// Tries to begin an activity in each phase, and updates it in the background.
    private final class RideApp: UIResponder, UIApplicationDelegate {
        private var claim = UIBackgroundTaskIdentifier.invalid

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            SimulatedPhone.note("enabled: \(ActivityAuthorizationInfo().areActivitiesEnabled)")
            for activity in Activity<Ride>.activities {
                let (driver, minutes) = (activity.attributes.driver, activity.content.state.minutes)
                SimulatedPhone.note("\(activity.id) of \(driver), \(minutes) min, \(activity.activityState)")
            }
            let began = Activity<Ride>.activityUpdates
            Task {
                for await activity in began {
                    let states = activity.activityStateUpdates
                    Task { for await state in states { SimulatedPhone.note("now \(state)") } }
                }
            }
            begin("at launch")
            return true
        }

        func applicationWillEnterForeground(_ application: UIApplication) { begin("on the way") }

        func applicationDidBecomeActive(_ application: UIApplication) {
            guard Activity<Ride>.activities.isEmpty else { return }
            begin("active")
        }

        func applicationDidEnterBackground(_ application: UIApplication) {
            begin("in the background")
            claim = application.beginBackgroundTask()
            Task {
                for activity in Activity<Ride>.activities {
                    await activity.update(ActivityContent(state: Ride.ContentState(minutes: 2), staleDate: nil))
                }
                application.endBackgroundTask(claim)
            }
        }
    }

    /// Begins an activity that becomes stale, and ends it after an hour.
    private final class ShortRideApp: UIResponder, UIApplicationDelegate {
        func applicationDidBecomeActive(_ application: UIApplication) {
            begin("active", staleDate: Date(timeIntervalSinceNow: 600))
            guard let activity = Activity<Ride>.activities.first else { return }
            let states = activity.activityStateUpdates
            Task { for await state in states { SimulatedPhone.note("now \(state)") } }
            let contents = activity.contentUpdates
            Task { for await content in contents { SimulatedPhone.note("now \(content.state.minutes) min") } }
            Task {
                try? await Task.sleep(for: .seconds(1_200))
                let update = ActivityContent(state: Ride.ContentState(minutes: 1), staleDate: nil)
                await activity.update(
                    update, alertConfiguration: AlertConfiguration(title: "Soon", body: "One minute", sound: .default))
                SimulatedPhone.note("\(activity.activityState)")
                try? await Task.sleep(for: .seconds(2_400))
                let last = ActivityContent(state: Ride.ContentState(minutes: 0), staleDate: nil)
                await activity.end(last, dismissalPolicy: .after(Date(timeIntervalSinceNow: 300)))
                await activity.update(update)
                SimulatedPhone.note("\(activity.activityState), \(activity.content.state.minutes) min")
            }
        }
    }

    private struct Letter: ActivityAttributes {
        struct ContentState: Codable, Hashable { var text: String }
    }

    /// Updates and ends an activity with more than 4 KB of content, and then ends it with less.
    private final class LongLetterApp: UIResponder, UIApplicationDelegate {
        func applicationDidBecomeActive(_ application: UIApplication) {
            let (long, short) = (content(5_000), content(5))
            guard let activity = try? Activity.request(attributes: Letter(), content: content(1)) else { return }
            Task {
                let alert = AlertConfiguration(title: "Mail", body: "New", sound: .default)
                await activity.update(long, alertConfiguration: alert)
                await activity.end(long, dismissalPolicy: .default)
                SimulatedPhone.note("\(activity.activityState), \(activity.content.state.text.count)")
                await activity.end(short, dismissalPolicy: .default)
                SimulatedPhone.note("\(activity.activityState), \(activity.content.state.text.count)")
                await activity.update(short, alertConfiguration: alert)
            }
        }

        private func content(_ length: Int) -> ActivityContent<Letter.ContentState> {
            ActivityContent(state: Letter.ContentState(text: String(repeating: "a", count: length)), staleDate: nil)
        }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/activitykit.
        @MainActor
        @Suite("Live Activities")
        struct ActivityTests {
            @Test("an activity begins while the app is active only, and is updated in the background")
            func foreground() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(RideApp()) })
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(10))
                    #expect(
                        device.activities.shown.map { String(decoding: $0.content, as: UTF8.self) } == [
                            "{\"minutes\":2}"
                        ])
                    device.open()
                    #expect(
                        device.notes == [
                            "enabled: true", "at launch: visibility", "active: activity-1 active",
                            "in the background: visibility", "on the way: visibility",
                        ])
                }
            }

            @Test("the system ends an activity after eight hours, and the lock screen shows it for four more")
            func eightHours() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(RideApp()) })
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(8 * 3_600))
                    #expect(device.activities.shown.map(\.state) == [.ended])
                    device.open()
                    device.advance(by: .seconds(1))
                    #expect(device.notes.contains("now ended"))
                    device.pressHome()
                    device.advance(by: .seconds(4 * 3_600 - 1))
                    #expect(device.activities.shown.isEmpty)
                }
            }

            @Test("an activity outlives its process and a restart, and the next process finds it with its content")
            func nextProcess() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(RideApp()) })
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(1))
                    device.swipeAway()
                    device.reboot()
                    device.launch()
                    #expect(device.notes.contains("activity-1 of Ada, 2 min, active"))
                    #expect(device.activities.shown.count == 1)
                }
            }

            @Test("without the user's permission or NSSupportsLiveActivities none begins, and the app can read that")
            func refused() throws {
                for isDeclared in [false, true] {
                    try SimulatedDevice.run { device in
                        let manifest = AppManifest(usesScenes: false, supportsLiveActivities: isDeclared)
                        SimulatedPhone.install(
                            on: device, manifest: manifest, program: { SimulatedPhone.run(RideApp()) })
                        device.setLiveActivities(!isDeclared)
                        device.launch()
                        let refusal = isDeclared ? "denied" : "unsupportedTarget"
                        #expect(
                            device.notes == ["enabled: false", "at launch: \(refusal)", "active: \(refusal)"])
                    }
                }
            }

            @Test("old content makes an activity stale until it is updated; an ended one is not updated")
            func stale() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(ShortRideApp()) })
                    device.launch()
                    device.advance(by: .seconds(3_601))
                    #expect(
                        device.notes == [
                            "active: activity-1 active", "now stale", "Live Activity alerts: Soon, One minute",
                            "active", "now 1 min", "now active", "ended, 0 min", "now 0 min", "now ended",
                        ])
                    #expect(device.warnings == ["activity-1 is not updated: it has ended"])
                    device.advance(by: .seconds(300))
                    #expect(device.notes.last == "now dismissed")
                }
            }

            @Test("content of more than 4 KB neither updates nor ends an activity; a refused update alerts no user")
            func tooLong() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(LongLetterApp()) })
                    device.launch()
                    device.advance(by: .seconds(1))
                    #expect(device.notes == ["active, 1", "ended, 5"])
                    #expect(device.warnings.count == 3)
                    #expect(device.warnings.prefix(2).allSatisfy { $0.contains("4096 bytes") })
                    #expect(!device.logText.contains("alerts"))
                }
            }

            @Test("the user removes an activity, of which the app is notified")
            func dismissed() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(RideApp()) })
                    device.launch()
                    device.advance(by: .seconds(1))
                    device.dismissActivity("activity-1")
                    device.dismissActivity("activity-1")
                    #expect(device.notes.last == "now dismissed")
                    #expect(device.warnings.last == "the lock screen shows no activity activity-1")
                }
            }
        }
    }
#endif
