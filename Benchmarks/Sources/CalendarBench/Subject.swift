import ApusCalendar
import Foundation

/// A common schedule, with its form in Foundation.
struct Subject {
    var words: String
    var cron: String
    /// The schedule in the form of Foundation.
    ///
    /// Its next occurrence is the earliest of the dates that `Calendar.nextDate` finds for these arguments. The array
    /// is empty if Foundation cannot express the schedule.
    var components: [DateComponents]

    /// The expression for croniter, which writes the last Friday of a month as `L5` instead of `5L`.
    var croniter: String { cron.hasSuffix("5L") ? cron.dropLast(2) + "L5" : cron }

    static let all = [
        Subject("every day at 9:00", "0 9 * * *", [DateComponents(hour: 9, minute: 0, second: 0)]),
        Subject(
            "every weekday at 18:30", "30 18 * * 1-5",
            (2...6).map { DateComponents(hour: 18, minute: 30, second: 0, weekday: $0) }),
        Subject("every monday at 9:00", "0 9 * * 1", [DateComponents(hour: 9, minute: 0, second: 0, weekday: 2)]),
        Subject(
            "every month on the 1st at 8:00", "0 8 1 * *", [DateComponents(day: 1, hour: 8, minute: 0, second: 0)]),
        Subject("every month on the last friday at 17:00", "0 17 * * 5L", []),
        Subject("every month on the last day at 23:59", "59 23 L * *", []),
        Subject(
            "every december on the 24th at 18:00", "0 18 24 12 *",
            [DateComponents(month: 12, day: 24, hour: 18, minute: 0, second: 0)]),
        Subject(
            "every 15 minutes", "*/15 * * * *", [0, 15, 30, 45].map { DateComponents(minute: $0, second: 0) }),
        Subject("every hour", "0 * * * *", [DateComponents(minute: 0, second: 0)]),
        Subject("every minute", "* * * * *", [DateComponents(second: 0)]),
    ]

    private init(_ words: String, _ cron: String, _ components: [DateComponents]) {
        (self.words, self.cron, self.components) = (words, cron, components)
    }
}
