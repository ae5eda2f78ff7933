import ApusBackground
import ApusTesting
import ApusTimers
import Foundation
import HTTPTypes
import LoopbackWeb
import SleeplessApp
import Testing

@testable import Sleepless

@MainActor
@Suite("The simulated phone's controls")
struct PhoneStageTests {
    private let phone = PhoneStage(seed: 0, speed: 1, lives: false)

    private func control(_ name: String, _ body: String = "") async throws {
        try await phone.control(name, try Arguments(Data(body.utf8)))
    }

    private func tap(_ name: String, _ body: String = "") throws {
        try AppTaps.perform(name, try Arguments(Data(body.utf8)), in: try phone.appInFront())
        phone.settle()
    }

    private var app: AppSnapshot { get throws { try #require(phone.screen().app) } }
    private var location: LocationSnapshot { get throws { try #require(app.location) } }
    private var device: DeviceScreen { get throws { try #require(phone.screen().device) } }

    @Test(
        "an app that is not in front cannot be tapped: before it is opened, at home, on the lock screen, during a call")
    func notInFront() async throws {
        func refused() {
            let error = #expect(throws: WebError.self) { try tap("completion/start") }
            #expect(error?.code == "notInFront")
            #expect(error?.status.code == 409)
        }
        refused()
        try await control("open")
        try tap("completion/start")
        for (leave, back) in [("home", "open"), ("lock", "unlock"), ("call", "end-call"), ("switcher", "open")] {
            try await control(leave)
            refused()
            try await control(back)
            try tap("completion/stop")
        }
    }

    @Test("while the app is suspended its picture stays as it was at its last moment")
    func picture() async throws {
        try await control("open")
        try tap("countdown/start", #"{"seconds":300}"#)
        try tap("completion/start")
        try await control("home")
        try await control("advance", #"{"seconds":40}"#)
        #expect(try device.process == "suspended")
        let picture = try app
        #expect(picture.completion.n == 51)
        #expect(picture.countdown.remaining < 275)
        try await control("advance", #"{"seconds":100}"#)
        #expect(try app == picture)
        try await control("open")
        #expect(try app.countdown.remaining == 160)
        try await control("kill")
        #expect(phone.screen().app == nil)
        #expect(try device.process == "none")
    }

    @Test("the next event is skipped to, a day passes exactly")
    func skips() async throws {
        try await control("open")
        try tap("timer/go", #"{"delay":100,"repeat":null}"#)
        let begin = phone.device.time.uptime()
        try await control("next-event")
        // The next event is a warning after half a minute, because a background task is still open then.
        #expect(begin.duration(to: phone.device.time.uptime()) == .seconds(30))
        try await control("skip-day")
        #expect(begin.duration(to: phone.device.time.uptime()) == .seconds(86_430))
        #expect(try app.timer.ended.map(\.what) == ["executed"])
    }

    @Test("the log is numbered from 1, read in pieces, and continues with another phone")
    func log() async throws {
        try await control("open")
        let all = phone.log(after: 0)
        #expect(all.events.map(\.n) == Array(1...all.events.count))
        #expect(all.next == all.events.count)
        #expect(phone.log(after: 3).events == Array(all.events.dropFirst(3)))
        #expect(phone.log(after: all.next) == LogPage(events: [], next: all.next))
        #expect(all.events.contains { $0.kind == "phase" && $0.text == "phase active" && $0.actor == "system" })
        try await control("reset")
        let new = phone.log(after: all.next)
        #expect(new.events.first?.n == all.next + 1)
        #expect(new.events.first?.at == "2026-01-01T09:41:00.000Z")
        #expect(try device.phone == 2)
        #expect(try device.pid == 0)
    }

    @Test(
        "each control does what it says",
        arguments: [
            ("home", "", "press home"), ("open", "", "open"), ("switcher", "", "open app switcher"),
            ("swipe", "", "swipe away"), ("lock", "", "lock"), ("unlock", "", "unlock"),
            ("battery", #"{"level":0.5}"#, "battery 0.5"), ("plug", "", "plug in"), ("unplug", "", "unplug"),
            ("low-power", #"{"on":true}"#, "low-power mode on"), ("network", #"{"network":"none"}"#, "network none"),
            ("background-refresh", #"{"on":false}"#, "background refresh off"),
            ("thermal", #"{"state":"serious"}"#, "thermal state serious"), ("memory-pressure", "", "memory pressure"),
            ("reboot", "", "reboot"), ("call", "", "receive call"), ("end-call", "", "end call"), ("kill", "", "kill"),
            ("sleep", #"{"seconds":600}"#, "sleep for 600.0 seconds"),
            ("clock", #"{"seconds":3600}"#, "move wall clock by 3600.0 seconds"),
            ("scroll", #"{"on":true}"#, "begin scrolling"), ("scroll", #"{"on":false}"#, "end scrolling"),
            ("scroll", #"{"seconds":3}"#, "begin scrolling"),
        ])
    func controls(name: String, body: String, line: String) async throws {
        try await control("open")
        let known = phone.lastLine
        try await control(name, body)
        #expect(phone.log(after: known).events.contains { $0.kind == "control" && $0.text == line })
    }

    @Test("what the user answers holds for the question, and afterwards for the settings")
    func answers() async throws {
        try await control("notification-authorization", #"{"allows":false}"#)
        try await control("location-answer", #"{"authorization":"always"}"#)
        try await control("open")
        try tap("location/authorize", #"{"wish":"always"}"#)
        #expect(try device.notificationAuthorization == "denied")
        #expect(try location.authorization == "always")
        try await control("notification-authorization", #"{"allows":true}"#)
        try await control("location-answer", #"{"authorization":"denied"}"#)
        #expect(try device.notificationAuthorization == "authorized")
        #expect(try location.authorization == "denied")
    }

    @Test("a notification is shown on the phone, and a tap on it opens the app")
    func notification() async throws {
        try await control("open")
        try tap("countdown/start", #"{"seconds":60}"#)
        try await control("home")
        try await control("advance", #"{"seconds":100}"#)
        let notification = try #require(try device.notifications.first)
        #expect(notification.title == "Time is up")
        #expect(notification.at == "2026-01-01T09:42:00.000Z")
        try await control("tap-notification", #"{"id":"\#(notification.id)"}"#)
        #expect(try device.showing == "app")
        #expect(try device.notifications.isEmpty)
        #expect(try app.countdown.wasUnseen)
        await #expect(throws: WebError.self) { try await control("tap-notification", #"{"id":"x"}"#) }
    }

    @Test("the screen says which background tasks are open and which notifications wait, until they are not")
    func open() async throws {
        try await control("open")
        try tap("completion/start")
        try tap("countdown/start", #"{"seconds":600}"#)
        #expect(try device.backgroundTasks.map(\.name) == ["fibonacci"])
        #expect(try device.backgroundTasks.first?.since == "2026-01-01T09:41:00.000Z")
        #expect(try device.pendingNotifications.map(\.title) == ["Time is up"])
        #expect(try device.pendingNotifications.first?.due == "2026-01-01T09:51:00.000Z")
        try tap("completion/stop")
        #expect(try device.backgroundTasks.isEmpty)
        try tap("completion/start")
        try await control("kill")
        #expect(try device.backgroundTasks.isEmpty)
        try await control("advance", #"{"seconds":600}"#)
        #expect(try device.pendingNotifications.isEmpty)
        #expect(try device.notifications.map(\.title) == ["Time is up"])
    }

    @Test("after a day of computing, what each event carries is no longer than after an hour")
    func size() async throws {
        func size() throws -> Int { try JSONEncoder().encode(phone.screen()).count }
        try await control("open")
        try tap("completion/start")
        try await control("advance", #"{"seconds":3600}"#)
        let hour = try size()
        try await control("skip-day")
        #expect(try app.completion.n == 180_000)
        #expect(try app.completion.digits > 37_000)
        #expect(try size() < hour + 200)
        #expect(hour < 8_000)
    }

    @Test("the lock screen says what plays, and a pending job why it waits")
    func shown() async throws {
        try await control("open")
        try tap("audio/play")
        try tap("refresh/schedule", #"{"kind":"processing","earliest":0,"network":false,"power":true}"#)
        #expect(try device.playing == DeviceScreen.Playing(title: "Dawn", isPlaying: true))
        #expect(try device.jobs.first?.whyNot.contains("no external power") == true)
        try await control("lock")
        #expect(try device.showing == "lock")
        #expect(try device.process == "background")
        #expect(try device.budget == nil)
    }

    @Test(
        "what is not accepted is refused, and nothing happens",
        arguments: [
            ("foo", ""), ("battery", ""), ("battery", #"{"level":2}"#), ("network", #"{"network":"fast"}"#),
            ("speed", #"{"speed":4000}"#), ("speed", #"{"speed":-1}"#), ("advance", #"{"seconds":-1}"#),
            ("route", #"{"name":"x"}"#), ("scroll", ""), ("low-power", #"{"on":"yes"}"#),
        ])
    func refuses(name: String, body: String) async throws {
        let known = phone.lastLine
        await #expect(throws: WebError.self) { try await control(name, body) }
        #expect(phone.lastLine == known)
    }

    @Test("each route has pins; in a tunnel the fix is lost for a while")
    func routes() async throws {
        try await control("open")
        try tap("location/authorize", #"{"wish":"whenInUse"}"#)
        try tap("location/start", #"{"inBackground":true}"#)
        for name in ["walk", "still", "tunnel"] {
            try await control("route", #"{"name":"\#(name)"}"#)
            try tap("location/clear")
            try await control("advance", #"{"seconds":40}"#)
            #expect(try !location.pins.isEmpty, "\(name)")
        }
        try await control("advance", #"{"seconds":40}"#)
        #expect(try !location.hasFix)
        try await control("advance", #"{"seconds":60}"#)
        #expect(try location.hasFix)
    }

    @Test("the story of a background task is the same at sixty times the speed and in steps, event by event")
    func story() async throws {
        func begin(_ phone: PhoneStage) async throws {
            func control(_ name: String, _ body: String = "") async throws {
                try await phone.control(name, try Arguments(Data(body.utf8)))
            }
            try await control("open")
            try phone.appInFront().completion.start()
            try await control("advance", #"{"seconds":3.2}"#)
            try await control("home")
        }
        func end(_ phone: PhoneStage) async throws -> ([CompletionSnapshot.Line], [String]) {
            let passed = WallInstant(secondsSince1970: 1_767_260_460).duration(to: phone.device.time.wall())
            await phone.advance(phone.device, by: .seconds(120) - passed)
            try await phone.control("open", try Arguments(Data()))
            await phone.advance(phone.device, by: .seconds(1))
            let log = phone.log(after: 0).events.filter { $0.text != "run in real time" }.map { "\($0.at) \($0.text)" }
            return (try #require(phone.screen().app).completion.story, log)
        }
        try await begin(phone)
        let inSteps = try await end(phone)

        let living = PhoneStage(seed: 0, speed: 0)
        try await begin(living)
        living.speed = 60
        for _ in 1...1_000 where living.device.appPhase != .suspended {
            // This loop waits in real time, because the test measures real time. It takes about a second, and at most
            // twenty.
            try await TimerEngine.shared.sleep(for: .milliseconds(20))
        }
        living.speed = 0
        let inRealTime = try await end(living)
        #expect(inRealTime.0 == inSteps.0)
        #expect(inRealTime.1 == inSteps.1)
        #expect(inSteps.0.map(\.text).contains("time is up at number 58"))
    }
}
