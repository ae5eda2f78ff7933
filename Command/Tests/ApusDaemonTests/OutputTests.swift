import ApusJobs
import ApusTimers
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("Runs' output as it is sent")
struct OutputTests {
    private func run(_ output: [UInt8] = []) -> Run {
        Run(
            jobKey: 1, jobID: "job", occurrence: 1, attempt: 1, due: WallInstant(secondsSince1970: 1), state: .running,
            output: output)
    }

    @Test(
        "the tail of an output is sent as text if it is UTF-8, also if cut within a character, and else as bytes",
        arguments: [
            (Array("héllo".utf8), "héllo", nil as [UInt8]?),
            ([0x61, 0xFF], "a\u{FFFD}", [0x61, 0xFF]),
            (Array(repeating: 0x78, count: 5_000), String(repeating: "x", count: 4_096), nil),
            (Array(String(repeating: "€", count: 1_400).utf8), String(repeating: "€", count: 1_365), nil),
            (
                Array(repeating: 0x80, count: 5_000), String(repeating: "\u{FFFD}", count: 4_096),
                Array(repeating: 0x80, count: 4_096)
            ),
        ])
    func tail(output: [UInt8], text: String, bytes: [UInt8]?) {
        let wire = WireRun(run(output))
        #expect(wire.outputTail == text && (wire.outputTailBase64 != nil) == (bytes != nil))
        #expect(wire.outputTailBytes == bytes ?? Array(text.utf8))
    }

    @Test("without output there is no tail")
    func noTail() { #expect(WireRun(run()).outputTail == nil && WireRun(run()).outputTailBytes.isEmpty) }

    private func piece(at offset: Int, _ text: String) -> JobEvent {
        .output(jobID: "job", occurrence: 1, attempt: 1, offset: offset, bytes: Array(text.utf8))
    }

    @Test("a running job's stored output is its last 64 KiB without a gap, with its offset")
    func running() {
        var outputs = RunningOutputs()
        outputs.note(.runStarted(run()))
        outputs.note(piece(at: 0, "ab"))
        outputs.note(piece(at: 2, "cd"))
        #expect(outputs.all(of: nil).map(\.offset) == [0])
        #expect(outputs.output(of: "job", occurrence: 1) == Array("abcd".utf8))
        outputs.note(piece(at: 10, "kl"))
        #expect(outputs.all(of: nil).map(\.offset) == [10])
        #expect(outputs.output(of: "job", occurrence: 1) == Array("kl".utf8))
        let long = String(repeating: "x", count: 50_000)
        for number in 0..<4 { outputs.note(piece(at: 12 + 50_000 * number, long)) }
        #expect(outputs.all(of: nil).map(\.offset) == [12 + 200_000 - 65_536])
        #expect(outputs.all(of: nil).map(\.bytes.count) == [65_536])
        outputs.note(.runEnded(run()))
        outputs.note(piece(at: 200_012, "late"))
        #expect(outputs.all(of: nil).isEmpty)
    }

    @Test("after dropped events, the output of the runs that are still in progress is kept, and no other")
    func dropped() {
        var (ended, missed) = (run(), run())
        (ended.occurrence, missed.occurrence) = (2, 3)
        var outputs = RunningOutputs()
        outputs.note(.runStarted(run()))
        outputs.note(piece(at: 0, "ab"))
        outputs.note(.runStarted(ended))
        outputs.note(.dropped(events: 2, outputBytes: 0))
        #expect(outputs.output(of: "job", occurrence: 1) == Array("ab".utf8))
        outputs.follow([run(), missed])
        #expect(outputs.output(of: "job", occurrence: 1) == Array("ab".utf8))
        #expect(outputs.output(of: "job", occurrence: 2) == nil)
        outputs.note(.output(jobID: "job", occurrence: 3, attempt: 1, offset: 5, bytes: Array("xy".utf8)))
        #expect(outputs.output(of: "job", occurrence: 3) == Array("xy".utf8))
        outputs.note(piece(at: 2, "cd"))
        #expect(outputs.output(of: "job", occurrence: 1) == Array("abcd".utf8))
    }
}
