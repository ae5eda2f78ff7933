import ApusTimers

/// The `Date` of an answer (RFC 9110, 6.6.1). It is computed for each answer, so that nothing has to keep it current.
enum HTTPDate {
    /// An instant as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ instant: WallInstant) -> String {
        let seconds = Int(instant.nanoseconds / 1_000_000_000)
        let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        // Days since 0000-03-01: leap days are the last of their years then.
        let shifted = day + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let date = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        let time = "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))"
        return "\(days[(day + 4) % 7]), \(two(date)) \(months[(month + 2) % 12]) \(year) \(time) GMT"
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
