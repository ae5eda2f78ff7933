import ApusTimers
import CProcessClock
import Foundation
import Testing

@testable import ApusTestTraits

@Suite("ChildProcess")
struct ChildProcessTests {
    private func shell(_ script: String) -> ChildCommand {
        ChildCommand(
            path: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH": "/usr/bin:/bin", "A": "b c"])
    }

    @Test("the exit status, the events and the error output of a program are returned")
    func outcome() async {
        let outcome = await ChildProcess.run(
            shell(#"printf 'event of %s' "$A" >&3; printf errors >&2; exit 7"#), limit: .seconds(60))
        #expect(outcome.ending == .exited(7))
        #expect(String(decoding: outcome.events, as: UTF8.self) == "event of b c")
        #expect(String(decoding: outcome.errorOutput, as: UTF8.self) == "errors")
        #expect(outcome.exceededLimit == nil && !outcome.hasBegun)
    }

    @Test("the signal that ended a program is returned")
    func signal() async {
        #expect(await ChildProcess.run(shell("kill -SEGV $$"), limit: .seconds(60)).ending == .signalled(SIGSEGV))
    }

    @Test("a program that is not there cannot be started")
    func absent() async {
        let command = ChildCommand(path: "/nonexistent", arguments: ["x"], environment: [:])
        #expect(
            await ChildProcess.run(command, limit: .seconds(60)).ending == .notStarted("No such file or directory"))
    }

    @Test("only the end of a long error output is kept")
    func longErrorOutput() async {
        let outcome = await ChildProcess.run(
            shell("i=0; while [ $i -lt 400 ]; do echo '                               line' $i >&2; i=$((i+1)); done"),
            limit: .seconds(60))
        #expect(outcome.ending == .exited(0))
        #expect(outcome.errorOutput.count == ChildProcess.errorOutputLimit)
        #expect(String(decoding: outcome.errorOutput, as: UTF8.self).hasSuffix("line 399\n"))
    }

    @Test("only the standard descriptors and two more are open in the program")
    func descriptors() async {
        let outcome = await ChildProcess.run(shell("ls /proc/self/fd >&3"), limit: .seconds(60))
        // The descriptor 5 is the folder that `ls` reads.
        let numbers = String(decoding: outcome.events, as: UTF8.self).split(separator: "\n")
        #expect(numbers == ["0", "1", "2", "3", "4", "5"])
    }

    @Test("the limit counts from the beginning of virtual time, and the program is asked for a report")
    func limit() async {
        let program = shell("printf b >&4; dd bs=1 count=1 <&4 >/dev/null 2>&1; printf 'the report' >&4; exit 113")
        let outcome = await ChildProcess.run(program, limit: .milliseconds(1), loadLimit: .seconds(60))
        #expect(outcome.hasBegun)
        #expect(outcome.exceededLimit == .milliseconds(1))
        #expect(outcome.clockReport == "the report")
        #expect(outcome.ending == .exited(113))
    }

    @Test("a program in which virtual time does not begin is killed")
    func loadLimit() async {
        let outcome = await ChildProcess.run(shell("exec sleep 600"), limit: .seconds(60), loadLimit: .milliseconds(1))
        #expect(outcome.ending == .signalled(SIGKILL))
        #expect(outcome.exceededLimit != nil && !outcome.hasBegun)
    }

    @Test("cancellation kills the program")
    func cancellation() async {
        let task = Task { await ChildProcess.run(shell("exec sleep 600"), limit: .seconds(600)) }
        task.cancel()
        #expect(await task.value.ending == .signalled(SIGKILL))
    }

    /// Waits until no process has the other end of the pipe.
    private func isAtEnd(_ pipe: Int32) -> Bool {
        var end = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
        return poll(&end, 1, 60_000) == 1 && end.revents & Int16(POLLIN) == 0
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, 60_000) == 1
    }

    @Test("what a program has started is ended with it, however it ends", arguments: ["kill -SEGV $$", "exit 0"])
    func leftovers(end: String) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(pipe) }
        // The second program is in a process group of its own.
        let outcome = await ChildProcess.run(
            shell("exec 5>\(path); sleep 600 & bash -c 'set -m; sleep 600 &'; \(end)"), limit: .seconds(60))
        #expect(outcome.ending == (end == "exit 0" ? .exited(0) : .signalled(SIGSEGV)))
        #expect(isAtEnd(pipe))
    }

    @Test("what a test prints is printed once, and the run in its process has no lines on the console")
    func output() async {
        var command = shell(
            "exec /proc/$PPID/exe --testing-library swift-testing --filter VirtualClockTraitTests/process >&3")
        command.environment = ProcessInfo.processInfo.environment
        let outcome = await ChildProcess.run(command, limit: .seconds(60))
        #expect(outcome.ending == .exited(0))
        #expect(String(decoding: outcome.events, as: UTF8.self) == "printed in the process of the test\n")
        let console = String(decoding: outcome.errorOutput, as: UTF8.self)
        #expect(console.split(separator: "Test run started").count == 2, "\(console)")
        #expect(console.contains("Test run with 1 test in 1 suite passed"), "\(console)")
    }

    @Test("a test that was chosen by hand runs in that process, and its issues say the virtual time")
    func byHand() async throws {
        var command = TestProcess.command(forTest: "")
        command.environment["APUS_VIRTUAL_CLOCK_CONTROL"] = nil
        let filter = try #require(command.arguments.firstIndex(of: "--filter"))
        command.arguments[filter + 1] = "^TestTraitsTests\\.FailureTests/expectation\\(\\)"
        let outcome = await ChildProcess.run(command, limit: .seconds(60))
        #expect(outcome.ending == .exited(1))
        let errors = String(decoding: outcome.errorOutput, as: UTF8.self)
        #expect(errors.contains("Time is virtual in this process from here on: 2026-01-01T00:00:00.000Z, automatic."))
        let issues = EventReport(outcome.events).issues.map(\.text)
        #expect(issues.count == 1)
        #expect(issues.first?.contains("why\n(In a process under a virtual clock, at 2026-01-01T02:00:00") == true)
    }

    @Test("of two tests in a process that was started by hand, the second does not run")
    func twoByHand() async throws {
        var command = TestProcess.command(forTest: "")
        command.environment["APUS_VIRTUAL_CLOCK_CONTROL"] = nil
        let filter = try #require(command.arguments.firstIndex(of: "--filter"))
        command.arguments[filter + 1] = "^TestTraitsTests\\.FailureTests/(expectation|thrown)\\(\\)"
        let issues = EventReport(await ChildProcess.run(command, limit: .seconds(60)).events).issues.map(\.text)
        #expect(issues.count == 2)
        #expect(issues.filter { $0.contains("choose one test with --filter. The test was not run.") }.count == 1)
    }

    @Test("a test's process ends with the test run that started it, and with it what it has started")
    func orphan() async throws {
        var command = TestProcess.command(forTest: "")
        let filter = try #require(command.arguments.firstIndex(of: "--filter"))
        command.arguments[filter + 1] = "^TestTraitsTests\\.FailureTests/leftover\\(\\)"
        var arguments = command.arguments.map { strdup($0) } + [nil]
        var variables = command.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var started = test_process()
        try #require(test_process_start(command.path, &arguments, &variables, &started) == 0)
        let process = started
        // The output is read until the test has begun and has started a program that inherits its error output. The
        // test then sleeps for good.
        var bytes: [UInt8] = []
        while !String(decoding: bytes, as: UTF8.self).contains("started"), isReadable(process.errors) {
            var byte: UInt8 = 0
            if read(process.errors, &byte, 1) == 1 { bytes.append(byte) }
        }
        for descriptor in [process.events, process.control] { close(descriptor) }
        var rest: Int = 0
        repeat {
            var byte: UInt8 = 0
            rest = isReadable(process.errors) ? read(process.errors, &byte, 1) : -1
        } while rest > 0
        #expect(rest == 0, "a program that the test has started has its error output still")
        close(process.errors)
        test_process_wait(process.process)
        var status: Int32 = 0
        #expect(waitpid(process.process, &status, 0) == process.process)
        #expect(status == RunnerConnection.abandonedStatus << 8)
    }
}

