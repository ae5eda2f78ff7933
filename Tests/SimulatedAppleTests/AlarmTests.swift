#if os(Linux)
    import AlarmKit
    import AppIntents
    import ApusBackground
    import ApusDevice
    import ApusTimers
    import ApusVirtualTime
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    private struct NoMetadata: AlarmMetadata {}

    /// The alarm of the apps below.
    private enum Tea {
        static let id = UUID(uuidString: "00000000-0000-4000-8000-000000000001")!

        static var attributes: AlarmAttributes<NoMetadata> {
            let again = AlarmButton(text: "Again", textColor: .white, systemImageName: "repeat")
            let alert = AlarmPresentation.Alert(
                title: "Tea", secondaryButton: again, secondaryButtonBehavior: .countdown)
            return AlarmAttributes(presentation: AlarmPresentation(alert: alert), tintColor: .orange)
        }

        /// The attributes of an alert without a button that snoozes it.
        static var plainAttributes: AlarmAttributes<NoMetadata> {
            AlarmAttributes(
                presentation: AlarmPresentation(alert: AlarmPresentation.Alert(title: "Tea")), tintColor: .orange)
        }

        /// Schedules the alarm, and notes what becomes of it.
        static func schedule(_ configuration: AlarmManager.AlarmConfiguration<NoMetadata>, id: UUID = id) async {
            do {
                let alarm = try await AlarmManager.shared.schedule(id: id, configuration: configuration)
                SimulatedPhone.note("\(alarm.state)")
            } catch AlarmManager.AlarmError.maximumLimitReached {
                SimulatedPhone.note("too many")
            } catch {
                SimulatedPhone.note("refused: \((error as NSError).domain)")
            }
        }

        /// Notes whether a call about the alarm is accepted.
        static func attempt(_ name: String, _ call: (UUID) throws -> Void) {
            do {
                try call(id)
                SimulatedPhone.note(name)
            } catch {
                SimulatedPhone.note("no \(name)")
            }
        }
    }

    /// Counts down at its first launch, and notes the alarms whenever one changes.
    private final class TimerApp: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            let states = (try? AlarmManager.shared.alarms.map { "\($0.state)" }) ?? []
            SimulatedPhone.note("launched: \(states)")
            let updates = AlarmManager.shared.alarmUpdates
            Task { for await alarms in updates { SimulatedPhone.note("now \(alarms.map { "\($0.state)" })") } }
            if states.isEmpty { Task { await Tea.schedule(.timer(duration: 600, attributes: Tea.attributes)) } }
            return true
        }
    }

    /// Notes which button of the alarm was pressed.
    private struct PressedButton: LiveActivityIntent {
        static let title: LocalizedStringResource = "Pressed"

        @Parameter(title: "Button") var button: String

        init() {}
        init(_ button: String) { self.button = button }

        func perform() async throws -> some IntentResult {
            SimulatedPhone.note(button)
            return .result()
        }
    }

    /// Schedules two alarms with intents at its first launch; the second button of the later one does not snooze.
    private final class ButtonsApp: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            Task {
                guard application.applicationState != .background else { return }
                var open = Tea.attributes
                open.presentation.alert.secondaryButtonBehavior = .custom
                for (seconds, attributes) in [(60.0, Tea.attributes), (3_600, open)] {
                    await Tea.schedule(
                        .timer(
                            duration: seconds, attributes: attributes, stopIntent: PressedButton("stop"),
                            secondaryIntent: PressedButton("second")), id: UUID())
                }
            }
            return true
        }
    }

    /// Schedules an alarm for each morning, and notes the permission.
    private final class MorningApp: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            let weekdays: [Locale.Weekday] = [
                .monday, .tuesday, .wednesday, .thursday, .friday, .saturday, .sunday,
            ]
            let schedule = Alarm.Schedule.relative(
                Alarm.Schedule.Relative(
                    time: Alarm.Schedule.Relative.Time(hour: 7, minute: 0), repeats: .weekly(weekdays)))
            SimulatedPhone.note("\(AlarmManager.shared.authorizationState)")
            let updates = AlarmManager.shared.authorizationUpdates
            Task { for await state in updates { SimulatedPhone.note("now \(state)") } }
            Task { await Tea.schedule(.alarm(schedule: schedule, attributes: Tea.attributes)) }
            return true
        }
    }

    /// Makes each call in each state of a countdown.
    private final class CallingApp: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            Task {
                let manager = AlarmManager.shared
                let before = Alarm.CountdownDuration(preAlert: 60, postAlert: 300)
                await Tea.schedule(
                    AlarmManager.AlarmConfiguration(countdownDuration: before, attributes: Tea.attributes))
                await Tea.schedule(.timer(duration: 60, attributes: Tea.attributes), id: UUID())
                Tea.attempt("resume", manager.resume)
                Tea.attempt("countdown", manager.countdown)
                Tea.attempt("pause", manager.pause)
                Tea.attempt("pause", manager.pause)
                Tea.attempt("resume", manager.resume)
                try? await Task.sleep(for: .seconds(61))
                Tea.attempt("pause", manager.pause)
                Tea.attempt("countdown", manager.countdown)
                Tea.attempt("stop", manager.stop)
                Tea.attempt("stop", manager.stop)
                Tea.attempt("cancel", manager.cancel)
            }
            return true
        }
    }

    private final class PlainApp: UIResponder, UIApplicationDelegate {
        func applicationDidBecomeActive(_ application: UIApplication) {
            Task { await Tea.schedule(.timer(duration: 60, attributes: Tea.plainAttributes)) }
        }
    }

    extension SimulatedAppleTests {
        /// The rules of Apple, documentation/alarmkit.
        @MainActor
        @Suite("Alarms")
        struct AlarmTests {
            @Test(
                "an alarm alerts although the app is suspended, has crashed, was force-quit or the device has restarted"
            )
            func survives() throws {
                let ends: [@MainActor (SimulatedDevice) -> Void] = [
                    { $0.pressHome() }, { $0.kill() }, { $0.swipeAway() }, { $0.reboot() },
                ]
                for end in ends {
                    try SimulatedDevice.run { device in
                        SimulatedPhone.install(on: device, program: { SimulatedPhone.run(TimerApp()) })
                        device.launch()
                        end(device)
                        device.advance(until: device.time.wall().advanced(by: .seconds(599) - device.elapsed))
                        #expect(device.alarms.alertTitles.isEmpty)
                        device.advance(by: .seconds(1))
                        #expect(device.alarms.alertTitles == ["Tea"])
                        device.advance(by: .seconds(86_400))
                        // The alert neither starts the app nor resumes it.
                        #expect(device.launchCount == 1)
                        #expect(device.notes.last == "now [\"countdown\"]")
                        device.stopAlarm()
                        #expect(device.alarms.all.isEmpty)
                    }
                }
            }

            @Test("a running app is notified of each change, and a suspended one when it is resumed")
            func updates() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(TimerApp()) })
                    device.launch()
                    device.advance(by: .seconds(600))
                    #expect(device.notes.suffix(2) == ["now [\"countdown\"]", "now [\"alerting\"]"])
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    device.snoozeAlarm()
                    device.advance(by: .seconds(600))
                    device.stopAlarm()
                    #expect(device.notes.last == "now [\"alerting\"]")
                    device.open()
                    device.advance(by: .seconds(1))
                    #expect(device.notes.suffix(3) == ["now [\"countdown\"]", "now [\"alerting\"]", "now []"])
                    #expect(
                        device.log.compactMap {
                            if case .part("SimulatedAlarms", let text) = $0.what { text } else { nil }
                        }
                            == [
                                "asks the user: “to alert you at the time that you choose”", "“Tea” is scheduled",
                                "“Tea” alerts", "“Tea” is snoozed", "“Tea” alerts", "“Tea” is stopped",
                            ])
                }
            }

            @Test("the next process finds the alarms of the one before")
            func nextProcess() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(TimerApp()) })
                    device.launch()
                    device.advance(by: .seconds(1))
                    device.swipeAway()
                    device.launch()
                    device.kill()
                    device.advance(by: .seconds(600))
                    device.launch()
                    #expect(
                        device.notes.filter { $0.hasPrefix("launched") } == [
                            "launched: []", "launched: [\"countdown\"]", "launched: [\"alerting\"]",
                        ])
                }
            }

            @Test("the first alarm asks the user, who is asked once; without the permission none is scheduled")
            func permission() throws {
                for isAllowed in [true, false] {
                    try SimulatedDevice.run { device in
                        SimulatedPhone.install(on: device, program: { SimulatedPhone.run(MorningApp()) })
                        device.alarms.userAllows = isAllowed
                        device.launch()
                        device.advance(by: .seconds(1))
                        device.kill()
                        device.launch()
                        device.advance(by: .seconds(1))
                        let answer = isAllowed ? "authorized" : "denied"
                        let result = isAllowed ? "scheduled" : "refused: com.apple.AlarmKit.Alarm"
                        #expect(device.notes == ["notDetermined", "now \(answer)", result, answer, result])
                        #expect(device.alarms.all.count == (isAllowed ? 1 : 0))
                        #expect(device.log.count { "\($0.what)".contains("asks the user") } == 1)
                        device.alarms.setAuthorization(.denied)
                        device.advance(by: .seconds(1))
                        #expect(device.notes.last == "now denied")
                    }
                }
            }

            @Test("an alarm for each morning follows the clocks of the device's time zone")
            func mornings() throws {
                // 2026-03-27T12:00:00Z; two days later, the clocks of Berlin are set forward.
                let start = WallInstant(secondsSince1970: 1_774_612_800)
                try SimulatedDevice.run { device in
                    device.setWallClock(start)
                    device.setTimeZone(TimeZone(identifier: "Europe/Berlin")!)
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(MorningApp()) })
                    device.launch()
                    device.swipeAway()
                    var alerts: [Int64] = []
                    for _ in 1...4 {
                        device.advance(until: try #require(device.alarms.all.first?.alertInstant))
                        alerts.append(start.duration(to: device.time.wall()).components.seconds / 3_600)
                        device.stopAlarm()
                    }
                    // The alerts come at 6:00 in UTC, and then at 5:00.
                    #expect(alerts == [18, 41, 65, 89])
                    device.setTimeZone(.gmt)
                    device.advance(until: try #require(device.alarms.all.first?.alertInstant))
                    #expect(start.duration(to: device.time.wall()) == .seconds(91 * 3_600))
                    #expect(device.alarms.alertTitles.count == 5)
                }
            }

            @Test("a call that the state of the alarm does not allow throws, and so does an alarm too many")
            func calls() throws {
                var policy = SystemPolicy()
                policy.alarmLimit = 1
                try SimulatedDevice.run(policy: policy) { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(CallingApp()) })
                    device.launch()
                    device.advance(by: .seconds(62))
                    #expect(
                        device.notes == [
                            "countdown", "too many", "no resume", "no countdown", "pause", "no pause", "resume",
                            "no pause", "countdown", "stop", "no stop", "no cancel",
                        ])
                    #expect(
                        device.warnings.contains(
                            "the state of alarm “Tea” is countdown: only a paused countdown is resumed"))
                }
            }

            @Test("an alert without a second button cannot be snoozed")
            func plain() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(PlainApp()) })
                    device.launch()
                    device.advance(by: .seconds(60))
                    device.snoozeAlarm()
                    #expect(device.alarms.all.map(\.state) == [.alerting])
                    #expect(device.warnings == ["the alert “Tea” has no button that snoozes it"])
                }
            }

            @Test("the intent of an alarm's button starts a force-quit app in the background")
            func buttons() throws {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(on: device, program: { SimulatedPhone.run(ButtonsApp()) })
                    device.launch()
                    device.swipeAway()
                    device.advance(by: .seconds(60))
                    device.pressAlarmButton()
                    #expect(device.warnings == ["the alert “Tea” has no second button with an intent"])
                    device.snoozeAlarm()
                    device.advance(by: .seconds(60))
                    #expect(device.notes.last == "second" && device.host?.phase == .suspended)
                    device.stopAlarm()
                    #expect(device.notes.last == "stop" && device.alarms.all.count == 1)
                    device.advance(by: .seconds(3_600))
                    device.pressAlarmButton()
                    #expect(device.notes.suffix(2) == ["stop", "second"] && device.alarms.all.isEmpty)
                    #expect(device.intents.all.map(\.origin) == [.alarm, .alarm, .alarm])
                    #expect(device.intents.all.allSatisfy { $0.state == .finished })
                }
            }

            @Test("the controls of the user only warn while no alarm alerts")
            func noAlert() throws {
                try SimulatedDevice.run { device in
                    device.stopAlarm()
                    device.snoozeAlarm()
                    device.pressAlarmButton()
                    #expect(device.warnings == ["no alarm alerts", "no alarm alerts", "no alarm alerts"])
                }
            }
        }
    }
#endif
