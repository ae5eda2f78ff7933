import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import Subprocess
import Testing

@Suite("The record of a home's socket", .timeLimit(.minutes(10)))
struct SocketRecordTests {
    /// A state folder, a folder for sockets, and the environments of two callers.
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
        "a caller finds the daemon although its environment names another folder for sockets, or none",
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
            try await until("the daemon's end") { !isAlive(pid) }
            #expect(!FileManager.default.fileExists(atPath: apus.home.path + "/socket"))
        }
    }

    /// Ends the daemons of the homes.
    private func end(_ homes: [ApusUnderTest]) async {
        for home in homes {
            if let health = try? await home.client.health() { kill(health.pid, SIGKILL) }
        }
    }

    @Test("a copied home is another home, and commands there leave the original alone", arguments: [false, true])
    func copy(usesRuntimeFolder: Bool) async throws {
        try await Places.with { places in
            let (original, folder) = (places.apus, places.folder)
            let copy = ApusUnderTest(home: Home(path: folder + "/copy/apus"))
            func environment(_ state: String) -> [String: String] {
                var variables = usesRuntimeFolder ? places.withRuntime : places.without
                variables["XDG_STATE_HOME"] = state
                return variables
            }
            let job = try await original.call(
                ["after", "1h", "--name", "precious", "--", "true"], environment: environment(folder))
            #expect(job.code == 0, "\(job)")
            let copied = try await Subprocess.run(
                .name("sh"), arguments: ["-c", #"mkdir -m 700 "$0/copy" && cp -a "$0/apus" "$0/copy/apus""#, folder],
                output: .discarded, error: .discarded)
            try #require(copied.terminationStatus.isSuccess)
            do {
                let cancelled = try await copy.call(
                    ["cancel", "--all", "--yes"], environment: environment(folder + "/copy"))
                #expect(cancelled.code == 0 && cancelled.err.contains("started a daemon"), "\(cancelled)")
                #expect(try await original.client.job("precious").state == "scheduled")
                #expect(try await copy.client.job("precious").state == "cancelled")
                #expect(try await original.client.health().pid != copy.client.health().pid)
            } catch {
                await end([copy])
                throw error
            }
            await end([copy])
        }
    }

    @Test("two state folders that share a folder for sockets have separate jobs at the same time")
    func sharedRuntimeFolder() async throws {
        try await Places.with { places in
            let (one, folder) = (places.apus, places.folder)
            let other = ApusUnderTest(home: Home(path: folder + "/other/apus"))
            let ofOther = places.withRuntime.merging(["XDG_STATE_HOME": folder + "/other"]) { _, new in new }
            try FileManager.default.createDirectory(
                atPath: folder + "/other", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            do {
                for (name, environment) in [("first", places.withRuntime), ("second", ofOther)] {
                    let answer = try await one.call(
                        ["after", "1h", "--name", name, "--", "true"], environment: environment)
                    #expect(answer.code == 0 && answer.err.contains("started a daemon"), "\(answer)")
                }
                #expect(try await one.client.jobs().jobs.map(\.name) == ["first"])
                #expect(try await other.client.jobs().jobs.map(\.name) == ["second"])
                #expect(try await one.client.socketPath() != other.client.socketPath())
            } catch {
                await end([other])
                throw error
            }
            await end([other])
        }
    }

    @Test("a killed daemon's record is harmless, and the next daemon replaces it")
    func stale() async throws {
        try await Places.with { places in
            let apus = places.apus
            _ = try await apus.call(["after", "1h", "--", "true"], environment: places.withRuntime)
            let first = try await apus.client.health().pid
            kill(first, SIGKILL)
            try await until("the daemon's end") { !isAlive(first) }
            let status = try await apus.call(["status"], environment: places.without)
            #expect(status.code == 3, "\(status)")
            let answer = try await apus.call(["list"], environment: places.without)
            #expect(answer.code == 0 && answer.err.contains("started a daemon"), "\(answer)")
            let second = try await apus.call(["status"], environment: places.withRuntime)
            #expect(second.code == 0 && second.out.contains("socket \(apus.home.path)/apus.sock"), "\(second)")
        }
    }
}
