import Foundation
import Testing

/// The tutorials of the DocC catalogues, and the files of their steps.
///
/// `Scripts/tutorials` follows the tutorials as a reader does.
enum Tutorials {
    /// Returns the paths of the tutorials, without the catalogues' tables of contents.
    static func paths() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: Documents.root.appending(path: "Sources").path)
            .filter { $0.hasSuffix(".tutorial") }.map { "Sources/\($0)" }.sorted()
            .filter { try Documents.read($0).hasPrefix("@Tutorial(") }
    }

    /// Returns the paths of the files that a tutorial may show.
    ///
    /// They are the resources of its catalogue, which has no other tutorial.
    static func files(of tutorial: String) throws -> [String] {
        let folder = tutorial.prefix { $0 != "." } + ".docc/Resources"
        return try FileManager.default.contentsOfDirectory(atPath: Documents.root.appending(path: folder).path)
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".txt") }.sorted().map { "\(folder)/\($0)" }
    }

    /// Returns the texts of the files of all tutorials, by their paths.
    static func texts() throws -> [String: String] {
        try paths().flatMap(files).reduce(into: [:]) { $0[$1] = try Documents.read($1) }
    }

    /// Returns the files in the `@Code` directives of a tutorial, in order.
    static func shownFiles(in tutorial: String) -> [String] {
        tutorial.split(separator: "\n").filter { $0.contains("@Code(") }.compactMap { line in
            line.firstRange(of: "file: \"").map { String(line[$0.upperBound...].prefix { $0 != "\"" }) }
        }
    }

    /// Returns the first line of `step` that `next` does not contain, or contains in another order.
    ///
    /// - Returns: the line, or `nil` if the lines of `step` are also in `next`, in the same order.
    static func lineMissing(from next: String, of step: String) -> Substring? {
        var rest = next.split(separator: "\n")[...]
        for line in step.split(separator: "\n") {
            guard let index = rest.firstIndex(of: line) else { return line }
            rest = rest[(index + 1)...]
        }
        return nil
    }
}

@Suite("Tutorials")
struct TutorialTests {
    @Test("each step of a source file of a tutorial only adds lines to the step before it")
    func steps() throws {
        for tutorial in try Tutorials.paths() {
            // The steps of a manifest change its lines, so manifests are not compared.
            let sources = try Tutorials.files(of: tutorial).filter {
                $0.hasSuffix(".swift") && !$0.contains("/Package-")
            }
            for (_, steps) in Dictionary(grouping: sources, by: { $0.prefix { $0 != "-" } }) {
                for (step, next) in zip(steps, steps.dropFirst()) {
                    let missing = Tutorials.lineMissing(from: try Documents.read(next), of: try Documents.read(step))
                    #expect(missing == nil, "\(step), which \(next) continues")
                }
            }
        }
    }

    @Test("a tutorial shows each of its files, and the steps of a source file in order")
    func shownSteps() throws {
        #expect(try Tutorials.paths().count == 4)
        for tutorial in try Tutorials.paths() {
            let shown = Tutorials.shownFiles(in: try Documents.read(tutorial))
            let files = try Tutorials.files(of: tutorial).map { URL(filePath: $0).lastPathComponent }
            #expect(Set(shown) == Set(files), "\(tutorial)")
            let sources = shown.filter { $0.hasSuffix(".swift") }
            for (_, steps) in Dictionary(grouping: sources, by: { $0.prefix { $0 != "-" } }) {
                #expect(steps == steps.sorted(), "\(tutorial)")
            }
        }
    }

    @Test("a step that changes or exchanges lines of the step before it is rejected")
    func rejectsSteps() {
        #expect(Tutorials.lineMissing(from: "a\n\nb\nc\n", of: "a\nc\n") == nil)
        #expect(Tutorials.lineMissing(from: "a\nb\n", of: "a\nc\n") == "c")
        #expect(Tutorials.lineMissing(from: "b\na\n", of: "a\nb\n") == "b")
    }
}
