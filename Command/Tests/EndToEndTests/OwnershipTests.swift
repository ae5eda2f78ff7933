import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import Subprocess
import Testing

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// If root runs these tests, they give files to the user 65534; otherwise they make the files writable for all.
@Suite("Homes, sockets and files of other users", .timeLimit(.minutes(10)))
struct OwnershipTests {
    private func give(_ path: String, mode: mode_t = 0o777) throws {
        try #require((geteuid() == 0 ? lchown(path, 65_534, 65_534) : chmod(path, mode)) == 0)
    }

    private func isRefusal(_ answer: ApusUnderTest.Answer, of path: String) -> Bool {
        let why = geteuid() == 0 ? "user 65534" : "can be written by other users"
        return answer.code == 1 && answer.err.contains(path) && answer.err.contains(why)
    }

    @Test("another user's home is refused and unchanged, and no job in it is retried")
    func foreignHome() async throws {
        try await ApusUnderTest.with { apus in
            let process = try await apus.startDaemon()
            let marker = apus.home.path + ".ran"
            // Processes that the first daemon leaves running end when the marker is removed.
            defer { try? FileManager.default.removeItem(atPath: marker) }
            let attempts: @Sendable () throws -> String = { try String(contentsOfFile: marker, encoding: .utf8) }
            _ = try await apus(
                "after", "10ms", "--shell", "--",
                "echo $APUS_ATTEMPT >> \(marker); while [ -e \(marker) ]; do sleep 0.05; done")
            try await until("the first attempt") { (try? attempts()) == "1\n" }
            kill(process, SIGKILL)
            try await until("the daemon's end") { !isAlive(process) }
            let files = try FileManager.default.contentsOfDirectory(atPath: apus.home.path)
            for file in files { try give("\(apus.home.path)/\(file)") }
            try give(apus.home.path)
            for command in [["list"], ["serve"], ["after", "1s", "--", "true"]] {
                let answer = try await apus.call(command)
                #expect(isRefusal(answer, of: apus.home.path), "\(command): \(answer)")
                #expect(answer.err.contains("APUS_HOME"), "\(answer)")
            }
            #expect(try attempts() == "1\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: apus.home.path).sorted() == files.sorted())
        }
    }

    @Test(
        "a database, lock or log in the user's home that belongs to another user or is a link is refused",
        arguments: ["apus.db", "apus.db.lock", "apus.log"])
    func plantedFile(_ name: String) async throws {
        try await ApusUnderTest.with { apus in
            try apus.home.prepare()
            let path = "\(apus.home.path)/\(name)"
            try Data().write(to: URL(filePath: path))
            try give(path)
            let answer = try await apus("list")
            #expect(isRefusal(answer, of: path), "\(answer)")

            guard name != "apus.db" else { return }
            try FileManager.default.removeItem(atPath: path)
            let target = apus.home.path + "/precious"
            try Data("precious".utf8).write(to: URL(filePath: target))
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            let linked = try await apus("list")
            #expect(linked.code == 1 && linked.err.contains("symbolic link"), "\(linked)")
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
        }
    }

    /// Listens on a socket at the path as another user and prints `ready` and everything received.
    ///
    /// The script becomes the other user, where permitted, before it listens. The kernel reports to the clients the
    /// user that called listen(2) (`SO_PEERCRED`, unix(7)).
    private static let server = """
        import os, socket, sys
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1])
        if os.geteuid() == 0: os.setuid(65534)
        server.listen()
        os.write(1, b'ready\\n')
        while True:
            connection = server.accept()[0]
            data = connection.recv(65536)
            if data: os.write(1, b'sent ' + data)
            connection.close()
        """

    @Test("another user's process that listens on the home's socket is refused and receives nothing")
    func foreignServer() async throws {
        try await ApusUnderTest.with { apus in
            try apus.home.prepare()
            let server = Process()
            let output = Pipe()
            server.executableURL = URL(filePath: "/usr/bin/env")
            server.arguments = ["python3", "-c", Self.server, apus.home.socketPath]
            server.standardOutput = output
            try server.run()
            // SIGKILL is used, because children of Dispatch's threads have SIGTERM blocked.
            defer { kill(server.processIdentifier, SIGKILL) }
            #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "ready\n")
            if geteuid() != 0 { try give(apus.home.path) }
            for command in [["status"], ["list"], ["stop"], ["after", "1s", "--", "true"]] {
                let answer = try await apus.call(command)
                #expect(isRefusal(answer, of: apus.home.path), "\(command): \(answer)")
            }
            kill(server.processIdentifier, SIGKILL)
            server.waitUntilExit()
            #expect(output.fileHandleForReading.readDataToEndOfFile().isEmpty)
            if geteuid() == 0 {
                try give(apus.home.socketPath)
                let answer = try await apus("status")
                #expect(isRefusal(answer, of: apus.home.socketPath), "\(answer)")
            } else {
                try #require(chmod(apus.home.path, 0o700) == 0)
            }
        }
    }

    @Test("another user's folder for sockets, as `su` leaves it in the environment, is not used")
    func foreignRuntimeFolder() async throws {
        try await ApusUnderTest.with { apus in
            let runtime = apus.home.path + "/run"
            try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: true)
            try #require(chmod(apus.home.path, 0o700) == 0)
            let state = apus.home.path + "/state"
            func home() throws -> Home { try Home(environment: ["XDG_STATE_HOME": state, "XDG_RUNTIME_DIR": runtime]) }
            try home().prepare()
            #expect(try home().socketPath.hasPrefix(runtime + "/apus/"))
            try give(runtime)
            #expect(try home().socketPath == state + "/apus/apus.sock")
        }
    }

    @Test("the demonstration creates a folder with a new name, and leaves an existing one alone")
    func demonstration() async throws {
        try await ApusUnderTest.with { apus in
            try apus.home.prepare()
            // `exec` keeps the shell's process number, which is known before the command begins.
            let line = "mkdir $TMPDIR/apus-demo-$$ && exec \(ApusUnderTest.program) demo"
            var environment = apus.environment
            environment["TMPDIR"] = apus.home.path
            let variables = environment.map { (Subprocess.Environment.Key(rawValue: $0)!, $1) }
            let result = try await Subprocess.run(
                .name("sh"), arguments: ["-c", line],
                environment: .custom(Dictionary(uniqueKeysWithValues: variables)),
                output: .string(limit: 65_536), error: .string(limit: 65_536))
            #expect(result.terminationStatus == .exited(0), "\(result)")
            let planted = "apus-demo-\(result.processIdentifier.value)"
            #expect(FileManager.default.fileExists(atPath: "\(apus.home.path)/\(planted)"))
            #expect(!result.standardOutput.contains(planted), "\(result)")
        }
    }
}
