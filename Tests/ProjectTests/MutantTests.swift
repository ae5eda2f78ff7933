import Foundation
import Testing

/// `make mutants` takes minutes; that its texts are still those of the sources is known at once.
@Suite("The mutants of the scheduler")
struct MutantTests {
    struct Mutant: CustomStringConvertible {
        var description: String
        var path: String
        /// What is replaced.
        var text: String
    }

    /// The entries of `mutants.txt`: `== name: path`, words, `--- before`, a text, `--- after`, another one.
    static func mutants(in list: String) -> [Mutant] {
        list.components(separatedBy: "\n== ").dropFirst().compactMap { entry in
            let head = entry.components(separatedBy: "\n")[0].components(separatedBy: ": ")
            let parts = entry.components(separatedBy: "\n--- before\n").last?.components(separatedBy: "\n--- after\n")
            guard head.count == 2, let text = parts?.first, parts?.count == 2 else { return nil }
            return Mutant(description: head[0], path: head[1], text: text + "\n")
        }
    }

    static func count(of text: String, in source: String) -> Int { source.components(separatedBy: text).count - 1 }

    @Test("each replaces a text that is in the sources once")
    func texts() throws {
        let list = try ProjectFiles.read("Tests/Mutants/mutants.txt")
        let mutants = Self.mutants(in: list)
        #expect(mutants.count == Self.count(of: "\n== ", in: list) && mutants.count >= 20)
        for mutant in mutants {
            let found = Self.count(of: mutant.text, in: try ProjectFiles.read(mutant.path))
            #expect(found == 1, "the text of \(mutant) is \(found) times in \(mutant.path)")
        }
    }

    @Test("a text that is not there, or twice, is found")
    func samples() {
        let list = "Words.\n\n== a: b.swift\nWords.\n--- before\n    x\n--- after\n    y\n"
        let mutants = Self.mutants(in: list)
        #expect(mutants.map(\.path) == ["b.swift"] && mutants.map(\.text) == ["    x\n"])
        #expect(Self.count(of: "    x\n", in: "    z\n") == 0)
        #expect(Self.count(of: "    x\n", in: "    x\n    x\n") == 2)
    }
}
