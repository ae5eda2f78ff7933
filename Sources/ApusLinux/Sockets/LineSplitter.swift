/// Cuts a stream of bytes into lines, however it is torn, and keeps no more of it than one line may have.
struct LineSplitter {
    enum Line: Equatable, Sendable {
        /// A line without its end, which is `\n` or `\r\n`.
        case text(String)
        /// A line that was longer than allowed, and of which nothing was kept.
        case tooLong
    }

    private let limit: Int
    private var rest: [UInt8] = []
    /// The line that comes in now is too long already.
    private var isOverflowing = false

    /// - Parameter limit: How many bytes a line may have, without its end.
    init(limit: Int) { self.limit = limit }

    /// How many bytes of an unfinished line are kept.
    var keptBytes: Int { rest.count }

    /// Takes the next bytes; the lines that end in them. Empty lines are left out.
    mutating func add(_ bytes: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if let line = endLine() { lines.append(line) }
            } else if rest.count <= limit {
                // One more than the limit, for the `\r` of a line that is as long as it may be.
                rest.append(byte)
            } else {
                isOverflowing = true
            }
        }
        return lines
    }

    private mutating func endLine() -> Line? {
        defer {
            rest.removeAll(keepingCapacity: true)
            isOverflowing = false
        }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        if isOverflowing || rest.count > limit { return .tooLong }
        return rest.isEmpty ? nil : .text(String(decoding: rest, as: UTF8.self))
    }
}
