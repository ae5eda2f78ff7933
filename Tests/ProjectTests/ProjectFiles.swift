import Foundation

/// The project's own files, found by the path of this file.
enum ProjectFiles {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL.resolvingSymlinksInPath()

    struct File {
        /// The path from the root of the project, with slashes.
        var path: String
        var text: String
    }

    static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Returns the Swift files below `folder`.
    static func swiftFiles(below folder: String) throws -> [File] {
        try texts().filter { $0.path.hasPrefix(folder + "/") && $0.path.hasSuffix(".swift") }
    }

    /// Returns the Swift files of the modules and of the examples, without those of tests.
    ///
    /// The code that the catalogues of DocC show is left out too, because it belongs to the reader's program.
    static func sources() throws -> [File] {
        try ["Sources", "Command/Sources", "ObjCRewriter/Sources", "ObjCRewriter/Plugins"].flatMap(swiftFiles).filter {
            !$0.path.has(".docc/")
        }
            + swiftFiles(below: "Examples/Sleepless").filter { !$0.path.has("/Tests/") }
    }

    /// Returns the Swift files of the tests of all packages.
    static func tests() throws -> [File] {
        try ["Tests", "Command/Tests", "Examples/Tests", "Examples/Sleepless/Tests", "ObjCRewriter/Tests"].flatMap(
            swiftFiles)
    }

    /// Runs a script of the project, and returns its status and the output of both streams.
    static func run(
        _ script: String, _ arguments: [String], environment: [String: String]? = nil
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = root.appending(path: script)
        process.arguments = arguments
        if let environment { process.environment = environment }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// Returns the folder of the module with this name.
    static func folder(ofModule module: String) -> String {
        ["Sources/\(module)", "Command/Sources/\(module)", "ObjCRewriter/Sources/\(module)"].first {
            FileManager.default.fileExists(atPath: root.appending(path: $0).path)
        }!
    }

    /// Returns every text file that git tracks or would track, sorted by path.
    static func texts() throws -> [File] { try allTexts.get() }

    /// The result of reading the files, which is shared by all tests.
    private static let allTexts: Result<[File], any Error> = Result {
        let git = Process()
        let output = Pipe()
        git.executableURL = URL(filePath: "/usr/bin/env")
        git.arguments = ["git", "-C", root.path, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        git.standardOutput = output
        try git.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        git.waitUntilExit()
        guard git.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
        return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }.sorted().compactMap { path in
            (try? read(path)).map { File(path: path, text: $0) }
        }
    }
}

/// Searches for texts by their bytes, with libc.
///
/// The searches of the standard library compare characters, which takes a hundred times as long without optimization.
extension StringProtocol {
    func has(_ text: String) -> Bool { withCString { strstr($0, text) != nil } }
}

extension String {
    /// Returns the ranges at which a text occurs, found by bytes.
    func places(of text: String) -> [Range<Index>] {
        var offsets: [Int] = []
        withCString { start in
            var rest = start
            while let place = strstr(rest, text) {
                offsets.append(UnsafePointer(place) - start)
                rest = UnsafePointer(place) + text.utf8.count
            }
        }
        return offsets.map {
            utf8.index(startIndex, offsetBy: $0)..<utf8.index(startIndex, offsetBy: $0 + text.utf8.count)
        }
    }
}
