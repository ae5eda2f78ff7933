import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Testing

@testable import ApusDevice

@MainActor
@Suite("Notification delivery on a simulated phone")
struct NotificationDeliveryTests {
    let device = PartsHarness()

    @Test("a notification is delivered after the app's process has ended, and its handlers are released")
    func deadApp() throws {
        let center = device.center()
        let heard = Log<String>()
        center.appForegrounded(true)
        center.onForegroundDelivery = { request in
            heard.add(request.identifier)
            return .none
        }
        center.add(NotificationRequest("tea", .after(.seconds(180))))
        device.processRuns = false
        center.processEnded()
        device.time.advance(by: .seconds(180))
        device.mainLoop.drain()
        #expect(device.deliveries == ["180 system notification delivered: tea"])
        #expect(try device.run { await center.delivered() } == ["tea"])
        #expect(heard.all == [])
        #expect(center.onForegroundDelivery == nil)
    }

    @Test("an app in front receives a notification on its main loop, and the app decides whether it is shown")
    func foreground() throws {
        let center = device.center()
        let heard = Log<String>()
        center.onForegroundDelivery = { request in
            heard.add(request.identifier)
            return request.identifier == "loud" ? .shown : .none
        }
        center.appForegrounded(true)
        center.add(NotificationRequest("quiet", .after(.seconds(1))))
        center.add(NotificationRequest("loud", .after(.seconds(2))))
        device.time.advance(by: .seconds(2))
        #expect(heard.all == [])
        #expect(try device.run { await center.delivered() } == [])
        device.mainLoop.drain()
        #expect(heard.all == ["quiet", "loud"])
        #expect(try device.run { await center.delivered() } == ["loud"])
        #expect(
            device.deliveries == [
                "1 app notification delivered: quiet", "2 app notification delivered: loud",
                "2 system notification delivered: loud",
            ])
    }

    @Test("a notification for an app in front without a handler is not shown, and causes a warning")
    func foregroundWithoutHandler() throws {
        let center = device.center()
        center.appForegrounded(true)
        center.add(NotificationRequest("tea", .after(.seconds(1))))
        device.time.advance(by: .seconds(1))
        #expect(try device.run { await center.delivered() } == [])
        #expect(
            device.log.last?.hasPrefix("1 system warning: notification tea came while the app was in front") == true)
        center.appForegrounded(false)
        center.add(NotificationRequest("tea", .after(.seconds(1))))
        device.time.advance(by: .seconds(1))
        #expect(try device.run { await center.delivered() } == ["tea"])
    }

    @Test("setting the clock back delivers no notification twice, and later ones wait for their instants")
    func clockSetBack() throws {
        let center = device.center()
        center.add(NotificationRequest("first", .after(.seconds(60))))
        center.add(NotificationRequest("second", .after(.seconds(120))))
        center.add(NotificationRequest("minutely", .after(.seconds(60), repeats: true)))
        device.time.advance(by: .seconds(70))
        #expect(device.deliveries.count == 2)
        device.time.moveWallClock(by: .seconds(-70))
        // The clock shows 0 again, and later passes 60 for the second time.
        device.time.advance(by: .seconds(100))
        #expect(
            device.deliveries == [
                "60 system notification delivered: first", "60 system notification delivered: minutely",
            ])
        #expect(try device.run { await center.delivered() } == ["first", "minutely"])
        device.time.advance(by: .seconds(20))
        #expect(
            device.deliveries.suffix(2) == [
                "120 system notification delivered: second", "120 system notification delivered: minutely",
            ])
    }

    @Test("setting the clock forward delivers due notifications at once, a repeating one once and then in phase")
    func clockSetForth() throws {
        let center = device.center()
        center.add(NotificationRequest("minutely", .after(.seconds(60), repeats: true)))
        center.add(NotificationRequest("noon", .at(device.time.wall().advanced(by: .seconds(100)))))
        device.time.moveWallClock(by: .seconds(610))
        #expect(
            device.deliveries == [
                "610 system notification delivered: minutely", "610 system notification delivered: noon",
            ])
        device.time.advance(by: .seconds(60))
        #expect(device.deliveries.last == "660 system notification delivered: minutely")
        #expect(device.deliveries.count == 3)
    }

    @Test("a notification for a past instant is delivered at once, but never within the call")
    func pastInstant() {
        let center = device.center()
        center.add(NotificationRequest("past", .at(device.time.wall().advanced(by: .seconds(-5)))))
        #expect(device.deliveries == [])
        device.time.settle()
        #expect(device.deliveries == ["0 system notification delivered: past"])
    }

    @Test("notify shows a notification at once, and numbers its identifiers")
    func notify() throws {
        let center = device.center()
        try device.run {
            try await center.notify(UserNotification(title: "A"))
            try await center.notify(UserNotification(title: "B"))
        }
        #expect(try device.run { await center.delivered() } == ["notification-1", "notification-2"])
    }

    @Test(
        "without permission Apus throws, and the raw center keeps the request and shows nothing",
        arguments: [NotificationAuthorization.notDetermined, .denied])
    func unauthorized(_ authorization: NotificationAuthorization) throws {
        let center = device.center(authorization)
        try device.run {
            let scheduling = await #expect(throws: BackgroundError.self) {
                try await center.schedule(NotificationRequest("tea", .after(.seconds(1))))
            }
            #expect(scheduling?.code == .notificationRefused)
            let notifying = await #expect(throws: BackgroundError.self) {
                try await center.notify(UserNotification(title: "A"))
            }
            #expect(notifying?.code == .notificationRefused)
        }
        center.add(NotificationRequest("egg", .after(.seconds(1))))
        center.add(NotificationRequest("soup", .after(.seconds(3))))
        device.time.advance(by: .seconds(2))
        #expect(device.deliveries == [])
        #expect(device.log.last == "1 system notification dropped: egg")
        center.setAuthorization(.authorized)
        device.time.advance(by: .seconds(2))
        #expect(device.deliveries == ["3 system notification delivered: soup"])
    }

    @Test("the shown titles include those of removed notifications, and none that was not shown")
    func titles() {
        let center = device.center()
        for title in ["Tea", "Egg", "Soup"] {
            let notification = UserNotification(title: title)
            center.add(NotificationRequest(identifier: title, notification: notification, trigger: .after(.seconds(1))))
            device.time.advance(by: .seconds(2))
            if title == "Tea" { center.setAuthorization(.denied) }
            if title == "Egg" { center.setAuthorization(.authorized) }
        }
        center.removeDelivered(["Tea"])
        #expect(center.shownTitles == ["Tea", "Soup"])
    }

    @Test("the user is asked once; quiet notifications need no question and can later be authorized fully")
    func asking() throws {
        let asked = device.center(.notDetermined)
        asked.userAllows = false
        #expect(try device.run { await asked.requestAuthorization() } == .denied)
        asked.userAllows = true
        #expect(try device.run { await asked.requestAuthorization() } == .denied)

        let quiet = device.center(.notDetermined)
        #expect(try device.run { await quiet.requestAuthorization(provisional: true) } == .provisional)
        try device.run { try await quiet.schedule(NotificationRequest("tea", .after(.seconds(1)))) }
        device.time.advance(by: .seconds(1))
        #expect(try device.run { await quiet.delivered() } == ["tea"])
        #expect(try device.run { await quiet.requestAuthorization() } == .authorized)
        #expect(quiet.authorization == .authorized)
    }

    @Test("a tap removes a notification, opens the app and notifies it; only a shown one can be tapped")
    func tap() throws {
        let opened = Log<Bool>()
        let heard = Log<String>()
        let box = Log<SimulatedNotificationCenter>()
        let center = device.center { notify in
            opened.add(true)
            device.processRuns = true
            // An app sets its handler while it starts.
            box.all[0].onTap = { heard.add($0.identifier) }
            notify()
        }
        box.add(center)
        center.add(NotificationRequest("tea", .after(.seconds(1))))
        device.processRuns = false
        center.processEnded()
        #expect(!center.tap("tea"))
        device.time.advance(by: .seconds(1))
        #expect(center.tap("tea"))
        device.mainLoop.drain()
        #expect(opened.all.count == 1)
        #expect(heard.all == ["tea"])
        #expect(!center.tap("tea"))
        #expect(try device.run { await center.delivered() } == [])
    }

    @Test("a center that is released delivers nothing any more")
    func dropped() {
        weak var weakCenter: SimulatedNotificationCenter?
        do {
            let center = device.center()
            center.add(NotificationRequest("tea", .after(.seconds(1))))
            weakCenter = center
        }
        #expect(weakCenter == nil)
        device.time.advance(by: .seconds(2))
        #expect(device.deliveries == [])
    }
}
