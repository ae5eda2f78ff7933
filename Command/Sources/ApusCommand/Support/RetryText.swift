import ApusJobs

/// The value of `--retry`.
enum RetryText {
    /// The number of further attempts.
    /// - Throws: `TextError` if the text is no whole number from 0 to 1,000.
    static func parse(_ text: String) throws(TextError) -> Int {
        func refusal(_ message: String) -> TextError {
            TextError(
                argument: "--retry", given: text, message: message,
                acceptedForms: ["a whole number from 0 to 1000, such as 3"])
        }
        guard let number = Int(text) else { throw refusal("it is not a whole number") }
        guard (0...1_000).contains(number) else { throw refusal("it is not between 0 and 1000") }
        return number
    }
}
