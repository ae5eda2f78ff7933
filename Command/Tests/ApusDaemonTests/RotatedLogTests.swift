import Foundation
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("The log's bound")
struct RotatedLogTests {
    /// A log in its own folder that replaces a descriptor opened by the test.
    private final class Bench {
        let folder: String
        let descriptor: Int32
        let log: RotatedLog
        var path: String { folder + "/log" }

        init(size: Int, keptFiles: Int) throws {
            folder = FileManager.default.temporaryDirectory.path + "/apus-log-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC)
            log = try RotatedLog(
                path: folder + "/log", limits: .init(size: size, keptFiles: keptFiles), descriptors: [descriptor])
        }

        deinit {
            close(descriptor)
            try? FileManager.default.removeItem(atPath: folder)
        }

        func files() throws -> [String: String] {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            return try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) }
            )
        }
    }

    @Test("a log file that has reached its size becomes the first kept one, and the oldest is removed")
    func rotates() throws {
        let bench = try Bench(size: 10, keptFiles: 2)
        for number in 1...7 { bench.log.write("line \(number)\n") }
        #expect(
            try bench.files() == ["log": "line 7\n", "log.1": "line 5\nline 6\n", "log.2": "line 3\nline 4\n"])
        let attributes = try FileManager.default.attributesOfItem(atPath: bench.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("without kept files, the log file begins anew")
    func keepsNone() throws {
        let bench = try Bench(size: 10, keptFiles: 0)
        for number in 1...3 { bench.log.write("line \(number)\n") }
        #expect(try bench.files() == ["log": "line 3\n"])
    }

    @Test("text written directly to the descriptor, as by the runtime, is in the file and counts")
    func direct() throws {
        let bench = try Bench(size: 10, keptFiles: 1)
        #expect(write(bench.descriptor, "Fatal error\n", 12) == 12)
        bench.log.write("a\n")
        bench.log.write("b\n")
        #expect(try bench.files() == ["log": "b\n", "log.1": "Fatal error\na\n"])
    }

    @Test("a log file moved by another program is left alone, and a new one begins")
    func moved() throws {
        let bench = try Bench(size: 10, keptFiles: 1)
        bench.log.write("line 1\n")
        try FileManager.default.moveItem(atPath: bench.path, toPath: bench.folder + "/elsewhere")
        bench.log.write("line 2\n")
        bench.log.write("line 3\n")
        #expect(try bench.files() == ["elsewhere": "line 1\nline 2\n", "log": "line 3\n"])
    }

    @Test("the log's bound holds also when files cannot be renamed")
    func cannotRename() throws {
        let bench = try Bench(size: 10, keptFiles: 1)
        // No file can be renamed over a folder that is not empty, not even by root.
        try FileManager.default.createDirectory(
            atPath: bench.folder + "/log.1/x", withIntermediateDirectories: true)
        for number in 1...5 { bench.log.write("line \(number)\n") }
        #expect(try String(contentsOfFile: bench.path, encoding: .utf8) == "line 5\n")
    }

    @Test("a log that is a link and an invalid number of files are refused")
    func refused() throws {
        let bench = try Bench(size: 10, keptFiles: 1)
        let link = bench.folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.path)
        let error = #expect(throws: DaemonError.self) {
            _ = try RotatedLog(path: link, limits: .init(), descriptors: [bench.descriptor])
        }
        #expect(error?.code == .unavailable && error?.message.contains("symbolic link") == true)
        #expect(throws: DaemonError.self) {
            _ = try RotatedLog(path: bench.path, limits: .init(keptFiles: -1), descriptors: [bench.descriptor])
        }
    }
}
