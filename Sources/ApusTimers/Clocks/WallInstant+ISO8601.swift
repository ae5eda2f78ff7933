extension WallInstant: CustomStringConvertible {
    /// The instant in UTC with milliseconds, as in `2026-12-24T18:00:00.000Z` (ISO 8601, RFC 3339).
    ///
    /// Fractions of a millisecond are dropped, so that no instant is shown before it has come.
    public var iso8601: String {
        let (days, time) = nanoseconds.quotientAndRemainder(dividingBy: 86_400_000_000_000)
        let milliseconds = time / 1_000_000
        // Not by gmtime_r, whose `time_t` ends in 2038 on watches with 32 bits. Eras of 400 years and their years start on
        // 1 March, so that the leap day is the last of its year.
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return String(unsafeUninitializedCapacity: 24) { text in
            var end = 0
            func append(_ number: UInt64, digits: Int, then separator: Unicode.Scalar) {
                var rest = number
                for place in (end..<end + digits).reversed() {
                    text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                text[end + digits] = UInt8(ascii: separator)
                end += digits + 1
            }
            append(era * 400 + yearOfEra + (month <= 2 ? 1 : 0), digits: 4, then: "-")
            append(month, digits: 2, then: "-")
            append(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, digits: 2, then: "T")
            append(milliseconds / 3_600_000, digits: 2, then: ":")
            append(milliseconds / 60_000 % 60, digits: 2, then: ":")
            append(milliseconds / 1_000 % 60, digits: 2, then: ".")
            append(milliseconds % 1_000, digits: 3, then: "Z")
            return end
        }
    }

    /// The same as ``iso8601``.
    public var description: String { iso8601 }
}
