import ApusBackground
import ApusDevice
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import SimulatedAppleCore
import Testing
import UIKit
import UserNotifications

@testable import ApusApple

extension ApusAppleTests {
    @MainActor
    @Suite("AppleNotifications")
    struct Notifications {
        private func run(
            _ authorization: NotificationAuthorization = .authorized,
            _ body: (SimulatedDevice, AppleNotifications) throws -> Void
        ) throws {
            try SimulatedDevice.run { device in
                device.notifications.setAuthorization(authorization)
                device.launchPort { AppleNotifications(host: $0) }
                try body(device, device.built())
            }
        }

        nonisolated private func request(
            _ identifier: String, _ trigger: NotificationRequest.Trigger
        ) -> NotificationRequest {
            NotificationRequest(
                identifier: identifier, notification: UserNotification(title: "Tea", body: "It is ready"),
                trigger: trigger)
        }

        /// Returns the code with which a request is refused.
        private func refusal(
            of request: NotificationRequest, _ center: AppleNotifications, _ device: SimulatedDevice
        ) throws -> BackgroundError.Code? {
            try refusal(device) { try await center.schedule(request) }
        }

        private func refusal(
            _ device: SimulatedDevice, _ work: @escaping @Sendable () async throws -> Void
        ) throws -> BackgroundError.Code? {
            do {
                try device.perform(work)
                return nil
            } catch let error as BackgroundError {
                return error.code
            }
        }

        @Test("a notification after any interval is refused, or waits and is shown", arguments: Duration.extremes)
        func extremeIntervals(duration: Duration) throws {
            for repeats in [false, true] {
                try run { device, center in
                    let request = request("tea", .after(duration, repeats: repeats))
                    let isTaken = try refusal(of: request, center, device) == nil
                    #expect(isTaken == (duration > .zero && (!repeats || duration >= .seconds(60))), "\(duration)")
                    let pending = try device.perform { await center.pending() }
                    #expect(pending.count == (isTaken ? 1 : 0))
                    device.pressHome()
                    device.advance(by: .seconds(2))
                    // A suspended app would not get the answer.
                    device.open()
                    let delivered = try device.perform { await center.delivered() }
                    #expect(delivered.isEmpty != (isTaken && duration <= .seconds(1)), "\(duration)")
                }
            }
        }

        @Test(
            "a notification at an instant is never early and at most a second late, and one of the past is shown at once"
        )
        func instants() throws {
            for milliseconds in [0, 1, 250, 999] as [Int64] {
                try run { device, center in
                    let now = device.time.wall()
                    let due = now.advanced(by: .milliseconds(60_000 + milliseconds))
                    device.pressHome()
                    try device.perform { [request] in
                        try await center.schedule(request("past", .at(now.advanced(by: .seconds(-5)))))
                        try await center.schedule(request("due", .at(due)))
                    }
                    device.advance(by: .seconds(1))
                    #expect(device.shown.count == 1)
                    device.advance(by: .seconds(100))
                    let event = try #require(device.log.last { $0.what == .notificationDelivered("due") })
                    let lateness = due.duration(to: event.wall)
                    // The phone's whole seconds begin at other instants than the machine's.
                    #expect(lateness >= .zero && lateness < .seconds(2), "\(lateness)")
                }
            }
        }

        @Test("a notification at an instant follows the wall clock, and one after an interval does not")
        func wallClock() throws {
            try run { device, center in
                let due = device.time.wall().advanced(by: .seconds(3_600))
                try device.perform { [request] in try await center.schedule(request("at", .at(due))) }
                device.pressHome()
                device.moveWallClock(by: .seconds(3_000))
                device.advance(by: .seconds(590))
                #expect(device.shown.isEmpty)
                device.advance(by: .seconds(12))
                #expect(device.shown.count == 1)
            }
        }

        @Test("a notification waits for its interval, and a repeating one returns until it is removed")
        func intervals() throws {
            try run { device, center in
                try device.perform { [request] in
                    try await center.schedule(request("once", .after(.seconds(90))))
                    try await center.schedule(request("again", .after(.seconds(60), repeats: true)))
                }
                device.pressHome()
                device.advance(by: .seconds(200))
                #expect(device.shown == [60, 90, 120, 180])
                device.open()
                try device.perform { await center.removePending(["again", "unknown"]) }
                device.pressHome()
                device.advance(by: .seconds(200))
                #expect(device.shown.count == 4)
            }
        }

        @Test("pending notifications are returned with exact triggers, the earliest first, also in another process")
        func pending() throws {
            try run { device, center in
                let due = device.time.wall().advanced(by: .milliseconds(61_234))
                let requests = [
                    request("after", .after(.milliseconds(1_500))), request("at", .at(due)),
                    request("every", .after(.seconds(3_600), repeats: true)),
                ]
                try device.perform { for request in requests.reversed() { try await center.schedule(request) } }
                try #expect(device.perform { await center.pending() } == requests)
                device.kill()
                device.open()
                let other: AppleNotifications = try device.built()
                try #expect(device.perform { await other.pending() } == requests)
                device.pressHome()
                device.advance(by: .seconds(3_700))
                device.open()
                try #expect(device.perform { await other.pending() } == [requests[2]])
                try #expect(device.perform { await other.delivered() } == ["after", "at", "every"])
            }
        }

