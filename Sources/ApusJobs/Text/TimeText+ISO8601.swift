public import ApusTimers

extension TimeText {
    /// Reads an instant with an offset in the form of RFC 3339, past or future: what `WallInstant.iso8601` gives,
    /// and the same with another offset or another number of digits after the point.
    ///
    /// - Throws: ``TextError`` without an offset, outside 1970–2200, and for what cannot be read.
    public static func parseISO8601(_ text: String, argument: String = "instant") throws(TextError) -> WallInstant {
        do throws(TextProblem) {
            guard case .absolute(let seconds, let nanosecond) = try TimeForm(parsing: text) else {
                throw TextProblem("it has no offset from UTC")
            }
            return try TimeForm.wall(seconds, nanosecond)
        } catch {
            throw TextError(
                argument: argument,
                given: text,
                message: error.message,
                acceptedForms: ["2026-12-24T18:00:00.000Z", "2026-12-24T18:00:00+01:00"]
            )
        }
    }
}
