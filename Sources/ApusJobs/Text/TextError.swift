/// What was wrong with a text that a person typed, and what would have been right.
///
/// The parsers of durations, times and zones throw it; it is never a trap. Its ``description`` can be shown as it is.
public struct TextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the argument that the text was given for, such as `duration`, `time` or `--tz`.
    public var argument: String
    /// The text as it was given.
    public var given: String
    /// What is wrong with it, in a few words, without a full stop.
    public var message: String
    /// Examples of texts that would have been accepted.
    public var acceptedForms: [String]

    /// An error that says what is wrong with `given`.
    public init(argument: String, given: String, message: String, acceptedForms: [String]) {
        self.argument = argument
        self.given = given
        self.message = message
        self.acceptedForms = acceptedForms
    }

    /// One line: the argument, the text, what is wrong, the accepted forms.
    public var description: String {
        "\(argument) “\(given)”: \(message). Accepted forms: \(acceptedForms.joined(separator: ", "))."
    }
}

/// Why a text does not parse, before the argument and the whole text are known.
struct TextProblem: Error {
    var message: String

    init(_ message: String) { self.message = message }
}
