/// Swift source without the text that the compiler does not execute: comments are removed, and string literals are
/// empty.
///
/// Line ends stay, so a position is still in the same line. The code in an interpolation is kept.
struct SourceText {
    let lines: [String]

    init(_ source: String) {
        var stripper = Stripper(Array(source.utf8))
        stripper.code(isInterpolation: false)
        lines = stripper.output.split(separator: newline, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Returns whether a line ends with a comment that contains a letter.
    static func hasComment(_ line: Substring) -> Bool {
        // Slashes begin a comment if the text before them has the same code as the whole line. A letter is added to
        // that text and to the code of the line. If the slashes are within a string, the letter after the text is in
        // the string too and is not code, so the two differ.
        let code = SourceText(String(line)).lines.map { $0 + "a" }
        return line.ranges(of: "//").contains { range in
            let before = SourceText(line[..<range.lowerBound] + "a").lines
            return before == code && line[range.upperBound...].contains { $0.isLetter }
        }
    }
}

private struct Stripper {
    private let input: [UInt8]
    private var index = 0
    private(set) var output: [UInt8] = []

    init(_ input: [UInt8]) { self.input = input }

    private func looksAt(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
        index + 1 < input.count && input[index] == UInt8(ascii: first) && input[index + 1] == UInt8(ascii: second)
    }

    private func looksAt(_ text: [UInt8]) -> Bool {
        input[index] == text[0] && input[index...].starts(with: text)
    }

    private mutating func skip(_ count: Int) {
        let end = min(index + count, input.count)
        while index < end {
            if input[index] == newline { output.append(newline) }
            index += 1
        }
    }

    /// Copies code up to the parenthesis that closes an interpolation, or to the end of the file.
    mutating func code(isInterpolation: Bool) {
        var depth = 0
        while index < input.count {
            let byte = input[index]
            switch byte {
            case UInt8(ascii: "/") where looksAt("/", "/"):
                while index < input.count, input[index] != newline { index += 1 }
                continue
            case UInt8(ascii: "/") where looksAt("/", "*"):
                blockComment()
                continue
            case quote, UInt8(ascii: "#"):
                guard let pounds = poundsBeforeQuote() else { break }
                stringLiteral(pounds: pounds)
                continue
            case UInt8(ascii: "("):
                depth += 1
            case UInt8(ascii: ")"):
                if depth == 0, isInterpolation { return }
                depth -= 1
            default:
                break
            }
            output.append(byte)
            index += 1
        }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if looksAt("/", "*") {
                depth += 1
                skip(2)
            } else if looksAt("*", "/") {
                depth -= 1
                skip(2)
            } else {
                skip(1)
            }
        } while depth > 0 && index < input.count
        output.append(UInt8(ascii: " "))
    }

    private func poundsBeforeQuote() -> Int? {
        var position = index
        while position < input.count, input[position] == UInt8(ascii: "#") { position += 1 }
        return position < input.count && input[position] == quote ? position - index : nil
    }

    private mutating func stringLiteral(pounds: Int) {
        index += pounds
        let marks = [UInt8](repeating: UInt8(ascii: "#"), count: pounds)
        let quotes = [UInt8](repeating: quote, count: looksAt([quote, quote, quote]) ? 3 : 1)
        let (end, escape) = (quotes + marks, [UInt8(ascii: "\\")] + marks)
        let interpolation = escape + [UInt8(ascii: "(")]
        skip(quotes.count)
        output.append(quote)
        while index < input.count, !looksAt(end) {
            if looksAt(interpolation) {
                skip(interpolation.count)
                output.append(UInt8(ascii: "("))
                code(isInterpolation: true)
                output.append(UInt8(ascii: ")"))
                skip(1)
            } else if looksAt(escape) {
                skip(escape.count + 1)
            } else {
                skip(1)
            }
        }
        skip(end.count)
        output.append(quote)
    }
}

private let newline = UInt8(ascii: "\n")
private let quote = UInt8(ascii: "\"")
