/// Marks that turn the compiler's check for races off, each of which needs a reason beside it.
enum UncheckedMarks {
    static let marks = ["@unchecked Sendable", "nonisolated(unsafe)"]

    /// Every mark without a reason in a file.
    ///
    /// The reason is a comment at the end of its line, or one that names the mark: in the comment above the declaration, or
    /// on the line below.
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
