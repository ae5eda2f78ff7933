/// What a request may contain, by every way: Swift, HTTP, an import, and applications' own transactions.
///
/// Whatever is within these limits can be written by each store, and computed with: no sum of such numbers overflows.
package enum JobLimits {
    /// Of identifiers, names, kinds, idempotency keys and time zones.
    package static let textBytes = 255
    package static let queueBytes = 64
    /// Of the keys and values of the labels, and of the metadata, together.
    package static let dictionaryBytes = 8_192
    package static let payloadBytes = 65_536
    /// Of a calendar trigger in its stored form.
    package static let scheduleBytes = 65_536
    /// The longest duration, in nanoseconds: a little less than 292 years.
    package static let nanoseconds: Int64 = 9_223_372_035_999_999_999
    /// The largest `count` of a trigger: the largest whole number that every reader of JSON has exactly.
    package static let count = 9_007_199_254_740_991
    /// How many occurrences wait or are open at once, of policies with a limit.
    package static let occurrences = 10_000
}
