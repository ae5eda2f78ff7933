import ApusDevice
import ApusSampleApp
import ApusVirtualTime
import Foundation
import Testing

@MainActor
@Suite("A month with the sample app")
struct SampleMonthTests {
    @Test(
        "in thirty days, no use, countdown, piece of work or notification is lost, and every background task ends"
    )
    func counts() throws {
        for seed in [1, 2, 3] as [UInt64] {
            let month = try SampleMonth.run(seed: seed)
            // In one use, the question about notifications interrupts the app, and the user's answer begins a 61st use.
            #expect(month.counts == [.uses: 61, .finished: 30, .uploads: 60, .saves: 60], "seed \(seed)")
            let shown = month.log.filter { event in
                guard event.actor == .system, case .notificationDelivered = event.what else { return false }
                return true
            }
            #expect(shown.count == 30, "seed \(seed)")
            let claims = ClaimBalance(month.log)
            #expect(claims.began["upload"] == 60 && claims.began["save"] == 60, "seed \(seed): \(claims.began)")
            #expect(claims.began == claims.ended, "seed \(seed)")
            #expect(claims.expired == 0 && claims.refused == 0, "seed \(seed)")
        }
    }

    @Test("a seed gives the same log in this process and in others, and another seed gives another log")
    func sameLog() throws {
        let text = try SampleMonth.run(seed: 42).logText
        #expect(try SampleMonth.run(seed: 42).logText == text)
        let probes = [try Probe("42"), try Probe("42"), try Probe("43")]
        let outputs = probes.map { $0.output() }
        #expect(outputs.map(\.status) == [0, 0, 0])
        #expect(outputs[0].text == text)
        #expect(outputs[1].text == text)
        #expect(outputs[2].text != text)
        #expect(text.count(where: { $0 == "\n" }) > 1_000)
    }

    @Test("the probe prints the arguments that it does not accept, and exits with 64")
    func badArguments() throws {
        for arguments in [["x"], ["-1"], ["1", "2"], []] {
            let (status, text) = try Probe(arguments, listensTo: .errors).output()
            #expect(status == 64)
            #expect(arguments.allSatisfy { text.contains("“\($0)”") }, "\(text)")
        }
    }
}

/// A process of ApusDeviceProbe, which runs the month.
private struct Probe {
    enum Stream { case output, errors }

    private let process = Process()
    private let pipe = Pipe()

    init(_ arguments: String...) throws { try self.init(arguments, listensTo: .output) }

    init(_ arguments: [String], listensTo stream: Stream) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "ApusDeviceProbe")
        process.arguments = arguments
        switch stream {
        case .output: (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
        case .errors: (process.standardOutput, process.standardError) = (FileHandle.nullDevice, pipe)
        }
        try process.run()
    }

    /// Returns the exit status and the output of the process.
    func output() -> (status: Int32, text: String) {
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
