/// Which characters of a text a terminal shows, and how the others are written.
///
/// Not printable are control characters (C0, DEL and C1, which terminals take for commands), line and paragraph
/// separators, and the bidirectional embeddings, overrides and isolates, which reorder the text around them. Joiners and
/// variation selectors are printable: emoji and many scripts need them.
public enum PrintableText {
    /// What a text of several lines may have beside printable characters.
    public static let lineCharacters: Set<Unicode.Scalar> = ["\n", "\t"]

    /// Whether a terminal shows the character and does nothing else with it.
    public static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E: true
        case 0x202A...0x202E, 0x2066...0x2069: false
        default:
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: true
            }
        }
    }

    /// The first character that is neither printable nor one of `allowed`.
    public static func firstUnprintable(
        in text: String, allowing allowed: Set<Unicode.Scalar> = []
    ) -> Unicode.Scalar? {
        text.unicodeScalars.first { !isPrintable($0) && !allowed.contains($0) }
    }

    /// The text with each character that is not printable as `\n`, `\t`, `\r` or `\u{1B}`. Escaping twice changes nothing.
    public static func escaped(_ text: String, keeping kept: Set<Unicode.Scalar> = []) -> String {
        replacing(text, keeping: kept) { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\t": "\\t"
            case "\r": "\\r"
            default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
    }

    /// A JSON document whose strings have no unprintable characters. It means the same: JSON has them only in strings,
    /// where `\u001b` is another way to write one.
    public static func escapedJSON(_ json: String) -> String {
        // None of them is beyond the 16 bits of one such escape.
        replacing(json, keeping: lineCharacters) { scalar in
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }

    /// `U+001B`.
    static func codePoint(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func replacing(
        _ text: String, keeping kept: Set<Unicode.Scalar>, _ replacement: (Unicode.Scalar) -> String
    ) -> String {
        guard firstUnprintable(in: text, allowing: kept) != nil else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isPrintable(scalar) || kept.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += replacement(scalar)
            }
        }
        return result
    }
}

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
