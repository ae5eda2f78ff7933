import ApusCalendar
public import ApusTimers

extension TimeText {
    /// The form of ISO 8601 that Apus stores and shows: `yyyy-MM-ddTHH:mm:ss.SSSZ`, always in UTC and always with
    /// milliseconds. What is below a millisecond is dropped, so that no instant is shown before it has come.
    public static func iso8601(_ instant: WallInstant) -> String {
        let utc = CivilDateTime(localSeconds: Int64(instant.nanoseconds / 1_000_000_000))
        let millisecond = Int(instant.nanoseconds / 1_000_000 % 1_000)
        let time = "\(padded(utc.time.hour, 2)):\(padded(utc.time.minute, 2)):\(padded(utc.time.second, 2))"
        return "\(utc.date)T\(time).\(padded(millisecond, 3))Z"
    }

    /// Reads an instant with an offset in the form of RFC 3339, past or future: what ``iso8601(_:)`` writes, and the
    /// same with another offset or another number of digits after the point.
    ///
    /// - Throws: ``TextError`` without an offset, outside 1970–2553, and for what cannot be read.
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

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
