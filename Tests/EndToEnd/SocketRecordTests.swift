import ApusDaemon
import ApusTimers
import Foundation
import Testing

@Suite("Where a home's socket is")
struct SocketRecordTests {
    /// A state folder and a folder for sockets, and the environments of two callers.
    private struct Places {
        let apus: ApusUnderTest
        let folder: String
        var withRuntime: [String: String] {
            ["APUS_HOME": "", "XDG_STATE_HOME": folder, "XDG_RUNTIME_DIR": folder + "/run"]
        }
        var without: [String: String] { ["APUS_HOME": "", "XDG_STATE_HOME": folder, "XDG_RUNTIME_DIR": ""] }

        static func with(_ body: (Places) async throws -> Void) async throws {
            try await ApusUnderTest.with { outer in
                let folder = outer.home.path
                try Home(path: folder).prepare()
                try FileManager.default.createDirectory(
                    atPath: folder + "/run", withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
                let apus = ApusUnderTest(home: Home(path: folder + "/apus"))
                do {
                    try await body(Places(apus: apus, folder: folder))
                    if let health = try? await apus.client.health() { kill(health.pid, SIGKILL) }
                } catch {
                    if let health = try? await apus.client.health() { kill(health.pid, SIGKILL) }
                    throw error
                }
            }
        }
    }

    @Test(
        "a daemon is found by a caller whose environment names another folder for sockets, or none",
        arguments: [false, true])
    func found(daemonHasRuntimeFolder: Bool) async throws {
        try await Places.with { places in
            let (own, other) =
                daemonHasRuntimeFolder
                ? (places.withRuntime, places.without) : (places.without, places.withRuntime)
            let apus = places.apus
            #expect(try await apus.call(["after", "1h", "--", "true"], environment: own).code == 0)
            let socket = try Home(environment: own).socketPath
            #expect(FileManager.default.fileExists(atPath: socket))
            let pid = try await apus.client.health().pid
            let status = try await apus.call(["status"], environment: other)
            #expect(status.code == 0 && status.out.contains("process \(pid)"), "\(status)")
            #expect(status.out.contains("socket \(socket)"), "\(status)")
            let second = try await apus.call(["after", "2h", "--", "true"], environment: other)
            #expect(second.code == 0 && !second.err.contains("started a daemon"), "\(second)")
            let stopped = try await apus.call(["stop"], environment: other)
            #expect(stopped.code == 0 && stopped.out.contains("process \(pid)"), "\(stopped)")
            try await apus.until("the daemon's end") { !isAlive(pid) }
            #expect(!FileManager.default.fileExists(atPath: apus.home.path + "/socket"))
        }
    }

    @Test("the record that a killed daemon left does no harm, and the next daemon replaces it")
    func stale() async throws {
        try await Places.with { places in
            let apus = places.apus
            _ = try await apus.call(["after", "1h", "--", "true"], environment: places.withRuntime)
            let first = try await apus.client.health().pid
            kill(first, SIGKILL)
            try await apus.until("the daemon's end") { !isAlive(first) }
            let status = try await apus.call(["status"], environment: places.without)
            #expect(status.code == 3, "\(status)")
            let answer = try await apus.call(["list"], environment: places.without)
            #expect(answer.code == 0 && answer.err.contains("started a daemon"), "\(answer)")
            let second = try await apus.call(["status"], environment: places.withRuntime)
            #expect(second.code == 0 && second.out.contains("socket \(apus.home.path)/apus.sock"), "\(second)")
        }
    }
}
