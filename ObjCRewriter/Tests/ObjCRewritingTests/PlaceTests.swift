import Foundation
import ObjCRewriting
import Testing

@Suite("Places in rewritten files")
struct PlaceTests {
    private static let app = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../OutletApp/App")

    @Test(
        "in a whole app, each line but that of a protocol is as long as before")
    func columns() throws {
        let files = try FileManager.default.contentsOfDirectory(at: Self.app, includingPropertiesForKeys: nil)
        #expect(files.count == 3)
        for file in files {
            let source = try String(contentsOf: file, encoding: .utf8)
            let before = source.split(separator: "\n", omittingEmptySubsequences: false)
            let after = ObjCRewriting.rewritten(source).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(after.count >= before.count)
            for (line, rewritten) in zip(before, after) where !line.contains("@objc protocol") {
                #expect(line.utf8.count == rewritten.utf8.count, "\(file.lastPathComponent): \(line)")
            }
        }
    }

    @Test("the compiler's errors are at the places of the original")
    func errors() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "places-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = """
            class Clock {
                @objc(run:) dynamic func run() { let a: Int = "text" }
                let path = #keyPath(Clock.hand.angle) + missing
            }
            """
        let original = folder.appending(path: "Original.swift").path
        let rewritten = folder.appending(path: "Copy.swift")
        try ObjCRewriting.rewritten(source, original: original).write(to: rewritten, atomically: true, encoding: .utf8)
        let compiler = Process()
        let output = Pipe()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["swiftc", "-typecheck", "-parse-as-library", "-diagnostic-style=llvm", rewritten.path]
        compiler.standardError = output
        try compiler.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        compiler.waitUntilExit()
        let places = text.split(separator: "\n").filter { $0.contains(": error: ") }.map {
            String($0.prefix { $0 != " " })
        }
        #expect(Set(places) == ["\(original):2:51:", "\(original):3:45:"], "\(text)")
    }
}
