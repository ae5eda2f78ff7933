import ApusTestSupport
import ApusTimers
import Foundation
import Testing

/// A running ApusHostProbe.
private final class Probe: Sendable {
    let processID: Int32
    private let process: Process
    private let output: FileHandle

    init(grace: Int, margin: Int, _ manners: String, notifySocket: String? = nil) async throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "ApusHostProbe")
        process.arguments = ["\(grace)", "\(margin)", manners]
        process.environment = ProcessInfo.processInfo.environment.merging(["NOTIFY_SOCKET": notifySocket ?? ""]) { $1 }
        process.standardOutput = pipe
        try process.run()
        self.process = process
        processID = process.processIdentifier
        output = pipe.fileHandleForReading
        // A signal that is not caught yet would end the process or be lost, so the test waits until all four are
        // caught.
        let caught = [SIGTERM, SIGINT, SIGTSTP, SIGCONT].reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }
        try await wait { probe in probe.caughtSignals & caught == caught }
    }

    deinit {
        // SIGKILL also ends a stopped process.
        kill(processID, SIGKILL)
    }

    func send(_ signal: Int32) { kill(processID, signal) }

    /// Checks a condition repeatedly until it holds.
    ///
    /// The wait fails if the probe ends first. `process` shows the end; the test cannot call `waitpid` to find it out,
    /// because the kernel reports it only once, to the call that Foundation makes.
    func wait(until condition: (Probe) -> Bool) async throws {
        var isSo = false
        try await until("a state of the probe") {
            isSo = condition(self)
            return isSo || !process.isRunning
        }
        try #require(isSo, "the probe ended by itself")
    }

    var isStopped: Bool { status("State")?.hasPrefix("T") == true }

    private var caughtSignals: UInt64 { status("SigCgt").flatMap { UInt64($0, radix: 16) } ?? 0 }

    private func status(_ key: String) -> String? {
        let text = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(key + ":") }
        return line?.dropFirst(key.count + 1).trimmingCharacters(in: .whitespaces)
    }

    /// Returns the next line of the probe's output; empty when the process has ended.
    func line() -> String {
        var line: [UInt8] = []
        while let byte = output.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Waits for the end of the process, and returns its unread lines and the exit code.
    func end() -> (lines: [String], code: Int32) {
        let rest = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (rest.split(separator: "\n").map(String.init), process.terminationStatus)
    }
}

/// Tests the way from the kernel through the program to its exit, with real processes, real signals and some seconds of
/// real time.
///
/// The order of events must hold on a busy machine too, so no test depends on the speed of anything.
@Suite("A process under a LinuxHost", .timeLimit(.minutes(10)))
struct ProcessTests {
    @Test("after SIGTERM two tasks end, the third expires and ends, and the process exits with 0")
    func obedient() async throws {
        // The first two tasks end 0.3 and 1 s after the signal; the third ends after 3 s, when it is asked to.
        let probe = try await Probe(grace: 8_000, margin: 5_000, "obedient")
        probe.send(SIGTERM)
        let (lines, code) = probe.end()
        #expect(
            lines.filter { !$0.hasPrefix("tick") && $0 != "phase terminated" } == [
                "phase background", "ended first", "ended second", "expired third", "completed",
            ])
        #expect(code == 0)
    }

    @Test("a task that ignores its expiry is cut, and the process exits with 75")
    func deaf() async throws {
        let probe = try await Probe(grace: 5_000, margin: 2_000, "deaf")
        probe.send(SIGTERM)
        let (lines, code) = probe.end()
        #expect(
            lines.filter { !$0.hasPrefix("tick") && $0 != "phase terminated" } == [
                "phase background", "ended first", "ended second", "expired third", "cut third",
            ])
        #expect(code == 75)
    }

    @Test("three signals end the process at once, with 75")
    func impatience() async throws {
        let probe = try await Probe(grace: 600_000, margin: 1_000, "deaf")
        for _ in 0..<3 {
            probe.send(SIGINT)
            // The signals are sent one by one, because the kernel does not count a signal that is already pending. In
            // between, the probe may print ticks.
            while probe.line().hasPrefix("tick") {}
        }
        #expect(probe.end().code == 75)
    }

    @Test("the service manager is notified that the process is ready, that it stops, and that it needs time")
    func notifies() async throws {
        let socket = try NotifySocket()
        let probe = try await Probe(grace: 600, margin: 300, "obedient", notifySocket: socket.name)
        probe.send(SIGTERM)
        #expect(probe.end().code == 0)
        let messages = socket.received()
        #expect(messages.first == "READY=1")
        #expect(messages.dropFirst().first == "STOPPING=1\nEXTEND_TIMEOUT_USEC=5000000")
        #expect(messages.contains("STATUS=waiting for first, second, third"))
    }

    private func isLongMiss(_ line: String) -> Bool {
        line.hasPrefix("tick") && line.split(separator: " ").last.flatMap { Int($0) }.map { $0 >= 55 } == true
    }

    @Test("after Ctrl-Z the process stands still; afterwards its timer reports one tick with the missed count")
    func standsStill() async throws {
        let probe = try await Probe(grace: 400, margin: 300, "obedient")
        probe.send(SIGTSTP)
        try await probe.wait(until: \.isStopped)
        // Sixty ticks of 50 ms become due meanwhile, more than a busy machine misses by itself.
        try await TimerEngine.shared.sleep(for: .seconds(3))
        probe.send(SIGCONT)
        var lines: [String] = []
        while !lines.contains("phase active") || !lines.contains(where: isLongMiss) {
            let line = probe.line()
            try #require(!line.isEmpty, "the probe ended by itself after \(lines)")
            lines.append(line)
        }
        #expect(lines.filter { $0.hasPrefix("phase") } == ["phase suspended", "phase active"])
        #expect(lines.filter(isLongMiss).count == 1)
        probe.send(SIGTERM)
        #expect(probe.end().code == 0)
    }

    @Test("a process that SIGSTOP stopped passes through suspended when it is continued")
    func stoppedByForce() async throws {
        let probe = try await Probe(grace: 400, margin: 300, "obedient")
        probe.send(SIGSTOP)
        try await probe.wait(until: \.isStopped)
        probe.send(SIGCONT)
        var phases: [String] = []
        while phases.last != "phase active" {
            let line = probe.line()
            try #require(!line.isEmpty, "the probe ended by itself")
            if line.hasPrefix("phase") { phases.append(line) }
        }
        #expect(phases == ["phase suspended", "phase active"])
        probe.send(SIGTERM)
        #expect(probe.end().code == 0)
    }
}
