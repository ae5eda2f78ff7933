import ApusClient
import ApusJSON
import PlatformC

/// The output of the command, and the properties of its terminal.
package enum Terminal {
    /// Whether standard output is a terminal.
    package static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether colours are used: on a terminal, unless NO_COLOR (no-color.org) is set or the terminal is dumb.
    static let hasColours: Bool = {
        let environment = ProcessEnvironment.current.variables
        return isInteractive && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }()

    /// The size of the terminal, 80 by 24 if it is unknown; `nil` if standard output is not a terminal.
    static var size: (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    package static func out(_ text: TerminalText, terminator: String = "\n") {
        write(Array((text.raw + terminator).utf8), to: STDOUT_FILENO)
    }

    /// Writes bytes unchanged, such as the output of a command.
    static func out(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// Writes bytes unchanged, and reports a failure.
    ///
    /// - Throws: `DaemonError` with `unavailable`.
    static func copy(_ bytes: [UInt8]) throws {
        guard write(bytes, to: STDOUT_FILENO) else {
            throw DaemonError(.unavailable, "standard output cannot be written (\(String(cString: strerror(errno))))")
        }
    }

    package static func note(_ text: TerminalText, terminator: String = "\n") {
        write(Array((text.raw + terminator).utf8), to: STDERR_FILENO)
    }

    /// The sequence that moves to the beginning of the line and erases it.
    package static let eraseLine: TerminalText = "\r\u{1B}[K"

    /// Writes JSON for scripts, pretty and with sorted keys, so that outputs can be compared.
    package static func json(_ value: some Encodable) throws { out(TerminalText(raw: try jsonText(value))) }

    /// Returns the text that ``json(_:)`` writes.
    static func jsonText(_ value: some Encodable) throws -> String {
        // JSON may contain DEL, C1 controls and bidirectional overrides unescaped, so they are escaped for the
        // terminal.
        PrintableText.escapedJSON(String(decoding: try JSONText.bytes(of: value, isPretty: true), as: UTF8.self))
    }

    /// Writes all bytes.
    ///
    /// - Returns: whether all of them were written; otherwise `errno` has the reason.
    @discardableResult
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { PlatformC.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }
}

/// A colour or a style, which is used only where there are colours.
package enum Colour: String {
    case green = "32"
    case red = "31"
    case yellow = "33"
    case dim = "2"
    case bold = "1"

    package func callAsFunction(_ text: String) -> TerminalText {
        Terminal.hasColours ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : "\(text)"
    }

    static func of(outcome: String) -> Colour {
        switch outcome {
        case "succeeded": .green
        case "failed", "lost": .red
        case "skipped", "cancelled": .yellow
        default: .bold
        }
    }
}

/// A table of rows and columns, whose cells are escaped before their widths are measured.
package struct Table {
    private var rows: [[(text: String, colour: Colour?)]]
    private var rightAligned: Set<Int>

    package init(_ header: [String], rightAligned: Set<Int> = []) {
        rows = [header.map { ($0, .dim) }]
        self.rightAligned = rightAligned
    }

    package mutating func add(_ row: [(String, Colour?)]) {
        rows.append(row.map { (text: PrintableText.escaped($0.0), colour: $0.1) })
    }

    package func print() {
        let columns = rows[0].count
        let widths = (0..<columns).map { column in rows.map { $0[column].text.count }.max() ?? 0 }
        for row in rows {
            var line: TerminalText = ""
            for (column, cell) in row.enumerated() {
                let padding = TerminalText(raw: String(repeating: " ", count: widths[column] - cell.text.count))
                let text: TerminalText = cell.colour.map { $0(cell.text) } ?? "\(cell.text)"
                let isLast = column == columns - 1
                line = line + (rightAligned.contains(column) ? padding + text : isLast ? text : text + padding)
                if !isLast { line = line + "  " }
            }
            Terminal.out(line.trimmed)
        }
    }
}

/// Text for a terminal, in which literals are unchanged and interpolated values are escaped.
///
/// Therefore a name, a label or an error message cannot move the cursor, set colours or write to the clipboard.
///
/// `Terminal.out` and `Terminal.note` accept no other text. Bytes, such as the output of a command, are written
/// unchanged.
package struct TerminalText: ExpressibleByStringInterpolation, Hashable, Sendable {
    /// The text, which is written unchanged.
    package private(set) var raw: String

    /// Creates text that is safe because this program made it, such as a completion script.
    package init(raw: String) { self.raw = raw }
    package init(stringLiteral value: String) { raw = value }
    package init(stringInterpolation: Interpolation) { raw = stringInterpolation.text }

    /// The text without the spaces at its end.
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
        /// Appends a text of several lines, whose line breaks and tabs are kept.
        package mutating func appendInterpolation(lines value: String) {
            text += PrintableText.escaped(value, keeping: PrintableText.lineCharacters)
        }
    }
}

/// Shows the progress of a long operation on standard error, in one line that is erased at the end, and only on a
/// terminal.
struct Progress {
    private let what: String
    private let isShown = isatty(STDERR_FILENO) == 1

    /// Creates the display.
    ///
    /// - Parameter what: the word after the number, as in `3000 cancelled`.
    init(_ what: String) { self.what = what }

    func show(_ count: Int) {
        if isShown { Terminal.note(Terminal.eraseLine + "\(count) \(what)", terminator: "") }
    }

    func end() {
        if isShown { Terminal.note(Terminal.eraseLine, terminator: "") }
    }
}
