import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

/// The rules of Apple, documentation/usernotifications/scheduling-a-notification-locally-from-your-app.
@MainActor
@Suite("Notifications on the simulated device")
struct NotificationRuleTests {
    private func launch(
        _ device: SimulatedDevice, onLaunch: @escaping @MainActor (SimulatedHost) -> Void = { _ in }
    ) throws -> SimulatedHost {
        device.notifications.setAuthorization(.authorized)
        device.install { host in
            onLaunch(host)
            return ProbeApp(host)
        }
        device.launch()
        return try #require(device.host)
    }

    @Test("a notification is delivered while the app is suspended, and runs none of its code")
    func suspended() throws {
        try SimulatedDevice.run { device in
            let host = try launch(device) { host in
                host.notifications.onForegroundDelivery = { request in
                    host.note("asked about \(request.identifier)")
                    return .none
                }
            }
            try device.inApp { try await $0.notifications.schedule(NotificationRequest("tea", after: .seconds(60))) }
            device.pressHome()
            device.advance(by: .seconds(59))
            #expect(host.phase == .suspended)
            #expect(device.deliveries().isEmpty)
            device.advance(by: .seconds(1))
            #expect(device.deliveries(to: .system) == ["tea"])
            #expect(host.phase == .suspended)
            #expect(device.ownNotes.isEmpty)
        }
    }

    @Test("a notification is delivered after the process has ended by a crash, a purge or a force quit")
    func dead() throws {
        let ends: [@MainActor (SimulatedDevice) -> Void] = [
            { $0.kill() }, { $0.swipeAway() },
            { device in
                device.pressHome()
                device.advance(by: .seconds(10))
                device.applyMemoryPressure()
            },
        ]
        for end in ends {
            try SimulatedDevice.run { device in
                _ = try launch(device)
                try device.inApp {
                    try await $0.notifications.schedule(NotificationRequest("tea", after: .seconds(60)))
                }
                end(device)
                #expect(device.app == nil)
                device.advance(by: .seconds(60))
                #expect(device.deliveries(to: .system) == ["tea"])
                #expect(device.app == nil, "a notification starts nothing")
            }
        }
    }

    @Test("a notification goes to an app in front, even if a call covers it, and otherwise to the user")
    func inFront() throws {
        try SimulatedDevice.run { device in
            _ = try launch(device) { host in
                host.notifications.onForegroundDelivery = { request in
                    host.note("asked about \(request.identifier)")
                    return request.identifier == "2" ? .shown : .none
                }
            }
            try device.inApp { host in
                for number in 1...4 {
                    try await host.notifications.schedule(
                        NotificationRequest("\(number)", after: .seconds(number * 10)))
                }
            }
            device.advance(by: .seconds(20))
            #expect(device.deliveries(to: .app) == ["1", "2"])
            #expect(device.deliveries(to: .system) == ["2"])
            device.receiveCall()
            device.advance(by: .seconds(10))
            #expect(device.ownNotes == ["asked about 1", "asked about 2", "asked about 3"])
            device.lock()
            device.advance(by: .seconds(10))
            #expect(device.deliveries(to: .system) == ["2", "4"])
            #expect(device.ownNotes.count == 3)
        }
    }

    @Test("tapping a notification launches the app, or brings it back, and notifies it before the tap returns")
    func tap() throws {
        try SimulatedDevice.run { device in
            _ = try launch(device) { host in
                host.notifications.onTap = { host.note("tapped \($0.identifier) while \(host.phase)") }
            }
            try device.inApp { host in
                for number in 1...2 {
                    try await host.notifications.schedule(
                        NotificationRequest("\(number)", after: .seconds(number * 60)))
                }
            }
            device.lock()
            device.kill()
            device.advance(by: .seconds(60))
            #expect(device.app == nil)
            #expect(device.notifications.tap("1"))
            #expect(device.host?.phase == .active)
            #expect(!device.isLocked)
            #expect(device.ownNotes == ["tapped 1 while active"])
            device.pressHome()
            device.advance(by: .seconds(60))
            #expect(device.host?.phase == .suspended)
            #expect(device.notifications.tap("2"))
            #expect(device.ownNotes.last == "tapped 2 while active")
            #expect(!device.notifications.tap("2"), "it is not shown any more")
        }
    }

