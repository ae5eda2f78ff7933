import Foundation
import Testing

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
        // A machine under load may run the job before the signal arrives; a longer delay then decides.
        for delay in [2, 8, 32] {
            let folder = FileManager.default.temporaryDirectory.appending(path: "apus-tutorial-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }

            let first = try ReminderProcess(delay: delay, in: folder)
            try #require(first.nextLine() == "The job tea is in the file.")
            if first.killed().contains("Tea is ready") { continue }

            // With a job of its own, the second start would wait for an hour.
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
