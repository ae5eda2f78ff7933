extension RandomAccessCollection<UInt8> {
    /// The lines of a text from outside, each without its end, `\n` or `\r\n`; empty lines count, and a byte order mark
    /// before the first is dropped. In bytes, since to Swift `\r\n` is one `Character`, and so is a line's end with a
    /// combining character after it.
    package var textLines: [SubSequence] {
        var lines = (starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...])
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // What follows the last end is a line only if there is something.
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    }
}

extension StringProtocol {
    /// The text without the spaces and line ends around it.
    package var trimmed: String {
        let start = drop(while: \.isWhitespace)
        let end = start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex
        return String(start[..<end])
    }
}
