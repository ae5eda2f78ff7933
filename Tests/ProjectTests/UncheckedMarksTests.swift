import Testing

/// Finds the marks that turn off the compiler's check for races, each of which needs a reason beside it.
enum UncheckedMarks {
    static let marks = ["@unchecked Sendable", "nonisolated(unsafe)"]

    /// Returns a message for each mark without a reason in a file.
    ///
    /// The reason is a comment at the end of the line of the mark, or a comment that names the mark. The latter is
    /// above the declaration, or on the line below the mark.
    static func objections(to source: String, path: String) -> [String] {
        guard marks.contains(where: source.has) else { return [] }
        let code = SourceText(source).lines
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
        return code.indices.flatMap { index in
            marks.filter { code[index].has($0) && !hasReason(for: $0, at: index, in: lines) }.map {
                "\(path):\(index + 1): \($0) has no reason; name its lock in a comment beside it"
            }
        }
    }

    private static func hasReason(for mark: String, at index: Int, in lines: [Substring]) -> Bool {
        if SourceText.hasComment(lines[index]) { return true }
        let names = { (line: Substring) in line.hasPrefix("//") && line.has(mark) }
        if index + 1 < lines.count, names(lines[index + 1]) { return true }
        let above = lines[..<index].reversed().prefix { $0.hasPrefix("//") || $0.hasPrefix("@") }
        return above.contains(where: names)
    }
}

@Suite("Marks that keep the compiler from looking for races")
struct UncheckedMarksTests {
    @Test("each has a reason beside it")
    func sources() throws {
        let files = try ProjectFiles.sources() + ProjectFiles.swiftFiles(below: "Benchmarks/Sources")
        let mark = "@unchecked Sendable"
        #expect(files.contains { $0.text.has(mark) && SourceText($0.text).lines.contains { $0.has(mark) } })
        for file in files {
            for objection in UncheckedMarks.objections(to: file.text, path: file.path) { Issue.record("\(objection)") }
        }
    }

    @Test(
        "a mark without a reason is found",
        arguments: [
            "final class A: @unchecked Sendable {}",
            "/// A thing that is used a lot.\nfinal class A: @unchecked Sendable {\n    // One lock for all.\n}",
            "// For `@unchecked Sendable`: its lock.\n\nfinal class A: @unchecked Sendable {}",
            "// For `@unchecked Sendable`: its lock.\nfinal class A: @unchecked Sendable {}\nclass B: @unchecked Sendable {}",
            "// For `nonisolated(unsafe)`: its lock.\nfinal class A: @unchecked Sendable {}",
            "nonisolated(unsafe) var a = 0  //", "nonisolated(unsafe) var a = \"https://a\"",
            "let text = \"// lock\"; nonisolated(unsafe) var a = 0",
        ])
    func rejects(source: String) {
        #expect(UncheckedMarks.objections(to: source, path: "a.swift").count == 1)
    }

    @Test(
        "a reason above, at the end or below is accepted, and so is a mark that is no code",
        arguments: [
            "final class A: @unchecked Sendable {}  // `state` is a lock",
            "    nonisolated(unsafe) var a = 0  // set once",
            "/// A thing.\n///\n/// For `@unchecked Sendable`: its lock.\n@available(*, unavailable)\nclass A: @unchecked Sendable {}",
            "class A: NSObject, @unchecked Sendable {\n    // For `@unchecked Sendable`: nothing changes.\n}",
            "// @unchecked Sendable", "let text = \"nonisolated(unsafe)\"",
        ])
    func accepts(source: String) {
        #expect(UncheckedMarks.objections(to: source, path: "a.swift") == [])
    }
}
