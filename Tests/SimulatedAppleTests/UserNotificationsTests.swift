import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore
import Testing
import UIKit
import UserNotifications

private final class NotificationDelegate: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    private let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        return true
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        MainActor.assumeIsolated { journal.lines.append("present \(notification.request.content.title)") }
        completionHandler(notification.request.identifier == "quiet" ? [] : [.banner, .sound])
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let request = response.notification.request
        let answer = request.content.userInfo["answer"] as? Int
        MainActor.assumeIsolated { journal.lines.append("opened \(request.identifier) \(answer ?? 0)") }
        completionHandler()
    }
}

/// Sets no delegate for notifications.
private final class PlainNotificationApp: UIResponder, UIApplicationDelegate {}

/// Implements the asynchronous forms of the delegate's methods.
private final class AsyncNotificationDelegate: NSObject, UNUserNotificationCenterDelegate {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions { [.list] }
}

private func request(_ identifier: String, in seconds: TimeInterval, repeats: Bool = false) -> UNNotificationRequest {
    let content = UNMutableNotificationContent()
    content.title = "title of \(identifier)"
    content.userInfo = ["answer": 42]
    return UNNotificationRequest(
        identifier: identifier, content: content,
        trigger: UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: repeats))
}

extension SimulatedAppleTests {
    @MainActor
    @Suite("UNUserNotificationCenter")
    struct UserNotifications {
        private func run(
            policy: SystemPolicy = SystemPolicy(), _ body: (SimulatedDevice, Journal) throws -> Void
        ) throws {
            try SimulatedDevice.run(policy: policy) { device in
                let journal = Journal()
                SimulatedPhone.install(on: device, delegate: NotificationDelegate(journal))
                device.launch()
                UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound]) { isGranted, error in
                    #expect(isGranted)
                    #expect(error == nil)
                    #expect(!MainThread.isCurrent)
                }
                device.advance(by: .zero)
                try body(device, journal)
            }
        }

        @Test("a notification is shown after the app has ended, and tapping it starts the app, which is notified")
        func tap() throws {
            try run { device, journal in
                UNUserNotificationCenter.current().add(request("tea", in: 300))
                device.pressHome()
                device.advance(by: .seconds(10))
                device.kill()
                device.advance(by: .seconds(300))
                #expect(device.has(.notificationDelivered("tea")))
                #expect(journal.take().isEmpty)
                #expect(device.notifications.tap("tea"))
                #expect(journal.take() == ["opened tea 42"])
            }
        }

        @Test("the delegate decides how a notification is shown while the app is in the foreground")
        func foreground() throws {
            try run { device, journal in
                let center = UNUserNotificationCenter.current()
                center.add(request("quiet", in: 10))
                center.add(request("loud", in: 20))
                device.advance(by: .seconds(30))
                #expect(journal.take() == ["present title of quiet", "present title of loud"])
                let shown = Notes()
                center.getDeliveredNotifications { notifications in
                    let age = -(notifications.first?.date.timeIntervalSinceNow ?? 0)
                    shown.add("\(notifications.map(\.request.identifier)) \(Int(age.rounded()))")
                }
                device.advance(by: .zero)
                // The notification was delivered ten seconds before.
                #expect(shown.all == ["[\"loud\"] 10"])
            }
        }

        @Test("without a delegate no notification is shown in the foreground, and the warning names Apple's property")
        func noDelegate() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: PlainNotificationApp())
                device.launch()
                device.notifications.setAuthorization(.authorized)
                let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 300, repeats: false)
                UNUserNotificationCenter.current().add(
                    UNNotificationRequest(identifier: "tea", content: UNMutableNotificationContent(), trigger: trigger))
                device.advance(by: .seconds(300))
                #expect(device.notifications.shown.isEmpty)
                #expect(
                    device.logText.contains("is not shown; set the delegate of UNUserNotificationCenter"))
                #expect(!device.logText.contains("onForegroundDelivery"))
            }
        }

        @Test("the asynchronous form of the delegate's method decides, too")
        func asynchronousDelegate() async throws {
            try await SimulatedDevice.run { device in
                let delegate = AsyncNotificationDelegate()
                SimulatedPhone.install(on: device, delegate: NotificationDelegate(Journal()))
                device.launch()
                let center = UNUserNotificationCenter.current()
                center.delegate = delegate
                ask(center) { center in
                    center.requestAuthorization { _, _ in }
                    center.add(request("listed", in: 10))
                }
                await device.advance(by: .seconds(20))
                #expect(await device.notifications.delivered() == ["listed"])
            }
        }

        @Test("a request replaces one of the same identifier, removals have their turn, and copies are returned")
        func requests() async throws {
            try await SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: NotificationDelegate(Journal()))
                device.launch()
                let center = UNUserNotificationCenter.current()
                ask(center) { center in
                    let content = UNMutableNotificationContent()
                    content.title = "first"
                    center.add(UNNotificationRequest(identifier: "one", content: content, trigger: trigger(in: 600)))
                    center.removePendingNotificationRequests(withIdentifiers: ["one"])
                    center.add(UNNotificationRequest(identifier: "one", content: content, trigger: trigger(in: 300)))
                    content.title = "changed afterwards"
                    center.add(request("two", in: 200))
                    center.add(request("three", in: 100))
                    center.removePendingNotificationRequests(withIdentifiers: ["three"])
                }
                let pending = Journal()
                let task = Task { @MainActor in
                    pending.lines = await center.pendingNotificationRequests().map(\.content.title)
                }
                await device.advance(by: .zero)
                await task.value
                #expect(pending.lines == ["title of two", "first"])
            }
        }

        /// Calls `body` with the center.
        ///
        /// In a synchronous function, the compiler chooses the forms of the center's methods that have handlers.
        private func ask(_ center: UNUserNotificationCenter, _ body: (UNUserNotificationCenter) -> Void) {
            body(center)
        }

        private func trigger(in seconds: TimeInterval) -> UNNotificationTrigger {
            UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: false)
        }

        @Test("an interval of zero and a repetition below a minute are exceptions, as in the framework")
        func intervals() throws {
            var policy = SystemPolicy()
            policy.endsAppAtExceptions = false
            try run(policy: policy) { device, _ in
                device.expect(.notificationInterval)
                let center = UNUserNotificationCenter.current()
                center.add(request("zero", in: 0))
                center.add(request("often", in: 59, repeats: true))
                center.add(request("fine", in: 60, repeats: true))
                device.pressHome()
                device.advance(by: .seconds(185))
                #expect(device.faults.count == 2)
                let times = device.log.filter { $0.what == .notificationDelivered("fine") }
                #expect(times.count == 3)
            }
        }

        @Test(
            "a userInfo that is no property list is a fault, because it outlives the app's process",
            arguments: [false, true])
        func userInfo(isPropertyList: Bool) throws {
            try run { device, _ in
                if !isPropertyList { device.expect(.notificationUserInfo) }
                let content = UNMutableNotificationContent()
                content.userInfo = isPropertyList ? ["cups": [1, 2], "milk": true] : ["cups": NSObject()]
                let request = UNNotificationRequest(
                    identifier: "tea", content: content, trigger: trigger(in: 60))
                ask(.current()) { $0.add(request) }
                device.advance(by: .zero)
                let notes = Notes()
                ask(.current()) { center in
                    center.getPendingNotificationRequests { requests in
                        notes.add("\(requests.first?.content.userInfo["cups"] as? [Int] ?? [])")
                    }
                }
                device.advance(by: .zero)
                #expect(notes.all == [isPropertyList ? "[1, 2]" : "[]"])
            }
        }

        @Test("the system keeps the content of a notification, with its interruption level")
        func content() throws {
            try run { device, _ in
                let content = UNMutableNotificationContent()
                (content.title, content.subtitle, content.body) = ("Tea", "green", "It is ready.")
                (content.interruptionLevel, content.relevanceScore) = (.timeSensitive, 0.5)
                (content.threadIdentifier, content.categoryIdentifier) = ("drinks", "tea")
                ask(.current()) { center in
                    center.add(UNNotificationRequest(identifier: "tea", content: content, trigger: trigger(in: 60)))
                }
                device.advance(by: .zero)
                let notes = Notes()
                ask(.current()) { center in
                    center.getPendingNotificationRequests { requests in
                        guard let kept = requests.first?.content else { return }
                        notes.add("\(kept.title), \(kept.subtitle): \(kept.body)")
                        notes.add("\(kept.interruptionLevel) \(kept.relevanceScore)")
                        notes.add("\(kept.threadIdentifier) \(kept.categoryIdentifier)")
                    }
                }
                device.advance(by: .zero)
                #expect(notes.all == ["Tea, green: It is ready.", "timeSensitive 0.5", "drinks tea"])
            }
        }

        @Test("a calendar trigger without a year follows the device's clock, day after day")
        func daily() throws {
            try run { device, _ in
                var nine = DateComponents()
                nine.timeZone = TimeZone(secondsFromGMT: 0)
                nine.hour = 9
                nine.minute = 0
                let trigger = UNCalendarNotificationTrigger(dateMatching: nine, repeats: true)
                UNUserNotificationCenter.current().add(
                    UNNotificationRequest(identifier: "daily", content: UNNotificationContent.empty, trigger: trigger))
                device.pressHome()
                device.advance(by: .seconds(3 * 86_400))
                let times = device.log.filter { $0.what == .notificationDelivered("daily") }
                    .map { $0.wall.nanoseconds / 1_000_000_000 % 86_400 }
                #expect(times == [32_400, 32_400, 32_400])
            }
        }

        @Test("a calendar trigger with a year is a date of the app, and is due at the same distance from now")
        func dated() throws {
            try run { device, _ in
                let date = Date(timeIntervalSinceNow: 7_200)
                let components = Calendar.current.dateComponents(
                    [.year, .month, .day, .hour, .minute, .second], from: date)
                let trigger = UNCalendarNotificationTrigger(dateMatching: components, repeats: false)
                let begin = device.time.wall()
                UNUserNotificationCenter.current().add(
                    UNNotificationRequest(identifier: "dated", content: UNNotificationContent.empty, trigger: trigger))
                device.pressHome()
                device.advance(by: .seconds(3 * 3_600))
                let came = try #require(device.log.first { $0.what == .notificationDelivered("dated") })
                // The components of a date have no fraction of a second, and the distance to it is rounded to seconds.
                #expect((7_198...7_201).contains(begin.duration(to: came.wall).components.seconds))
            }
        }

        @Test("a notification that the user does not allow is not shown, and the settings say so")
        func denied() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: NotificationDelegate(Journal()))
                device.notifications.userAllows = false
                device.launch()
                let center = UNUserNotificationCenter.current()
                center.requestAuthorization(options: .alert) { isGranted, _ in #expect(!isGranted) }
                // The user reads the question, and answers.
                device.advance(by: .zero)
                center.getNotificationSettings { settings in
                    #expect(settings.authorizationStatus == .denied)
                    #expect(settings.alertSetting == .disabled)
                }
                center.add(request("unseen", in: 60))
                device.pressHome()
                device.advance(by: .seconds(120))
                #expect(!device.has(.notificationDelivered("unseen")))
                #expect(device.has(.notificationDropped("unseen")))
            }
        }
    }
}

