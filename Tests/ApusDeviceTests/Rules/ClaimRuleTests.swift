import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// The rules of Apple DTS, developer.apple.com/forums/thread/85066.
@MainActor
@Suite("Rules for background tasks that a policy may change")
struct ClaimRuleTests {
    @Test("a policy with the budget of an older system gives that much time", arguments: [180, 600])
    func budget(seconds: Int) throws {
        var policy = SystemPolicy()
        policy.backgroundBudget = .seconds(seconds)
        try SimulatedDevice.run(policy: policy) { device in
            let host = try device.launchProbe()
            let task = try host.beginBackgroundTask(named: "save") { host.note("expired") }
            device.pressHome()
            #expect(host.backgroundTimeRemaining == .seconds(seconds))
            device.advance(by: .seconds(seconds - 5))
            #expect(device.ownNotes.isEmpty)
            device.advance(by: .seconds(1))
            #expect(device.ownNotes == ["expired"])
            task.end()
        }
    }

    @Test("handlers may be called long before the time is over, and the background tasks must be ended then")
    func early() throws {
        var policy = SystemPolicy()
        policy.expirationLead = .seconds(28)
        try SimulatedDevice.run(policy: policy) { device in
            device.expect(.backgroundTaskNotEnded)
            let host = try device.launchProbe()
            _ = host.beginBackgroundTask(name: "leaked") {
                host.note("expired with \(host.backgroundTimeRemaining ?? .zero)")
            }
            device.pressHome()
            device.advance(by: .seconds(2))
            #expect(device.ownNotes == ["expired with 28.0 seconds"])
            #expect(device.ends.first?.hasPrefix("0x8badf00d watchdog: background tasks “leaked”") == true)
        }
    }

    @Test("nothing runs a suspended app at a set time or periodically; the alternative is a notification")
    func noGeneralMechanism() throws {
        try SimulatedDevice.run { device in
            let host = try device.launchProbe()
            device.notifications.setAuthorization(.authorized)
            for clock in ClockKind.allCases {
                host.engine.schedule(after: .seconds(60), clock: clock) { host.note("a timer") }
            }
            let timer = try RepeatingTimer(every: .seconds(1), engine: host.engine) { _ in host.note("a tick") }
            timer.resume()
            try device.inApp { try await $0.notifications.schedule(NotificationRequest("tea", after: .seconds(60))) }
            device.pressHome()
            device.advance(by: .seconds(3))
            let notes = device.ownNotes
            device.setNetwork(.none)
            device.setNetwork(.available)
            device.advance(by: .seconds(3_600))
            #expect(device.ownNotes == notes)
            #expect(device.deliveries() == ["tea"])
            timer.cancel()
        }
    }
}