    @Test(
        "a 65th notification drops the latest or the oldest one, by the policy; Apus refuses it",
        arguments: NotificationOverflow.allCases)
    func overflow(_ overflow: NotificationOverflow) throws {
        var policy = SystemPolicy()
        policy.notificationOverflow = overflow
        try SimulatedDevice.run(policy: policy) { device in
            _ = try launch(device)
            try device.inApp { host in
                for number in 1...64 {
                    host.notifications.add(NotificationRequest("\(number)", after: .seconds(number)))
                }
                host.notifications.add(NotificationRequest("65", after: .seconds(65)))
            }
            try device.inApp { try await $0.notifications.schedule(NotificationRequest("66", after: .seconds(66))) }
            #expect(device.ownNotes == ["error tooManyNotifications"])
            device.kill()
            device.advance(by: .seconds(100))
            let expected = overflow == .keepsSoonest ? 1...64 : 2...65
            #expect(device.deliveries() == expected.map { "\($0)" })
        }
    }

    @Test("the policy limits the number of pending notifications")
    func limit() throws {
        var policy = SystemPolicy()
        policy.pendingNotificationLimit = 1
        try SimulatedDevice.run(policy: policy) { device in
            _ = try launch(device)
            try device.inApp { host in
                for name in ["one", "one", "two"] {
                    try await host.notifications.schedule(NotificationRequest(name, after: .seconds(1)))
                }
            }
            #expect(device.ownNotes == ["error tooManyNotifications"])
        }
    }

    @Test("setting the clock back delivers no notification twice, and due ones wait for their instants again")
    func wallClock() throws {
        try SimulatedDevice.run { device in
            _ = try launch(device)
            let start = device.time.wall()
            try device.inApp { host in
                try await host.notifications.schedule(NotificationRequest("one", after: .seconds(60)))
                try await host.notifications.schedule(NotificationRequest("two", after: .seconds(120)))
                try await host.notifications.schedule(
                    NotificationRequest("again", after: .seconds(100), repeats: true))
            }
            device.lock()
            device.advance(by: .seconds(110))
            #expect(device.deliveries() == ["one", "again"])
            device.moveWallClock(by: .seconds(-100))
            device.advance(by: .seconds(109))
            #expect(device.deliveries() == ["one", "again"])
            device.advance(by: .seconds(1))
            #expect(device.deliveries() == ["one", "again", "two"])
            device.setWallClock(start.advanced(by: .seconds(450)))
            #expect(device.deliveries() == ["one", "again", "two", "again"], "one for all that were missed")
            device.advance(by: .seconds(50))
            #expect(device.deliveries().count == 5)
        }
    }

    @Test("a notification that is due while the device sleeps is delivered when it wakes")
    func sleep() throws {
        try SimulatedDevice.run { device in
            _ = try launch(device)
            try device.inApp { try await $0.notifications.schedule(NotificationRequest("tea", after: .seconds(60))) }
            device.lock()
            device.sleepMachine(for: .seconds(3_600))
            #expect(device.deliveries() == ["tea"])
        }
    }

    @Test("without the user's permission, Apus throws an error, and the raw center shows nothing")
    func denied() throws {
        try SimulatedDevice.run { device in
            _ = try launch(device)
            device.notifications.setAuthorization(.denied)
            try device.inApp { host in
                host.notifications.add(NotificationRequest("raw", after: .seconds(1)))
                try await host.notifications.schedule(NotificationRequest("tea", after: .seconds(1)))
            }
            #expect(device.ownNotes == ["error notificationRefused"])
            device.lock()
            device.advance(by: .seconds(60))
            #expect(device.deliveries().isEmpty)
        }
    }
}
