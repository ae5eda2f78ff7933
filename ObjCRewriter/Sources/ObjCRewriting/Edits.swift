import SwiftSyntax

/// Replacements of parts of a text; the parts do not overlap.
struct Edits {
    private var replacements: [(range: Range<Int>, text: String)] = []

    /// Replaces a part by a text, and fills the rest of the part with spaces if the text is shorter.
    mutating func replace(_ range: Range<AbsolutePosition>, by text: String) {
        let range = range.lowerBound.utf8Offset..<range.upperBound.utf8Offset
        replacements.append((range, text + String(repeating: " ", count: max(0, range.count - text.utf8.count))))
    }

    /// Inserts a text, which moves the rest of the line to the right.
    mutating func insert(_ text: String, at position: AbsolutePosition) {
        replacements.append((position.utf8Offset..<position.utf8Offset, text))
    }

    /// Returns the number of bytes by which earlier replacements move a place on its line, which begins at `start`.
    func shift(of place: Int, onLineFrom start: Int) -> Int {
        replacements.filter { $0.range.upperBound > start && $0.range.upperBound <= place }.reduce(0) { sum, edit in
            let onLine = edit.text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).last
            return sum + (onLine?.count ?? 0) - (edit.range.upperBound - max(start, edit.range.lowerBound))
        }
    }

    func applied(to source: String) -> String {
        var bytes = Array(source.utf8)
        for (range, text) in replacements.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(range, with: text.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SyntaxProtocol {
    /// The node without the spaces and comments around it.
    var range: Range<AbsolutePosition> { positionAfterSkippingLeadingTrivia..<endPositionBeforeTrailingTrivia }
}
