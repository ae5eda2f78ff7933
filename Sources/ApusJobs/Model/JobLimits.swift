import ApusTimers

/// What a request may contain, by every way: Swift, HTTP, an import, and applications' own transactions.
///
/// Whatever is within these limits can be written by each store, and computed with: no sum of such numbers overflows.
package enum JobLimits {
    /// Of identifiers, kinds, idempotency keys and time zones.
    package static let textBytes = 255
    /// 255 characters, for people; an index of PostgreSQL has room for more than twice as much.
    package static let nameBytes = 1_020
    package static let queueBytes = 64
    /// Of the keys and values of the labels, and of the metadata, together.
    package static let dictionaryBytes = 8_192
    package static let payloadBytes = 65_536
    /// Of a calendar trigger in its stored form.
    package static let scheduleBytes = 65_536
    /// The longest duration, in nanoseconds: a little less than 292 years.
    package static let nanoseconds: Int64 = 9_223_372_035_999_999_999
    /// Whether a duration is no longer than that, but for a fraction of a nanosecond, which no store keeps.
    static func allows(_ duration: Duration) -> Bool { duration.wholeNanoseconds <= nanoseconds }
    /// The largest `count` of a trigger: the largest whole number that every reader of JSON has exactly.
    package static let count = 9_007_199_254_740_991
    /// How many occurrences wait or are open at once, of policies with a limit.
    package static let occurrences = 10_000

    /// Not every store can keep a character U+0000.
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

    /// How many bytes the keys and values have.
    package static func bytes(of dictionary: [String: String]) -> Int {
        dictionary.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }

    private static func checkCharacters(of text: String, _ argument: String) throws(JobError) {
        var text = text
        guard text.withUTF8({ $0.contains(0) }) else { return }
        throw JobError(code: .invalid, message: "\(argument): must not contain the character U+0000")
    }
}
