#if os(Linux)
    import ActivityKit
    import AlarmKit
    import ApusBackground
    import ApusDevice
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit
    import UserNotifications

    private struct NoMetadata: AlarmMetadata {}

    private func configuration(_ title: String, in seconds: TimeInterval) -> AlarmManager.AlarmConfiguration<NoMetadata>
    {
        let alert = AlarmPresentation.Alert(title: LocalizedStringResource(stringLiteral: title))
        return .timer(
            duration: seconds,
            attributes: AlarmAttributes(presentation: AlarmPresentation(alert: alert), tintColor: .accentColor))
    }

    /// An app's own code.
    @MainActor
    private protocol Program {
        func launched()
        func becomeActive()
        func enterBackground()
    }

    extension Program {
        func launched() {}
        func becomeActive() {}
        func enterBackground() {}
    }

    private final class ProgramApp: UIResponder, UIApplicationDelegate {
        private let program: any Program

        init(_ program: any Program) { self.program = program }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            program.launched()
            return true
        }

        func applicationDidBecomeActive(_ application: UIApplication) { program.becomeActive() }
        func applicationDidEnterBackground(_ application: UIApplication) { program.enterBackground() }
    }

    @MainActor
    private func start(_ program: any Program) { SimulatedPhone.run(ProgramApp(program)) }

    /// Says that it will wake the user, whether or not the alarm was accepted.
    private struct Waking: Program {
        let isMended: Bool

        func launched() {
            Task {
                do {
                    _ = try await AlarmManager.shared.schedule(
                        id: UUID(), configuration: configuration("Wake up", in: 3_600))
                } catch  where isMended {
                    let content = UNMutableNotificationContent()
                    content.title = "Wake up, without an alarm"
                    let center = UNUserNotificationCenter.current()
                    _ = try? await center.requestAuthorization(options: [.alert])
                    let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 3_600, repeats: false)
                    try? await center.add(
                        UNNotificationRequest(identifier: "wake", content: content, trigger: trigger))
                } catch {}
                SimulatedPhone.note("I wake you in an hour")
            }
        }
    }

    /// Begins to show a ride when the user leaves the app, or, if it is mended, when the app becomes active.
    private struct Riding: Program {
        struct Ride: ActivityAttributes {
            struct ContentState: Codable, Hashable { var minutes: Int }
        }

        let isMended: Bool

        func becomeActive() { if isMended { begin() } }
        func enterBackground() { if !isMended { begin() } }

        private func begin() {
            let content = ActivityContent(state: Ride.ContentState(minutes: 5), staleDate: nil)
            _ = try? Activity.request(attributes: Ride(), content: content)
        }
    }

    /// Takes every listed workout for a running one.
    private struct WorkingOut: Program {
        struct Workout: ActivityAttributes {
            struct ContentState: Codable, Hashable { var lap: Int }
        }

        let isMended: Bool

        func becomeActive() {
            let runs = Activity<Workout>.activities.contains { activity in
                isMended ? [.active, .stale].contains(activity.activityState) : true
            }
            if runs { return SimulatedPhone.note("running") }
            let content = ActivityContent(state: Workout.ContentState(lap: 1), staleDate: nil)
            _ = try? Activity.request(attributes: Workout(), content: content)
            SimulatedPhone.note("begun")
        }
    }

    /// Starts its own timer and an alarm at each launch, or, if it is mended, first asks the system for the alarm.
    private struct Cooking: Program {
        let isMended: Bool

        func launched() {
            let alarms = (try? AlarmManager.shared.alarms) ?? []
            if isMended, !alarms.isEmpty { return SimulatedPhone.note("eggs are cooking") }
            _ = Timer.scheduledTimer(withTimeInterval: 600, repeats: false) { _ in SimulatedPhone.note("eggs are done")
            }
            Task {
                _ = try? await AlarmManager.shared.schedule(id: UUID(), configuration: configuration("Eggs", in: 600))
            }
        }
    }

    extension SimulatedAppleTests {
        /// Mistakes of published apps with AlarmKit and ActivityKit, each tested before and after its correction.
        @MainActor
        @Suite("Mistakes with alarms and Live Activities")
        struct NewestMistakeTests {
            @Test("an app that ignores the user's refusal of alarms has no alarm; one that does not has a notification")
            func permission() throws {
                func wake(_ device: SimulatedDevice) -> [String] {
                    device.alarms.userAllows = false
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(3_601))
                    #expect(device.notes == ["I wake you in an hour"])
                    #expect(device.warnings.contains { $0.hasSuffix("the user does not allow alarms") })
                    return device.alarms.alertTitles + device.notifications.shownTitles
                }
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { start(Waking(isMended: false)) })
                    #expect(wake(device) == [])
                }
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { start(Waking(isMended: true)) })
                    #expect(wake(device) == ["Wake up, without an alarm"])
                }
            }

            @Test("without NSAlarmKitUsageDescription the user is not asked, and no alarm alerts")
            func usageText() throws {
                for text in [nil, "", "to wake you"] {
                    let manifest = AppManifest(usesScenes: false, alarmUsage: text)
                    try SimulatedDevice.run { device in
                        SimulatedPhone.install(
                            on: device, manifest: manifest, program: { start(Waking(isMended: false)) })
                        device.launch()
                        device.advance(by: .seconds(3_601))
                        let works = text == "to wake you"
                        #expect(device.alarms.alertTitles == (works ? ["Wake up"] : []))
                        #expect(device.alarms.authorization == (works ? .authorized : .notDetermined))
                        #expect(device.warnings.contains { $0.contains("NSAlarmKitUsageDescription") } == !works)
                    }
                }
            }

            @Test(
                "a Live Activity that is to begin when the user leaves the app does not; one that begins in front does")
            func background() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { start(Riding(isMended: false)) })
                    device.launch()
                    device.pressHome()
                    #expect(device.activities.shown.isEmpty)
                    #expect(device.warnings.contains { $0.hasPrefix("no Live Activity begins: the app is not active") })
                }
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { start(Riding(isMended: true)) })
                    device.launch()
                    device.pressHome()
                    #expect(device.activities.shown.map(\.state) == [.active])
                }
            }

            @Test("an app that takes a listed activity for a running one shows one that the system has ended")
            func eightHours() throws {
                func nineHours(_ device: SimulatedDevice) -> String? {
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(9 * 3_600))
                    device.open()
                    return device.notes.last
                }
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { start(WorkingOut(isMended: false)) })
                    #expect(nineHours(device) == "running")
                    #expect(device.activities.shown.map(\.state) == [.ended])
                }
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { start(WorkingOut(isMended: true)) })
                    #expect(nineHours(device) == "begun")
                    #expect(device.activities.shown.map(\.state) == [.ended, .active])
                }
            }

            @Test("a timer beside an alarm is lost with a force quit, and an app that trusts it alerts twice")
            func timer() throws {
                func cook(_ device: SimulatedDevice) -> [String] {
                    device.launch()
                    device.advance(by: .seconds(60))
                    device.swipeAway()
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(1_000))
                    return device.alarms.alertTitles
                }
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { start(Cooking(isMended: false)) })
                    #expect(cook(device) == ["Eggs", "Eggs"])
                    #expect(device.notes == [])
                }
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { start(Cooking(isMended: true)) })
                    #expect(cook(device) == ["Eggs"])
                    #expect(device.notes == ["eggs are cooking"])
                }
            }
        }
    }
#endif
