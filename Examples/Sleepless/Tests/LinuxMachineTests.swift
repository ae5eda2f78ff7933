import ApusBackground
import ApusTesting
import Foundation
import LoopbackWeb
import SleeplessApp
import Testing

@testable import Sleepless

@Suite("Sleepless on Linux")
struct LinuxMachineTests {
    private struct Desktop: Notifier {
        var error: BackgroundError?

        func notify(_ notification: UserNotification) async throws { if let error { throw error } }
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sleepless-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func mode(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    @Test(
        "a home belongs to one at a time; the error names it and the owner's process, and it is free again at the end")
    func lock() throws {
        try withFolder { folder in
            var first: HomeFolder? = try HomeFolder(folder)
            let error = #expect(throws: HomeFolder.Failure.self) { try HomeFolder(folder) }
            #expect(error?.description.contains(folder.path) == true)
            #expect(error?.description.contains("process \(getpid());") == true)
            withExtendedLifetime(first) {}
            first = nil
            #expect(throws: Never.self) { try HomeFolder(folder) }
        }
    }

    @Test("only its user can look into a home, also one of an earlier version")
    func modes() throws {
        try withFolder { folder in
            let records = folder.appending(path: "records", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(
                at: records, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            let file = records.appending(path: "todo.json")
            try Data("{}".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            let home = try HomeFolder(folder)
            #expect(try mode(home.records) == 0o700)
            #expect(try mode(file) == 0o600)
            #expect(try mode(folder.appending(path: "lock")) == 0o600)
        }
    }

    @Test("a home that is made is for its user only; one that was there keeps its permissions")
    func homeMode() throws {
        try withFolder { folder in
            #expect(try mode(HomeFolder(folder).records.deletingLastPathComponent()) == 0o700)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
            _ = try HomeFolder(folder)
            #expect(try mode(folder) == 0o755)
        }
    }

    @Test("a home that cannot be made is an error that names it")
    func unwritable() {
        let error = #expect(throws: HomeFolder.Failure.self) { try HomeFolder(URL(fileURLWithPath: "/proc/none")) }
        #expect(error?.description.contains("/proc/none") == true)
    }

    @MainActor
    @Test("without sound and positions their screens are null, and their taps are refused")
    func withoutModes() throws {
        try SimulatedDevice.run { device in
            device.install(PhoneStage.manifest) { host in
                try App(
                    Services(
                        host: host, store: host.storage, notifications: host.notifications, audio: nil, location: nil,
                        jobs: host.jobs, tracks: [], block: { host.work(for: $0) }))
            }
            device.open()
            let app = try device.sleepless
            let json = String(decoding: try JSONEncoder().encode(app.snapshot()), as: UTF8.self)
            #expect(json.contains(#""audio":null"#) && json.contains(#""location":null"#))
            let taps = AppTaps.accepted.keys.filter { $0.hasPrefix("audio/") || $0.hasPrefix("location/") }
            #expect(taps.count == 8)
            for tap in taps {
                let error = #expect(throws: WebError.self) { try AppTaps.perform(tap, Arguments(Data()), in: app) }
                #expect(error?.code == "unavailable", "\(tap)")
            }
        }
    }

    @Test(
        "without a bus the page says that no notification is shown",
        arguments: [
            [:], ["DBUS_SESSION_BUS_ADDRESS": ""], ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent,guid=1"],
            ["XDG_RUNTIME_DIR": "/nonexistent"],
        ])
    func noBus(environment: [String: String]) {
        #expect(DesktopNotices(Desktop(), environment: environment).summary.hasPrefix("None is shown: "))
    }

    @Test("with a bus the page says what became of the last notification")
    func outcome() async throws {
        let environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=x"]
        let notification = UserNotification(title: "Time is up", body: "")
        let working = DesktopNotices(Desktop(), environment: environment)
        #expect(working.summary.contains("None was sent yet"))
        try await working.notify(notification)
        #expect(working.summary == "The desktop shows them, while this process runs.")
        let failing = DesktopNotices(
            Desktop(error: BackgroundError(code: .notifierUnavailable, message: "no service runs")),
            environment: environment)
        await #expect(throws: BackgroundError.self) { try await failing.notify(notification) }
        #expect(failing.summary == "The last one was not shown: no service runs.")
    }
}
