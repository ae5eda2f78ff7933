import Foundation
import Testing

/// Tests only that the texts of the mutants are still in the sources, because `make mutants` takes minutes.
@Suite("The mutants of the scheduler")
struct MutantTests {
    /// Runs `Scripts/mutants --list`, which searches for the text of each mutant.
    private func list(_ arguments: String...) throws -> (status: Int32, output: String) {
        try ProjectFiles.run("Scripts/mutants", ["--list"] + arguments)
    }

    @Test("each replaces a text that is in the sources once")
    func texts() throws {
        let listed = try list()
        #expect(listed.status == 0, "\(listed.output)")
        #expect(listed.output.split(separator: "\n").count >= 20)
    }

    @Test("a word that is in no mutant's name is an error, and not a run of none")
    func unknownName() throws {
        let listed = try list("--only", "no such name")
        #expect(listed.status == 2 && listed.output.contains("argument --only"), "\(listed.output)")
    }

    @Test("a text that is not there is found")
    func sample() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "mutants-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let entry = "== sample: Package.swift\nWords.\n--- before\nno such text\n--- after\nanother\n"
        try entry.write(to: file, atomically: true, encoding: .utf8)
        let listed = try list("--file", file.path)
        #expect(listed.status != 0 && listed.output.contains("sample: its text is 0 times"), "\(listed.output)")
    }
}
