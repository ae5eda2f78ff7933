import Testing

@testable import ApusCalendar

@Suite("Dialects of cron")
struct CronDialectTests {
    /// Sources: Quartz's CronExpression, EventBridge's documentation, Spring's CronExpression and croniter's README.
    @Test(
        "an expression of a dialect is read as the equivalent standard expression",
        arguments: [
            (CronDialect.quartz, "0 0 12 ? * 2-6", "0 12 * * 1-5"), (.quartz, "0 15 10 ? * MON-FRI", "15 10 * * 1-5"),
            (.quartz, "0 15 10 L * ?", "15 10 L * *"), (.quartz, "0 15 10 ? * 6L", "15 10 * * 5L"),
            (.quartz, "0 15 10 ? * 6#3", "15 10 * * 5#3"), (.quartz, "0 15 10 ? * L", "15 10 * * 6"),
            (.quartz, "0 15 10 ? * 1,7", "15 10 * * 0,6"), (.quartz, "0 15 10 ? * 2/2", "15 10 * * 1,3,5"),
            (.quartz, "0 15 10 ? * 6-2", "15 10 * * 5-1"), (.quartz, "0 0/5 14 * * ?", "0-55/5 14 * * *"),
            (.quartz, "0 15 10 * * ? 2030", "0 15 10 * * * 2030"), (.quartz, "0 0 0 LW * ?", "0 0 LW * *"),
            (.quartz, "0 0 0 L-3W * ?", "0 0 L-3W * *"),
            (.aws, "0 10 * * ? *", "0 10 * * *"), (.aws, "cron(0 18 ? * MON-FRI *)", "0 18 * * 1-5"),
            (.aws, "cron(0 8 1 * ? *)", "0 8 1 * *"), (.aws, "0/15 8-17 ? * 2-6 2030", "0 0-45/15 8-17 * * 1-5 2030"),
            (.aws, "cron(0 9 ? * 2#1 *)", "0 9 * * 1#1"), (.aws, "CRON_TZ=UTC 0 10 * * ? *", "CRON_TZ=UTC 0 10 * * *"),
            (.spring, "0 0 8-10 * * *", "0 8-10 * * *"), (.spring, "0 0 12 ? * 2-6", "0 12 * * 2-6"),
            (.spring, "0 0 0 13 * FRI", "0 0 13 * +5"), (.spring, "0 0 0 ? * 5#2", "0 0 * * 5#2"),
            (.spring, "0 0 0 * * THUL", "0 0 * * 4L"), (.spring, "@daily", "0 0 * * *"),
            (.croniter, "0 9 * * 1-5", "0 9 * * 1-5"), (.croniter, "* * * * * */15", "*/15 * * * * *"),
            (.croniter, "0 9 * * 1 30 2030", "30 0 9 * * 1 2030"), (.croniter, "0 0 * * L5", "0 0 * * 5L"),
            (.croniter, "0 0 */10 * 5", "0 0 1,11,21,31 * 5"), (.croniter, "@hourly", "0 * * * *"),
        ])
    func meaning(dialect: CronDialect, text: String, standard: String) throws {
        let schedule = try CalendarSchedule(cron: text, dialect: dialect)
        #expect(try schedule == CalendarSchedule(cron: standard), "\(schedule.cron ?? "-")")
    }

    @Test(
        "a dialect refuses the expressions that its program refuses",
        arguments: [
            (CronDialect.quartz, "0 9 * * 1-5"), (.quartz, "0 0 12 * * 2-6"), (.quartz, "0 0 12 ? * ?"),
            (.quartz, "0 0 12 ? * 0"), (.quartz, "0 0 12 ? * 8"), (.quartz, "@daily"), (.aws, "0 9 * * 1-5"),
            (.aws, "0 10 * * * *"), (.aws, "rate(5 minutes)"), (.aws, "0 10 ? * 0 *"), (.spring, "0 9 * * 1-5"),
            (.spring, "0 0 12 ? ? *"), (.spring, "0 0 9 * * * 2030"), (.croniter, "0 9 * *"), (.croniter, "0 9 ? ? *"),
        ])
    func refused(dialect: CronDialect, text: String) {
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(cron: text, dialect: dialect) }
    }

    @Test(
        "an expression that programs read differently is refused with suggestions",
        arguments: [
            ("0 0 12 ? * 2-6", 8, ["0 12 * * 1-5, which it is in the dialect quartz", "0 12 * * 2-6"]),
            ("0 10 * * ? *", 10, ["0 10 * * *, which it is in the dialect aws"]),
            ("0 15 10 ? * 6L 2030", 9, ["0 15 10 * * 5L 2030"]), ("cron(0 18 ? * MON-FRI *)", 1, ["0 18 * * 1-5"]),
            ("cron(0 18 * * 1-5 *)", 15, ["? in exactly one of the two fields for days"]),
            ("cron(0 18 *)", 13, ["6 fields"]),
            ("0 9 * ? *", 7, ["a month"]), ("? 9 * * *", 1, ["a minute"]),
            ("0 0 9 * * 1 ?", 13, ["? only in five fields"]),
        ])
    func otherDialects(text: String, column: Int, readings: [String]) throws {
        let error = try #require(throws: ScheduleTextError.self) { try CalendarSchedule(cron: text) }
        #expect(error.column == column, "\(error)")
        for reading in readings { #expect(error.expected.contains(reading), "\(error)") }
    }

    @Test("in five fields, ? for a day is *", arguments: ["0 9 ? * 1-5", "0 9 1 * ?", "0 9 ? * ?"])
    func questionMark(text: String) throws {
        #expect(try CalendarSchedule(cron: text) == CalendarSchedule(cron: text.replacing("?", with: "*")))
    }
}
