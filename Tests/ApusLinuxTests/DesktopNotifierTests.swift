import ApusBackground
import ApusLinux
import ApusTestSupport
import ApusTimers
import Foundation
import Testing

@Suite("Desktop notifications on a private session bus")
struct DesktopNotifierTests {
    private let bus: PrivateBus
    private var address: String { bus.address }

    init() async throws { bus = try await PrivateBus() }

    private func startService(_ mode: String) async throws -> Program {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/notification_service.py").path
        let service = try Program(["python3", fixture, mode], environment: ["DBUS_SESSION_BUS_ADDRESS": address])
        #expect(await service.line() == "ready")
        return service
    }

    private struct Call: Decodable {
        var signature, path, interface, app, icon, summary, body: String
        var replaces, actionBytes, hintBytes, expires: Int
    }

    @Test(
        "title and body arrive at the notification service as they were given",
        arguments: [("tea", "It is ready."), ("Übung: 日本 🍵", "zwei\nZeilen & <b>Zeichen</b>"), ("only a title", "")])
    func arrives(title: String, body: String) async throws {
        let service = try await startService("show")
        let notifier = DesktopNotifier(appName: "Apus test", address: address)
        try await notifier.notify(UserNotification(title: title, body: body))

        let line = try #require(await service.line())
        let call = try JSONDecoder().decode(Call.self, from: Data(line.utf8))
        #expect(call.summary == title)
        #expect(call.body == body)
        #expect(call.app == "Apus test")
        #expect(call.signature == "susssasa{sv}i")
        #expect(call.path == "/org/freedesktop/Notifications")
        #expect(call.interface == "org.freedesktop.Notifications")
        let numbers: [Int] = [call.replaces, call.actionBytes, call.hintBytes, call.expires]
        #expect(numbers == [0, 0, 0, -1] as [Int])
        #expect(call.icon.isEmpty)
    }

    @Test("any time-out is accepted", arguments: Duration.extremes)
    func extremeTimeouts(timeout: Duration) async throws {
        let notifier = DesktopNotifier(address: "unix:path=/nothing/bus", timeout: timeout)
        let error = await #expect(throws: BackgroundError.self) {
            try await notifier.notify(UserNotification(title: "Tea"))
        }
        #expect(error?.code == .notifierUnavailable)
    }

    @Test("many notifications at once all arrive")
    func concurrent() async throws {
        let service = try await startService("show")
        let notifier = DesktopNotifier(address: address)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try await notifier.notify(UserNotification(title: "number \(number)")) }
            }
            try await group.waitForAll()
        }
        var titles: Set<String> = []
        for _ in 0..<20 {
            let line = try #require(await service.line())
            titles.insert(try JSONDecoder().decode(Call.self, from: Data(line.utf8)).summary)
        }
        #expect(titles.count == 20)
    }

    @Test("a bus without a notification service is an error that says so")
    func noService() async throws {
        let error = await #expect(throws: BackgroundError.self) {
            try await DesktopNotifier(address: address).notify(UserNotification(title: "tea"))
        }
        #expect(error?.code == .notifierUnavailable)
        #expect(error?.message.contains("no notification service runs in this session") == true)
    }

    @Test("an address without a server is an error that names it")
    func noBus() async {
        let error = await #expect(throws: BackgroundError.self) {
            try await DesktopNotifier(address: "unix:path=/nonexistent/bus").notify(UserNotification(title: "tea"))
        }
        #expect(error?.code == .notifierUnavailable)
        #expect(error?.message.contains("unix:path=/nonexistent/bus") == true)
    }

    @Test("a service that refuses is an error with its words")
    func refused() async throws {
        let service = try await startService("refuse")
        let error = await #expect(throws: BackgroundError.self) {
            try await DesktopNotifier(address: address).notify(UserNotification(title: "tea"))
        }
        #expect(error?.code == .notificationRefused)
        #expect(error?.message.contains("not now") == true)
        #expect(await service.line() != nil)
    }

    @Test("a service that hangs is given up after the timeout")
    func hangs() async throws {
        let service = try await startService("hang")
        // This uses real time, because it tests libdbus's own timeout, which is therefore short.
        let error = await #expect(throws: BackgroundError.self) {
            try await DesktopNotifier(address: address, timeout: .milliseconds(200))
                .notify(UserNotification(title: "tea"))
        }
        #expect(error?.code == .notificationRefused)
        #expect(await service.line() != nil)
    }

    @Test("dunst, which desktops have, shows title and body as they were given")
    func realService() async throws {
        let display = try Program(["Xvfb", "-displayfd", "1", "-screen", "0", "320x240x24", "-nolisten", "tcp"])
        let number = try #require(await display.line(), "Xvfb does not start; Scripts/bootstrap installs it")
        let dunst = try Program(
            ["dunst", "-print", "-conf", bus.emptyFile.path],
            environment: ["DISPLAY": ":\(number)", "DBUS_SESSION_BUS_ADDRESS": address])
        let notifier = DesktopNotifier(appName: "Apus test", address: address)
        var isShown = false
        for _ in 0..<600 where !isShown {
            do {
                try await notifier.notify(UserNotification(title: "Übung 🍵", body: "zwei & mehr"))
                isShown = true
            } catch let error as BackgroundError where error.code == .notifierUnavailable {
                // This uses real time, because dunst gives no sign that it has connected to the bus.
                try await TimerEngine.shared.sleep(for: .milliseconds(50))
            }
        }
        try #require(isShown, "dunst does not come to the bus; Scripts/bootstrap installs it")
        var lines: [String] = []
        while let line = await dunst.line() {
            lines.append(line.trimmingCharacters(in: .whitespaces))
            if line.hasPrefix("}") { break }
        }
        #expect(lines.contains("appname: 'Apus test'") && lines.contains("summary: 'Übung 🍵'"), "\(lines)")
        #expect(lines.contains("body: 'zwei & mehr'"), "\(lines)")
    }
}
