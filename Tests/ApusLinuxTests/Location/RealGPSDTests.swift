import ApusBackground
import ApusTimers
import Foundation
import Testing

@testable import ApusLinux

/// A gpsd with a receiver that says the same repeatedly.
private final class FakeReceiver {
    var port: UInt16 { reserved.number }
    private let reserved: ReservedPort
    private let process = Process()
    private let root: FakeRoot

    init(sentences: [String]) throws {
        reserved = try ReservedPort()
        root = try FakeRoot()
        try root.write(sentences.map(Self.withChecksum).joined(), to: "receiver.log")
        process.executableURL = URL(filePath: "/usr/bin/env")
        // gpsfake ends its gpsd when SIGTERM ends it; but the threads of this process block signals, and their children
        // inherit that. The time limit is for tests that are killed.
        let unblock = "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); "
        process.arguments = [
            "python3", "-c", unblock + "os.execvp(sys.argv[1], sys.argv[1:])", "timeout", "180", "gpsfake", "--quiet",
            "--cycle", "0.01", "--port", "\(reserved.number)", root.path + "/receiver.log",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    private static func withChecksum(_ sentence: String) -> String {
        let sum = String(sentence.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(sentence)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
    }
}

/// A real program and real time; the limit is for one that never starts.
@Suite("The real gpsd", .timeLimit(.minutes(5)))
struct RealGPSDTests {
    @Test("a receiver's fix arrives with its place, its instant and its error, and so does its loss")
    func fix() async throws {
        // NMEA 0183: five seconds without a fix, and fifteen with one.
        let sentences = (0..<20).flatMap { second in
            let time = "1200" + (second < 10 ? "0" : "") + "\(second).00"
            return second < 5
                ? ["GPRMC,\(time),V,,,,,,,010324,,", "GPGGA,\(time),,,,,0,00,,,M,,M,,", "GPGSA,A,1,,,,,,,,,,,,,,,"]
                : [
                    "GPRMC,\(time),A,4807.0380,N,01131.0000,E,0.0,0.0,010324,,",
                    "GPGGA,\(time),4807.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,",
                    "GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,1.8,0.9,1.5",
                ]
        }
        let receiver = try FakeReceiver(sentences: sentences)
        let host = LinuxHost(logger: silent)
        let settings = GPSDSession.Settings(
            host: "127.0.0.1", port: receiver.port, firstPause: .milliseconds(50), longestPause: .milliseconds(200))
        let source = GPSDLocationSource(host: host, settings: settings, logger: silent)

        let start = WallInstant(secondsSince1970: 1_709_294_400)
        var updates: [LocationUpdate] = []
        var hadLastPosition = false
        // On a busy machine gpsd may leave out fixes that arrive together. The receiver repeats them.
        for await update in try source.start(inBackground: false) {
            updates.append(update)
            if case .position(let position) = update, start.duration(to: position.instant) == .seconds(19) {
                hadLastPosition = true
            }
            if hadLastPosition, update == .noFix { break }
        }
        #expect(updates.first == .noFix)
        #expect(
            zip(updates, updates.dropFirst()).allSatisfy { $0 != .noFix || $1 != .noFix }, "a loss is reported once")
        let positions = updates.compactMap { if case .position(let position) = $0 { position } else { nil } }
        for position in positions {
            #expect(abs(position.latitude - 48.1173) < 0.000_01)
            #expect(abs(position.longitude - 11.516_667) < 0.000_01)
        }
        #expect(positions.contains { ($0.accuracy ?? 0) > 0 })
        #expect(hadLastPosition)
    }
}