        @Test("a notification replaces the pending one with the same identifier")
        func replaced() throws {
            try run { device, center in
                try device.perform { [request] in
                    try await center.schedule(request("tea", .after(.seconds(10))))
                    try await center.schedule(request("tea", .after(.seconds(30))))
                }
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.shown == [30])
            }
        }

        @Test("the 65th notification is refused, none is dropped, and a replacement is accepted")
        func limit() throws {
            try run { device, center in
                for number in 1...64 {
                    try device.perform { [request] in
                        try await center.schedule(request("n\(number)", .after(.seconds(100))))
                    }
                }
                let one = NotificationRequest.Trigger.after(.seconds(1))
                try #expect(refusal(of: request("n65", one), center, device) == .tooManyNotifications)
                try #expect(refusal(of: request("n64", one), center, device) == nil)
                try #expect(device.perform { await center.pending().count } == 64)
                #expect(!device.log.contains { $0.what == .notificationDropped("n1") })
            }
        }

        @Test("as many simultaneous notifications are accepted as there is room for")
        func concurrent() throws {
            try run { device, center in
                let refused = try device.perform { [request] in
                    await withTaskGroup(of: Bool.self) { group in
                        for number in 1...70 {
                            group.addTask {
                                (try? await center.schedule(request("n\(number)", .after(.seconds(100))))) == nil
                            }
                        }
                        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                    }
                }
                #expect(refused == 6)
                try #expect(device.perform { await center.pending().count } == 64)
            }
        }

        @Test("notifications without permission are refused, and provisional permission is enough")
        func permission() throws {
            for (authorization, expected) in [
                (.notDetermined, .notificationRefused), (.denied, .notificationRefused), (.authorized, nil),
                (.provisional, nil),
            ] as [(NotificationAuthorization, BackgroundError.Code?)] {
                try run(authorization) { device, center in
                    let five = NotificationRequest.Trigger.after(.seconds(5))
                    try #expect(refusal(of: request("a", five), center, device) == expected)
                    let now = try refusal(device) { try await center.notify(UserNotification(title: "Now")) }
                    #expect(now == expected)
                    device.pressHome()
                    device.advance(by: .seconds(10))
                    device.open()
                    try #expect(device.perform { await center.pending() }.isEmpty)
                }
            }
        }

        @Test("an interval for which Apple's class raises an exception is an error")
        func invalid() throws {
            try run { device, center in
                for trigger in [.after(.zero), .after(.seconds(59), repeats: true)] as [NotificationRequest.Trigger] {
                    try #expect(refusal(of: request("a", trigger), center, device) == .invalidArgument)
                }
                #expect(device.faults.isEmpty)
            }
        }

        @Test("notifications shown at once have their own identifiers")
        func now() throws {
            try run { device, center in
                device.pressHome()
                try device.perform {
                    for _ in 0..<3 { try await center.notify(UserNotification(title: "Now")) }
                }
                device.advance(by: .seconds(1))
                #expect(device.shown.count == 3)
                try #expect(device.perform { Set(await center.delivered()).count } == 3)
            }
        }
    }
}

@Suite("A notification's trigger as text")
struct NotificationTriggerTextTests {
    private let added = WallInstant(secondsSince1970: 1_000_000)

    @Test("every trigger is parsed back, with its next due instant")
    func roundTrip() throws {
        let triggers: [(NotificationRequest.Trigger, Int64)] = [
            (.at(added.advanced(by: .milliseconds(1_500))), 1_500), (.after(.milliseconds(2_500)), 2_500),
            (.after(.seconds(60), repeats: true), 60_000),
        ]
        for (trigger, due) in triggers {
            let text = NotificationTriggerText.text(of: trigger, added: added)
            let found = try #require(NotificationTriggerText.trigger(in: text, now: added))
            #expect(found.trigger == trigger)
            #expect(found.due == added.advanced(by: .milliseconds(due)))
        }
    }

    @Test("a repeating trigger is due at its next multiple, and any other at its original instant")
    func later() throws {
        let now = added.advanced(by: .seconds(150))
        let text = NotificationTriggerText.text(of: .after(.seconds(60), repeats: true), added: added)
        #expect(NotificationTriggerText.trigger(in: text, now: now)?.due == added.advanced(by: .seconds(180)))
        let once = NotificationTriggerText.text(of: .after(.seconds(60)), added: added)
        #expect(NotificationTriggerText.trigger(in: once, now: now)?.due == added.advanced(by: .seconds(60)))
    }

    @Test(
        "other texts are not parsed as triggers",
        arguments: ["", "at", "at x", "at -1", "after 5", "after 0 5", "after -5 5", "every x y", "soon 1 2"])
    func others(text: String) {
        #expect(NotificationTriggerText.trigger(in: text, now: added) == nil)
    }
}
