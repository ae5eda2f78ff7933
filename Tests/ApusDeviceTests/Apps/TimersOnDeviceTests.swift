import ApusBackground
import ApusDevice
import ApusTimers
import ApusVirtualTime
import Testing

@MainActor
@Suite("BackgroundTimers on the simulated device")
struct TimersOnDeviceTests {
    @Test(
        "a timer set in the foreground fires in the background under one background task; then the app is suspended"
    )
    func withinAllowance() throws {
        try SimulatedDevice.run { device in
            let start = device.time.uptime()
            let app = try device.launchTimers()
            let host = app.host
            try app.schedule(after: .seconds(5))
            try app.schedule(after: .seconds(20))
            device.pressHome()
            device.advance(by: .seconds(19))
            #expect(host.phase == .background)
            #expect(device.claims.ended.isEmpty)
            device.advance(by: .seconds(4))
            #expect(device.notes(since: start) == ["5 timer 1 fires", "20 timer 2 fires"])
            #expect(host.phase == .suspended)
            #expect(device.claims.began == ["timers": 1])
            #expect(device.claims.ended == ["timers": 1])
            #expect(device.claims.expired == 0)
        }
    }

    @Test(
        "a timer beyond the allowance expires, the app is suspended in time, and it fires on the return",
        arguments: BackgroundTimers.Coverage.allCases, [(due: 60, expired: 0), (due: 28, expired: 26)])
    func beyondAllowance(coverage: BackgroundTimers.Coverage, times: (due: Int, expired: Int)) throws {
        try SimulatedDevice.run { device in
            let start = device.time.uptime()
            let app = try device.launchTimers(coverage: coverage)
            try app.schedule(after: .seconds(times.due))
            device.pressHome()
            // The app is not kept running for a timer that cannot fire, and its tasks end before the system would end
            // the app.
            device.advance(by: .seconds(times.expired + 3))
            #expect(app.host.phase == .suspended)
            device.advance(by: .seconds(1_000 - times.expired - 3))
            #expect(device.notes(since: start) == ["\(times.expired) expired 1"])
            device.open()
            #expect(device.notes(since: start).last == "1000 timer 1 fires")
            #expect(app.timers.pending.isEmpty)
            device.advance(by: .seconds(1))
            #expect(device.ends.isEmpty)
            let name = coverage == .each ? "timers 1" : "timers"
            #expect(device.claims.began == [name: 2], "on the return it is covered again")
            #expect(device.claims.ended == [name: 2])
        }
    }

    @Test("a return before the deadline gives a new allowance, in which the timer fires")
    func earlyReturn() throws {
        try SimulatedDevice.run { device in
            let start = device.time.uptime()
            let app = try device.launchTimers()
            try app.schedule(after: .seconds(50))
            device.pressHome()
            device.advance(by: .seconds(40))
            device.open()
            device.pressHome()
            device.advance(by: .seconds(40))
            #expect(device.notes(since: start) == ["0 expired 1", "50 timer 1 fires"])
            #expect(app.host.phase == .suspended)
        }
    }

