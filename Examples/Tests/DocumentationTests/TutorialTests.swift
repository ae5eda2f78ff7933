import Foundation
import Testing

/// The tutorials of the DocC catalogues, and the code files of their steps.
enum Tutorials {
    /// The steps of one code file, which a tutorial completes line by line: `Reminder-01.swift`, `Reminder-02.swift`.
    struct CodeFile {
        /// The name without the number of the step and the extension.
        var name: String
        /// The paths of the steps' files, in order.
        var steps: [String]
        /// The path of the tutorial, which is the only one in its catalogue.
        var tutorial: String
    }

    /// Returns the paths of the tutorials, without the catalogues' tables of contents.
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

    /// Returns the compiled sources, by the names of the code files that show them.
    static func compiled() throws -> [String: String] {
        var compiled = ["Reminder": try Documents.read("Examples/Tests/TutorialReminder/main.swift")]
        for file in ["FeedTutorial.swift", "FeedTutorialTests.swift"] {
            let source = try Documents.read("Examples/Tests/DocumentationTests/Tutorials/\(file)")
            compiled.merge(Documents.regions(in: source)) { first, _ in first }
        }
        return compiled
    }

    /// Returns the first line of a step that the next step does not contain in the same order; `nil` if there is none.
    static func lineMissing(from next: String, of step: String) -> Substring? {
        var rest = next.split(separator: "\n")[...]
        for line in step.split(separator: "\n") {
            guard let index = rest.firstIndex(of: line) else { return line }
            rest = rest[(index + 1)...]
        }
        return nil
    }

    /// Returns the files in the `@Code` directives of a tutorial, in order.
    static func shownFiles(in tutorial: String) -> [String] {
        tutorial.split(separator: "\n").filter { $0.contains("@Code(") }.compactMap { line in
            line.firstRange(of: "file: \"").map { String(line[$0.upperBound...].prefix { $0 != "\"" }) }
        }
    }
}

@Suite("Tutorials")
struct TutorialTests {
    @Test("the last step of each file of a tutorial is the source that was compiled")
    func lastSteps() throws {
        let files = try Tutorials.codeFiles()
        let compiled = try Tutorials.compiled()
        #expect(Set(files.map(\.name)) == Set(compiled.keys))
        for file in files {
            let shown = try Documents.read(try #require(file.steps.last))
            #expect(shown == compiled[file.name], "\(file.name)")
        }
    }

    @Test("each step of a tutorial only adds lines to the step before it")
    func steps() throws {
        for file in try Tutorials.codeFiles() {
            for (step, next) in zip(file.steps, file.steps.dropFirst()) {
                let missing = Tutorials.lineMissing(from: try Documents.read(next), of: try Documents.read(step))
                #expect(missing == nil, "\(step), which \(next) continues")
            }
        }
    }

    @Test("a tutorial shows every step of its files, in order")
    func shownSteps() throws {
        for file in try Tutorials.codeFiles() {
            let shown = Tutorials.shownFiles(in: try Documents.read(file.tutorial))
            let steps = file.steps.map { URL(filePath: $0).lastPathComponent }
            #expect(shown.filter { $0.hasPrefix("\(file.name)-") } == steps)
        }
    }

    @Test("a step that changes or exchanges lines of the step before it is rejected")
    func rejectsSteps() {
        #expect(Tutorials.lineMissing(from: "a\n\nb\nc\n", of: "a\nc\n") == nil)
        #expect(Tutorials.lineMissing(from: "a\nb\n", of: "a\nc\n") == "c")
        #expect(Tutorials.lineMissing(from: "b\na\n", of: "a\nb\n") == "b")
    }

    @Test("the reminder of the tutorial runs after kill -9, at the instant of its first start", .timeLimit(.minutes(5)))
    func killedReminder() throws {
        // A busy machine may run the job before the signal arrives; the test is then repeated with a longer delay.
        for delay in [2, 8, 32] {
            let folder = FileManager.default.temporaryDirectory.appending(path: "apus-tutorial-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }

            let first = try ReminderProcess(delay: delay, in: folder)
            try #require(first.nextLine() == "The job tea is in the file.")
            if first.killed().contains("Tea is ready") { continue }

            // If the program submitted a new job, the second process would wait for an hour.
            let second = try ReminderProcess(delay: 3_600, in: folder)
            #expect(second.nextLine() == "The job tea is in the file.")
            let line = try #require(second.nextLine())
            #expect(line.hasPrefix("Tea is ready, ") && line.hasSuffix(" late, attempt 1."))
            #expect(second.exitStatus() == 0)
            return
        }
        Issue.record("the job always ran before the process was killed")
    }
}