extension UNNotificationContent {
    fileprivate static var empty: UNNotificationContent { UNMutableNotificationContent() }
}

/// Asks for permissions, sets the number on the icon, and shows notifications with a number in the foreground.
private final class BadgeDelegate: UIResponder, UIApplicationDelegate, @preconcurrency UNUserNotificationCenterDelegate
{
    private let options: UNAuthorizationOptions
    var presentation: UNNotificationPresentationOptions = []

    init(_ options: UNAuthorizationOptions) { self.options = options }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        UNUserNotificationCenter.current().requestAuthorization(options: options) { _, _ in }
        return true
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) { completionHandler(presentation) }

    func remind(_ identifier: String, in seconds: TimeInterval, badge: Int) {
        let content = UNMutableNotificationContent()
        content.title = identifier
        content.badge = badge as NSNumber
        UNUserNotificationCenter.current().add(
            UNNotificationRequest(
                identifier: identifier, content: content,
                trigger: UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: false)))
    }
}

extension SimulatedAppleTests.UserNotifications {
    private func run(
        _ options: UNAuthorizationOptions, userAllows: Bool = true,
        _ body: (SimulatedDevice, BadgeDelegate) throws -> Void
    ) throws {
        try SimulatedDevice.run { device in
            device.notifications.userAllows = userAllows
            SimulatedPhone.install(
                on: device, manifest: AppManifest(usesScenes: false), delegate: BadgeDelegate(options))
            device.launch()
            device.advance(by: .seconds(1))
            try body(device, try #require(device.app as? BadgeDelegate))
        }
    }

    @Test("without the permission for badges the number on the icon stays, and each attempt is a warning")
    func refusedBadge() throws {
        for options in [[.alert, .sound], [.badge, .provisional]] as [UNAuthorizationOptions] {
            try run(options) { device, app in
                UIApplication.shared.applicationIconBadgeNumber = 3
                #expect(UIApplication.shared.applicationIconBadgeNumber == 0)
                UNUserNotificationCenter.current().setBadgeCount(4)
                app.remind("tea", in: 60, badge: 5)
                device.pressHome()
                device.advance(by: .seconds(90))
                #expect(device.notifications.shownTitles == ["tea"])
                #expect(device.notifications.badge == 0)
                #expect(device.warnings.filter { $0.contains("badge") }.count == 2)
            }
        }
    }

    @Test("the permission for badges is that of the settings, and ends with the user's refusal")
    func badgeSetting() throws {
        let cases: [(UNAuthorizationOptions, UNNotificationSetting)] = [
            ([.alert], .notSupported), ([.alert, .badge], .enabled),
        ]
        for (options, setting) in cases {
            try run(options) { device, _ in
                UNUserNotificationCenter.current().getNotificationSettings {
                    SimulatedPhone.note("\($0.badgeSetting)")
                }
                device.advance(by: .seconds(1))
                #expect(device.notes == ["\(setting)"])
            }
        }
        try run([.badge]) { device, _ in
            UIApplication.shared.applicationIconBadgeNumber = 3
            device.notifications.setAuthorization(.denied)
            UIApplication.shared.applicationIconBadgeNumber = 4
            #expect(UIApplication.shared.applicationIconBadgeNumber == 3)
        }
    }

    @Test("a user who has refused can give the permission for badges in the settings, if the app has asked for it")
    func badgeInSettings() throws {
        for (options, number) in [([.alert], 0), ([.alert, .badge], 3)] as [(UNAuthorizationOptions, Int)] {
            try run(options, userAllows: false) { device, _ in
                UIApplication.shared.applicationIconBadgeNumber = 2
                #expect(UIApplication.shared.applicationIconBadgeNumber == 0)
                device.notifications.setAuthorization(.authorized)
                UIApplication.shared.applicationIconBadgeNumber = 3
                #expect(UIApplication.shared.applicationIconBadgeNumber == number)
            }
        }
    }

    @Test("a notification's number is set on the icon when it is shown, also for an app without a process")
    func deliveredBadge() throws {
        try run([.alert, .badge]) { device, app in
            app.remind("tea", in: 60, badge: 5)
            device.pressHome()
            device.advance(by: .seconds(30))
            device.kill()
            device.advance(by: .seconds(31))
            #expect(device.notifications.badge == 5)
        }
    }

    @Test("in the foreground, a notification's number is set if the delegate answers with the option badge")
    func presentedBadge() throws {
        try run([.alert, .badge]) { device, app in
            app.presentation = [.banner]
            app.remind("tea", in: 10, badge: 5)
            device.advance(by: .seconds(11))
            #expect(device.notifications.badge == 0)
            app.presentation = [.badge]
            app.remind("egg", in: 10, badge: 6)
            device.advance(by: .seconds(11))
            #expect(device.notifications.badge == 6)
            #expect(device.notifications.shownTitles == ["tea"])
        }
    }
}