    @Test("after suspension a repeating timer delivers one tick for those that it missed, and keeps its phase")
    func repeating() throws {
        try SimulatedDevice.run { device in
            let start = device.time.uptime()
            let app = try device.launchTimers()
            let id = try app.schedule(after: .seconds(10), every: .seconds(10))
            device.pressHome()
            device.advance(by: .seconds(105))
            device.open()
            device.advance(by: .seconds(7))
            #expect(
                device.notes(since: start) == [
                    "10 timer 1 fires", "20 timer 1 fires", "26 expired 1", "105 timer 1 fires", "110 timer 1 fires",
                ])
            #expect(app.timers.cancel(id))
        }
    }

    @Test("a timer that is handed over to a notification is shown while the app is suspended, and fires later")
    func handover() throws {
        try SimulatedDevice.run { device in
            let start = device.time.uptime()
            let app = try device.launchTimers()
            try app.schedule(after: .seconds(300), handover: .notification(UserNotification(title: "Eggs")))
            device.pressHome()
            device.advance(by: .seconds(10))
            #expect(app.host.phase == .suspended, "it needs no background task any more")
            #expect(try device.requests().pending.count == 1)
            device.advance(by: .seconds(390))
            let requests = try device.requests()
            #expect(requests.pending.isEmpty)
            #expect(requests.delivered.count == 1)
            device.open()
            #expect(device.notes(since: start) == ["0 handed over 1", "400 timer 1 fires"])
            #expect(try device.requests().delivered == requests.delivered)
        }
    }

    @Test(
        "a timer that is due after the handlers' call but within the budget is handed over, and its notification is delivered"
    )
    func lateHandover() throws {
        try SimulatedDevice.run { device in
            let start = device.time.uptime()
            let app = try device.launchTimers()
            try app.schedule(after: .seconds(28), handover: .notification(UserNotification(title: "Eggs")))
            device.pressHome()
            device.advance(by: .seconds(40))
            #expect(device.notes(since: start).starts(with: ["26 expired 1", "26 handed over 1"]))
            #expect(try device.requests().delivered.count == 1)
            #expect(app.host.phase == .suspended)
        }
    }

    @Test("an early return removes the notification, and the timer itself fires in the foreground")
    func handoverTakenBack() throws {
        try SimulatedDevice.run { device in
            let app = try device.launchTimers()
            try app.schedule(after: .seconds(300), handover: .notification(UserNotification(title: "Eggs")))
            device.pressHome()
            device.advance(by: .seconds(100))
            device.open()
            #expect(try device.requests() == Requests(pending: [], delivered: []))
            device.advance(by: .seconds(200))
            #expect(device.ownNotes.last == "timer 1 fires")
            #expect(try device.requests() == Requests(pending: [], delivered: []))
        }
    }

    @Test("notifications that stand in for timers have the same identifiers each time")
    func identifiers() throws {
        func text() throws -> String {
            try SimulatedDevice.run { device in
                let app = try device.launchTimers()
                for _ in 0..<3 {
                    try app.schedule(after: .seconds(300), handover: .notification(UserNotification(title: "Eggs")))
                }
                device.pressHome()
                device.advance(by: .seconds(400))
                return device.logText
            }
        }
        #expect(try text() == text())
    }

    @Test("timers end with their process, and a new process begins without any")
    func termination() throws {
        try SimulatedDevice.run { device in
            let app = Box<TimerApp?>(try device.launchTimers())
            try app.value?.schedule(after: .seconds(20))
            try app.value?.schedule(after: .seconds(5), every: .seconds(5))
            // If the test retained the app, that would count as a leak.
            app.value = nil
            device.pressHome()
            device.advance(by: .seconds(7))
            device.kill()
            device.advance(by: .seconds(60))
            device.open()
            device.advance(by: .seconds(60))
            #expect(device.ownNotes == ["timer 2 fires"])
            #expect(try device.timerApp.timers.pending.isEmpty)
        }
    }

    @Test("a timer that is cancelled before a suspension, or right after it, does not fire")
    func cancel() throws {
        try SimulatedDevice.run { device in
            let app = try device.launchTimers()
            let early = try app.schedule(after: .seconds(100))
            let late = try app.schedule(after: .seconds(100))
            device.pressHome()
            device.advance(by: .seconds(10))
            #expect(app.timers.cancel(early))
            device.advance(by: .seconds(990))
            #expect(app.host.phase == .suspended)
            // When the app is resumed, this work runs before the timers, and cancels one of them.
            app.host.mainLoop.run { #expect(app.timers.cancel(late)) }
            #expect(app.timers.pending == [late])
            device.open()
            #expect(device.ownNotes == ["expired 2", "cancelled", "cancelled"])
            #expect(app.timers.pending.isEmpty)
            #expect(device.claims.began == device.claims.ended)
        }
    }

    @Test("the budget is the same with one background task for all timers and with one for each")
    func coverage() throws {
        for coverage in BackgroundTimers.Coverage.allCases {
            try SimulatedDevice.run { device in
                let start = device.time.uptime()
                let app = try device.launchTimers(coverage: coverage)
                for seconds in [10, 20, 29, 30] { try app.schedule(after: .seconds(seconds)) }
                device.pressHome()
                let names = coverage == .each ? (1...4).map { "timers \($0)" } : ["timers"]
                #expect(device.claims.began.keys.sorted() == names && device.claims.began.values.allSatisfy { $0 == 1 })
                device.advance(by: .seconds(15))
                #expect(app.host.backgroundTimeRemaining == .seconds(15))
                device.advance(by: .seconds(20))
                let expired = coverage == .each ? ["26 expired 1", "26 expired 1"] : ["26 expired 2"]
                #expect(device.notes(since: start) == ["10 timer 1 fires", "20 timer 2 fires"] + expired)
                #expect(device.claims.expired == expired.count)
                #expect(device.claims.began == device.claims.ended)
                #expect(app.host.phase == .suspended)
            }
        }
    }

    @Test("work in default mode waits while the user scrolls, and in common mode it does not")
    func scrolling() throws {
        for mode in MainLoopMode.allCases {
            try SimulatedDevice.run { device in
                let start = device.time.uptime()
                let app = try device.launchTimers(mode: mode)
                try app.schedule(after: .seconds(5))
                device.scroll(for: .seconds(10))
                #expect(device.notes(since: start) == [mode == .common ? "5 timer 1 fires" : "10 timer 1 fires"])
            }
        }
    }
}

struct Requests: Equatable {
    var pending: [String]
    var delivered: [String]
}

extension SimulatedDevice {
    /// Returns the identifiers of the notification requests.
    func requests() throws -> Requests {
        let notifications = notifications
        return try time.perform {
            Requests(
                pending: await notifications.pending().map(\.identifier), delivered: await notifications.delivered())
        }
    }
}
