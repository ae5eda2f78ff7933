import Foundation

/// The tutorials of the catalogues, and the files of code that their steps show.
enum Tutorials {
    /// The steps of one file of code, which a tutorial completes line by line: `Reminder-01.swift`, `Reminder-02.swift`.
    struct CodeFile {
        /// Without the number of the step and the extension.
        var name: String
        /// The paths of the steps' files, in order.
        var steps: [String]
        /// The tutorial of the catalogue, the only one in it.
        var tutorial: String
    }

    /// The paths of the tutorials, without the catalogues' tables of contents.
    static func paths() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: Documents.root.appending(path: "Sources").path)
            .filter { $0.hasSuffix(".tutorial") }.map { "Sources/\($0)" }.sorted()
            .filter { try Documents.read($0).hasPrefix("@Tutorial(") }
    }

    static func codeFiles() throws -> [CodeFile] {
        try paths().flatMap { tutorial in
            let folder = tutorial.prefix { $0 != "." } + ".docc/Resources"
            let files = try FileManager.default.contentsOfDirectory(atPath: Documents.root.appending(path: folder).path)
            let steps = files.filter { $0.hasSuffix(".swift") }.sorted()
            return Dictionary(grouping: steps) { String($0.prefix { $0 != "-" }) }.map { name, steps in
                CodeFile(name: name, steps: steps.map { "\(folder)/\($0)" }, tutorial: tutorial)
            }
        }
    }

    /// The compiled sources, by the names of the files that show them.
    static func compiled() throws -> [String: String] {
        var compiled = ["Reminder": try Documents.read("Examples/Tests/TutorialReminder/main.swift")]
        for file in ["FeedTutorial.swift", "FeedTutorialTests.swift"] {
            let source = try Documents.read("Examples/Tests/DocumentationTests/Tutorials/\(file)")
            compiled.merge(Documents.regions(in: source)) { first, _ in first }
        }
        return compiled
    }

    /// The first line of a step that the next step does not contain, in the order of the lines; `nil` if there is none.
    static func lineMissing(from next: String, of step: String) -> Substring? {
        var rest = next.split(separator: "\n")[...]
        for line in step.split(separator: "\n") {
            guard let index = rest.firstIndex(of: line) else { return line }
            rest = rest[(index + 1)...]
        }
        return nil
    }

    /// The files that the `@Code` directives of a tutorial name, in order.
    static func shownFiles(in tutorial: String) -> [String] {
        tutorial.split(separator: "\n").filter { $0.contains("@Code(") }.compactMap { line in
            line.firstRange(of: "file: \"").map { String(line[$0.upperBound...].prefix { $0 != "\"" }) }
        }
    }
}
