import ArgumentParser
import Foundation

/// A file that a command reads.
struct InputFile {
    private let path: String

    init(_ path: String) { self.path = path }

    /// - Throws: `ValidationError` that names the file.
    func contents() throws -> Data {
        if path == "-" { return FileHandle.standardInput.readDataToEndOfFile() }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("file: \(path) cannot be read")
        }
        return data
    }
}
