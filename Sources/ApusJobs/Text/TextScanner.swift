import ApusCalendar

/// Reads a short text from left to right.
///
/// It recognizes only ASCII characters, so digits of other scripts are not numbers here.
struct TextScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { index == bytes.count }

    var next: UInt8? { isAtEnd ? nil : bytes[index] }

    /// The part of the text that has not been read yet.
    var rest: String { String(decoding: bytes[index...], as: UTF8.self) }

    /// Reads `character` if it is next, and returns whether it was.
    ///
    /// It must be an ASCII character; a letter matches in either case.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = next, byte.asciiLowercased == UInt8(ascii: character).asciiLowercased else { return false }
        index += 1
        return true
    }

    /// Reads a run of ASCII digits, possibly empty.
    mutating func digits() -> [UInt8] {
        let start = index
        while let byte = next, byte.isASCIIDigit { index += 1 }
        return bytes[start..<index].map { $0 - UInt8(ascii: "0") }
    }

    /// Reads exactly `count` digits, or nothing.
    mutating func number(digits count: Int) -> Int? {
        let start = index
        let digits = self.digits()
        guard digits.count == count else {
            index = start
            return nil
        }
        return digits.reduce(0) { $0 * 10 + Int($1) }
    }

    /// Reads the digits after a decimal point as nanoseconds of a second; digits after the ninth are dropped.
    mutating func nanosecondFraction() -> Int? {
        let digits = self.digits()
        return digits.isEmpty ? nil : digits.nanosecondsOfDecimals
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased) }

    var asciiLowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}

/// The error for a text that a person typed: what is wrong with it, and which forms are accepted.
///
/// The parsers of durations, times and zones throw it; they never trap. Its ``description`` can be shown as it is.
public struct TextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the argument that the text was given for, such as `duration`, `time` or `--tz`.
    public var argument: String
    /// The text as it was typed.
    public var given: String
    /// The problem in a few words, without a full stop.
    public var message: String
    /// Examples of accepted texts.
    public var acceptedForms: [String]
    /// The nearest texts that would have been accepted; empty if none is near.
    ///
    /// There are several if the text can be read in several ways.
    public var suggestions: [String]

    /// Creates an error.
    public init(
        argument: String, given: String, message: String, acceptedForms: [String], suggestions: [String] = []
    ) {
        self.argument = argument
        self.given = given
        self.message = message
        self.acceptedForms = acceptedForms
        self.suggestions = suggestions
    }

    /// One line with the argument, the text, the problem, the suggestions and the accepted forms.
    public var description: String {
        let meant = suggestions.isEmpty ? "" : "; did you mean: \(suggestions.joined(separator: ", or "))"
        return "\(argument) “\(given)”: \(message)\(meant). Accepted forms: \(acceptedForms.joined(separator: ", "))."
    }
}

/// The reason why a text cannot be parsed, thrown where the argument and the whole text are not known yet.
struct TextProblem: Error {
    var message: String
    var suggestions: [String]

    init(_ message: String, suggestions: [String] = []) {
        (self.message, self.suggestions) = (message, suggestions)
    }
}
