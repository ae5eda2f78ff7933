import ApusClient

/// Text for a terminal. What a literal has is kept; what is interpolated is escaped, so that a name, a label or an error
/// that repeats one cannot move the cursor, set colours or write to the clipboard.
///
/// `Terminal.out` and `Terminal.note` take nothing else: text from outside reaches a terminal only through this.
package struct TerminalText: ExpressibleByStringInterpolation, Hashable, Sendable {
    /// What is written, byte by byte.
    package private(set) var raw: String

    /// Text that is safe because this program made it, such as a completion script.
    package init(raw: String) { self.raw = raw }
    package init(stringLiteral value: String) { raw = value }
    package init(stringInterpolation: Interpolation) { raw = stringInterpolation.text }

    /// Without the spaces at its end.
    package var trimmed: TerminalText {
        var text = self
        while text.raw.last == " " { text.raw.removeLast() }
        return text
    }

    package static func + (lhs: TerminalText, rhs: TerminalText) -> TerminalText {
        TerminalText(raw: lhs.raw + rhs.raw)
    }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation(_ value: TerminalText) { text += value.raw }
        package mutating func appendInterpolation<Value>(_ value: Value) { text += PrintableText.escaped("\(value)") }
        /// A text that may have several lines: line breaks and tabs are kept.
        package mutating func appendInterpolation(lines value: String) {
            text += PrintableText.escaped(value, keeping: PrintableText.lineCharacters)
        }
    }
}
