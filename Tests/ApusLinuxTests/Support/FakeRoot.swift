import ApusTimers
import Foundation

/// A folder that stands for a machine's `/`, removed with the last reference.
final class FakeRoot {
    let path: String

    init(_ files: [String: String] = [:]) throws {
        path = FileManager.default.temporaryDirectory.path + "/apus-root-\(String(SystemRandom().next(), radix: 36))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (file, text) in files { try write(text, to: file) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to file: String) throws { try write(Data(text.utf8), to: file) }

    func write(_ data: Data, to file: String) throws {
        let url = URL(filePath: path + "/" + file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }
}
