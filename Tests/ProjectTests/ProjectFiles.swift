import Foundation

/// The project's own files, found from this one.
enum ProjectFiles {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL.resolvingSymlinksInPath()

    struct File {
        /// From the root of the project, with slashes.
        var path: String
        var text: String
    }

    static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The Swift files below `folder`.
    static func swiftFiles(below folder: String) throws -> [File] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        return try files.filter { $0.hasSuffix(".swift") }.sorted().map {
            File(path: "\(folder)/\($0)", text: try read("\(folder)/\($0)"))
        }
    }

    /// The Swift files of the modules and of the examples, without those of tests, and without the code that the catalogues
    /// of DocC show: it belongs to the reader's program.
    static func sources() throws -> [File] {
        try ["Sources", "Command/Sources"].flatMap(swiftFiles).filter { !$0.path.contains(".docc/") }
            + ["Examples/Sleepless", "Examples/TwoNodes"].flatMap(swiftFiles).filter { !$0.path.contains("/Tests/") }
    }

    /// The Swift files of the tests of all packages.
    static func tests() throws -> [File] {
        try ["Tests", "Command/Tests", "Examples/Tests", "Examples/Sleepless/Tests"].flatMap(swiftFiles)
    }

    /// Where the module of a name is.
    static func folder(ofModule module: String) -> String {
        ["Sources/\(module)", "Command/Sources/\(module)"].first {
            FileManager.default.fileExists(atPath: root.appending(path: $0).path)
        }!
    }

    /// Every text file that git keeps or would keep.
    static func trackedTexts() throws -> [File] {
        let git = Process()
        let output = Pipe()
        git.executableURL = URL(filePath: "/usr/bin/env")
        git.arguments = ["git", "-C", root.path, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        git.standardOutput = output
        try git.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        git.waitUntilExit()
        guard git.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
        return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }.compactMap { path in
            (try? read(path)).map { File(path: path, text: $0) }
        }
    }
}
