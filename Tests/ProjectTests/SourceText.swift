/// Swift source without what the compiler does not execute: comments are gone, string literals are empty.
///
/// Line ends stay, so a position still names its line. Code inside an interpolation is code, and is kept.
struct SourceText {
    let lines: [String]

    init(_ source: String) {
        var stripper = Stripper(Array(source.unicodeScalars))
        stripper.code(until: nil)
        lines = String(stripper.output).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether a line ends with a comment that says something.
    static func hasComment(_ line: Substring) -> Bool {
        // A letter in place of the slashes is code, unless they are within a string.
        let code = SourceText(String(line)).lines.map { $0 + "a" }
        return line.ranges(of: "//").contains { range in
            let before = SourceText(line[..<range.lowerBound] + "a").lines
            return before == code && line[range.upperBound...].contains { $0.isLetter }
        }
    }
}

private struct Stripper {
    private let input: [Unicode.Scalar]
    private var index = 0
    var output = String.UnicodeScalarView()

    init(_ input: [Unicode.Scalar]) { self.input = input }

    private func looksAt(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        return index + scalars.count <= input.count && Array(input[index..<index + scalars.count]) == scalars
    }

    private mutating func skip(_ count: Int) {
        for scalar in input[index..<min(index + count, input.count)] where scalar == "\n" { output.append("\n") }
        index += count
    }

    /// Copies code up to the parenthesis that closes an interpolation, or to the end of the file.
    mutating func code(until end: Unicode.Scalar?) {
        var depth = 0
        while index < input.count {
            let scalar = input[index]
            if looksAt("//") {
                while index < input.count, input[index] != "\n" { index += 1 }
            } else if looksAt("/*") {
                blockComment()
            } else if scalar == "\"" || scalar == "#", let pounds = poundsBeforeQuote() {
                stringLiteral(pounds: pounds)
            } else {
                if scalar == "(" { depth += 1 }
                if scalar == ")" {
                    if depth == 0, end == ")" { return }
                    depth -= 1
                }
                output.append(scalar)
                index += 1
            }
        }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if looksAt("/*") {
                depth += 1
                skip(2)
            } else if looksAt("*/") {
                depth -= 1
                skip(2)
            } else {
                skip(1)
            }
        } while depth > 0 && index < input.count
        output.append(" ")
    }

    private func poundsBeforeQuote() -> Int? {
        var position = index
        while position < input.count, input[position] == "#" { position += 1 }
        return position < input.count && input[position] == "\"" ? position - index : nil
    }

    private mutating func stringLiteral(pounds: Int) {
        index += pounds
        let quotes = looksAt("\"\"\"") ? "\"\"\"" : "\""
        let marks = String(repeating: "#", count: pounds)
        skip(quotes.count)
        output.append("\"")
        while index < input.count, !looksAt(quotes + marks) {
            if looksAt("\\" + marks + "(") {
                skip(pounds + 2)
                output.append("(")
                code(until: ")")
                output.append(")")
                skip(1)
            } else if looksAt("\\" + marks) {
                skip(pounds + 2)
            } else {
                skip(1)
            }
        }
        skip(quotes.count + pounds)
        output.append("\"")
    }
}
