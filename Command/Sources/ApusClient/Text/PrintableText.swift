/// The rules for the characters that a terminal shows, and the escapes for all others.
///
/// The characters that are not printable are control characters (C0, DEL and C1, which terminals interpret as
/// commands), line and paragraph separators, and the bidirectional embeddings, overrides and isolates, which reorder
/// the text around them. Joiners and variation selectors are printable, because emoji and many scripts need them.
public enum PrintableText {
    /// The characters that a text of several lines may contain in addition to printable ones.
    public static let lineCharacters: Set<Unicode.Scalar> = ["\n", "\t"]

    /// Returns whether a terminal shows the character and does nothing else with it.
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

    /// Returns the first character that is neither printable nor one of `allowed`.
    public static func firstUnprintable(
        in text: String, allowing allowed: Set<Unicode.Scalar> = []
    ) -> Unicode.Scalar? {
        text.unicodeScalars.first { !isPrintable($0) && !allowed.contains($0) }
    }

    /// Returns the text with each unprintable character escaped, as `\n`, `\t`, `\r` or `\u{1B}`.
    ///
    /// Escaping an escaped text changes nothing.
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

    /// Returns a JSON document with the unprintable characters of its strings escaped.
    ///
    /// The document keeps its meaning, because JSON allows such characters only in strings, where `\u001b` is another
    /// form of the character.
    public static func escapedJSON(_ json: String) -> String {
        // Every unprintable character has at most 16 bits, so one escape is enough for it.
        replacing(json, keeping: lineCharacters) { scalar in
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }

    /// Returns the code point as text, such as `U+001B`.
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
    /// The lines of a text from outside, each without its end, which is `\n` or `\r\n`.
    ///
    /// Empty lines are included, and a byte order mark before the first line is dropped. The lines are found in bytes,
    /// because a Swift `Character` may be `\r\n`, or `\n` with a combining character.
    package var textLines: [SubSequence] {
        var lines = (starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...])
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The empty rest after the end of the last line is not a line.
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    }
}

extension StringProtocol {
    /// The text without the white space around it.
    package var trimmed: String {
        let start = drop(while: \.isWhitespace)
        let end = start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex
        return String(start[..<end])
    }
}
