import ApusBackground
import ApusLinux
import Foundation
import Testing

/// A program of this test with its standard output, line by line; ended with the test.
private final class Program {
    private let process = Process()
    private let output = Pipe()
    private var buffer = Data()

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        try process.run()
    }

    /// The next line, or nothing when the program has ended.
    func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            buffer = Data(buffer + more)
        }
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }
}

@Suite("Desktop notifications on a private session bus")
struct DesktopNotifierTests {
    private let daemon: Program
    private let address: String

    init() throws {
        daemon = try Program(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"])
        let address = try #require(daemon.line(), "dbus-daemon does not start; Scripts/bootstrap installs it")
        self.address = try #require(address.split(separator: ",").first.map(String.init))
    }

    private func startService(_ mode: String) throws -> Program {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/notification_service.py").path
        let service = try Program(["python3", fixture, mode], environment: ["DBUS_SESSION_BUS_ADDRESS": address])
        #expect(service.line() == "ready")
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
        let service = try startService("show")
        let notifier = DesktopNotifier(appName: "Apus test", address: address)
        try await notifier.notify(UserNotification(title: title, body: body))

        let line = try #require(service.line())
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

    @Test("many notifications at once all arrive")
    func concurrent() async throws {
        let service = try startService("show")
        let notifier = DesktopNotifier(address: address)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try await notifier.notify(UserNotification(title: "number \(number)")) }
            }
            try await group.waitForAll()
        }
        var titles: Set<String> = []
        for _ in 0..<20 {
            let line = try #require(service.line())
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

    @Test("an address where nobody answers is an error that names it")
    func noBus() async {
        let error = await #expect(throws: BackgroundError.self) {
            try await DesktopNotifier(address: "unix:path=/nonexistent/bus").notify(UserNotification(title: "tea"))
        }
        #expect(error?.code == .notifierUnavailable)
        #expect(error?.message.contains("unix:path=/nonexistent/bus") == true)
    }

    @Test("a service that refuses is an error with its words")
    func refused() async throws {
        let service = try startService("refuse")
        let error = await #expect(throws: BackgroundError.self) {
            try await DesktopNotifier(address: address).notify(UserNotification(title: "tea"))
        }
        #expect(error?.code == .notificationRefused)
        #expect(error?.message.contains("not now") == true)
        #expect(service.line() != nil)
    }

    @Test("a service that hangs is given up after the timeout")
    func hangs() async throws {
        let service = try startService("hang")
        // Real time: it is libdbus's own timeout that is looked at, so it is short.
        let error = await #expect(throws: BackgroundError.self) {
            try await DesktopNotifier(address: address, timeout: .milliseconds(200))
                .notify(UserNotification(title: "tea"))
        }
        #expect(error?.code == .notificationRefused)
        #expect(service.line() != nil)
    }
}
