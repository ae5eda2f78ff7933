import Foundation
import Testing

@testable import ApusCalendar

/// Repeats inputs with which `make fuzz` found faults.
@Suite("Findings of the fuzzer")
struct FuzzFindingTests {
    @Test(
        "a text is printed in its own form and read as the same schedule",
        arguments: [
            (ScheduleForm.cron, "55/11 2-4 */2 * ?"), (.calendar, "11..14:44..59/22"),
            (.cron, "4/1,22-1 2 H/1 */2 ?,?"),
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
        #expect(!ZoneDatabase.isName(name))
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(words: "every day at 9:00 in \(name)") }
    }

    @Test(
        "an instant in seconds has neither a date nor a time after it", arguments: ["@37 10:00", "@37 *-09~02/1 10:00"])
    func instants(text: String) {
        #expect(throws: ScheduleTextError.self) { try CalendarSchedule(onCalendar: text) }
        #expect(throws: Never.self) { try CalendarSchedule(onCalendar: "Mon @37 UTC") }
    }

    /// The clock of this zone skips a time and then, within hours, is set back and shows that time after all.
    @Test("previous returns an earlier instant that next also finds, for any zone file")
    func zoneFile() throws {
        let text = """
            VFppZgAAADIAAAAAAAAAAAAAAAAAAAAEAAAABAAAAAAAAAAJAAAABAAAAAyAAAAA1z4CcNftWfDY+Ppw2c078NsHAP////38AAAA \
            AAAA/wAAAAIBAgECAQIAAIMDAPj//3OgAQQAAH4BAAAAAFQK
            """
        let rules = try TimeZoneRules(
            tzif: Array(try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))))
        let daily = CalendarSchedule(.fields(CalendarFields(times: TimesOfDay([9000]))))
        for policy in [ClockPolicy(), ClockPolicy(gap: .skip, repeated: .both)] {
            let search = PreparedSchedule(daily, in: rules, policy: policy)
            for change in rules.transitions(in: -3_000_000_000..<7_000_000_000).prefix(20) {
                for instant in stride(from: change.at - 200_000, through: change.at + 200_000, by: 5000) {
                    if let previous = search.previous(before: instant) { #expect(previous.instant < instant) }
                    guard let next = search.next(after: instant) else { continue }
                    #expect(next.instant > instant)
                    #expect(search.previous(before: next.instant + 1)?.instant == next.instant)
                }
            }
        }
    }
}
