import ApusClient
import ApusTestSupport
import Foundation
import Testing

@Suite("The helpers of these tests", .timeLimit(.minutes(10)))
struct HelperTests {
    @Test("a program's output is available at its end, although a process that it leaves holds it open")
    func leftProcess() async throws {
        let line = "sleep 1000 & echo $!; echo trouble >&2; exit 3"
        let answer = try await ApusUnderTest.run("/bin/sh", ["-c", line], ["PATH": "/usr/bin:/bin"])
        #expect(answer.code == 3 && answer.err == "trouble\n")
        let left = try #require(Int32(answer.out.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(isAlive(left))
        kill(left, SIGKILL)
    }

    @Test("a daemon that no longer answers is ended with its test, as is a command that it has left")
    func stoppedDaemon() async throws {
        let processes = try await ApusUnderTest.with { apus in
            let daemon = try await apus.startDaemon()
            let file = apus.home.path + "/command"
            let line = "echo $$ > \(file); while :; do sleep 0.05; done"
            let _: WireJob = try await apus.json("after", "1ms", "--json", "--shell", "--", line)
            try await until("the command") {
                FileManager.default.contents(atPath: file)?.last == UInt8(ascii: "\n")
            }
            let command = try String(contentsOfFile: file, encoding: .utf8).dropLast()
            kill(daemon, SIGSTOP)
            return [daemon, try #require(Int32(command))]
        }
        #expect(processes.filter(isAlive).isEmpty)
    }
}
