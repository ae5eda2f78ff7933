import Testing

@testable import ApusCalendar

/// Inputs of `make fuzz` that were read and printed as different schedules, or not printed.
@Suite("What fuzzing has found")
struct FuzzFindingTests {
    @Test(
        "a text is printed in its own form and read as the same schedule",
        arguments: [
            (ScheduleForm.cron, "55/11 2-4 */2 * ?"), (.calendar, "11..14:44/22"),
        ])
    func printing(form: ScheduleForm, text: String) throws {
        let schedule = try CalendarSchedule(text: text, form: form, now: local("2026-11-24 12:00"))
        let own = try #require(schedule.text(in: form))
        #expect(try CalendarSchedule(text: own, form: form, now: local("2026-11-24 12:00")) == schedule)
        for other in ScheduleForm.allCases {
            guard let printed = schedule.text(in: other) else { continue }
            #expect(try CalendarSchedule(text: printed, form: other, now: local("2026-11-24 12:00")) == schedule)
        }
    }

    @Test("the name of a zone begins with a letter", arguments: ["1ide/Berlin", "+0100", "-1"])
    func zoneNames(name: String) {
        #expect(!ZoneDatabase.isValid(name))
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(words: "every day at 9:00 in \(name)") }
    }
}