@Suite("TestProcess")
struct TestProcessTests {
    @Test("the environment says which process this is")
    func role() {
        #expect(TestProcess.role(in: [:]) == .runner)
        #expect(TestProcess.role(in: ["APUS_VIRTUAL_CLOCK_PROCESS": "0"]) == .runner)
        #expect(TestProcess.role(in: ["APUS_VIRTUAL_CLOCK_PROCESS": "1"]) == .virtual(control: nil))
        #expect(
            TestProcess.role(in: ["APUS_VIRTUAL_CLOCK_PROCESS": "1", "APUS_VIRTUAL_CLOCK_CONTROL": "4"])
                == .virtual(control: 4))
    }

    @Test(
        "a filter matches its test only",
        arguments: [
            ("M.S/f(_:)/F.swift:1:2", "M.S/f(_:)/F.swift:1:22"), ("M.`a b (c)? [d]*`()/F.swift:1:2", "M.`a b (c)`()"),
            ("M.größe()/F.swift:1:2", "xM.größe()/F.swift:1:2"), ("M.f()/F.swift:1:2", "M.f()/FXswift:1:2"),
            ("M.`a$b^c|d+e\\f{2}`()/F.swift:1:2", "M.`a`()/F.swift:1:2"),
        ])
    func filter(id: String, other: String) throws {
        let expression = try Regex(TestProcess.filter(forTest: id))
        #expect(id.firstMatch(of: expression)?.range == id.startIndex..<id.endIndex)
        #expect(other.firstMatch(of: expression) == nil)
    }

    @Test("attachments are saved where the test run saves its own")
    func attachments() {
        #expect(TestProcess.attachmentsOption(in: ["x", "--filter", "y"]) == [])
        #expect(
            TestProcess.attachmentsOption(in: ["x", "--attachments-path", "a b"]) == ["--attachments-path", "a b"])
        #expect(TestProcess.attachmentsOption(in: ["x", "--attachments-path=z"]) == ["--attachments-path=z"])
        #expect(TestProcess.attachmentsOption(in: ["x", "--attachments-path"]) == [])
    }

    @Test("no more than the limit run at once")
    func turns() async {
        let turns = Turnstile(limit: 2)
        let counts = Counts()
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    await turns.pass {
                        counts.change { $0.running += 1 }
                        for _ in 0..<10 { await Task.yield() }
                        counts.change {
                            $0.running -= 1
                            $0.done += 1
                        }
                    }
                }
            }
        }
        #expect(counts.now == Counts.Values(running: 0, most: 2, done: 20))
    }
}

private final class Counts: Sendable {
    struct Values: Equatable {
        var running = 0 { didSet { most = max(most, running) } }
        var most = 0
        var done = 0
    }

    private let values = Locked(Values())
    var now: Values { values.withLock { $0 } }
    func change(_ body: (inout Values) -> Void) { values.withLock { body(&$0) } }
}
