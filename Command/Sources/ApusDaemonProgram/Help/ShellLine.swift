/// The words of an unfinished command line, without their quotes.
///
/// Nothing is expanded: `$(…)` stays as it is.
struct ShellLine {
    enum Quote: Unicode.Scalar {
        case single = "'"
        case double = "\""
    }

    /// The words, of which the last, possibly empty, is being typed.
    private(set) var words = [""]
    /// The quote that is open at the end of the line.
    private(set) var quote: Quote?

    init(_ line: String) {
        var isEscaped = false
        var isInWord = false
        for scalar in line.unicodeScalars {
            if isEscaped {
                isEscaped = false
                // Within double quotes, a backslash is an ordinary character unless it precedes one of
                // `escapedInDouble`.
                if quote == .double, !Self.escapedInDouble.contains(scalar) { append("\\") }
                append(scalar)
            } else if scalar == "\\", quote != .single {
                (isEscaped, isInWord) = (true, true)
            } else if let open = quote {
                if scalar == open.rawValue { quote = nil } else { append(scalar) }
            } else if let opened = Quote(rawValue: scalar) {
                (quote, isInWord) = (opened, true)
            } else if scalar.properties.isWhitespace {
                if isInWord { words.append("") }
                isInWord = false
            } else {
                append(scalar)
                isInWord = true
            }
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) { words[words.count - 1].unicodeScalars.append(scalar) }

    private static let escapedInDouble = "\\\"$`".unicodeScalars

    /// Returns `text` escaped for bash, to be typed after an open quote of this kind; `nil` means no open quote.
    static func quoted(_ text: Substring.UnicodeScalarView, in quote: Quote?) -> String {
        var result = ""
        for scalar in text {
            switch quote {
            case .single where scalar == "'": result += "'\\''"
            case .single: result.unicodeScalars.append(scalar)
            // Within double quotes, a `!` that bash would replace from its history cannot be escaped, so it is put in
            // single quotes.
            case .double where scalar == "!": result += "\"'!'\""
            case .double:
                if escapedInDouble.contains(scalar) { result += "\\" }
                result.unicodeScalars.append(scalar)
            case nil:
                let isPlain = !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                if !isPlain, !"_-./,:=@%+".unicodeScalars.contains(scalar) { result += "\\" }
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
