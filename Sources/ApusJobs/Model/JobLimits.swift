import ApusTimers

/// The limits of a request from Swift, HTTP, an import or an application's own transaction.
///
/// Every store can write all values within these limits, and no sum of such values overflows.
package enum JobLimits {
    /// The limit of an identifier, a kind, an idempotency key or a time zone.
    package static let textBytes = 255
    /// The limit of a name: 255 characters of up to 4 bytes.
    ///
    /// An index of PostgreSQL has room for more than twice as much.
    package static let nameBytes = 1_020
    package static let queueBytes = 64
    /// The largest number of bytes in all keys and values of a request's labels; its metadata has the same limit.
    package static let dictionaryBytes = 8_192
    package static let payloadBytes = 65_536
    /// The limit of a calendar trigger in its stored form.
    package static let scheduleBytes = 65_536
    /// The longest duration, in nanoseconds: a little more than 292 years.
    package static let nanoseconds: Int64 = 9_223_372_035_999_999_999
    /// Returns whether a duration, rounded down to whole nanoseconds as stores do, is within the limit.
    static func allows(_ duration: Duration) -> Bool { duration.wholeNanoseconds <= nanoseconds }
    /// The largest `count` of a trigger: the largest integer that every reader of JSON represents exactly.
    package static let count = 9_007_199_254_740_991
    /// The largest limit that a policy may set on the number of occurrences that wait or are open.
    package static let occurrences = 10_000

    /// Checks the length of a text, and that it has no character U+0000, which some stores cannot keep.
    static func check(_ text: String, _ argument: String, bytes: Int = textBytes) throws(JobError) {
        guard (1...bytes).contains(text.utf8.count) else {
            throw JobError(
                code: .invalid, message: "\(argument): must be 1 to \(bytes) bytes, not \(text.utf8.count)")
        }
        try checkCharacters(of: text, argument)
    }

    static func check(_ dictionary: [String: String], _ argument: String) throws(JobError) {
        let bytes = bytes(of: dictionary)
        guard bytes <= dictionaryBytes else {
            throw JobError(
                code: .invalid,
                message: "\(argument): must be at most 8192 bytes (8 KiB) of keys and values, not \(bytes)")
        }
        for (key, value) in dictionary {
            try checkCharacters(of: key, argument)
            try checkCharacters(of: value, argument)
        }
    }

    /// Returns the number of bytes of all keys and values.
    package static func bytes(of dictionary: [String: String]) -> Int {
        dictionary.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }

    private static func checkCharacters(of text: String, _ argument: String) throws(JobError) {
        var text = text
        guard text.withUTF8({ $0.contains(0) }) else { return }
        throw JobError(code: .invalid, message: "\(argument): must not contain the character U+0000")
    }
}
