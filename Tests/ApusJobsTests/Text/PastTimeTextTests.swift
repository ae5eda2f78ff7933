import ApusJobs
import ApusTimers
import Testing

@Suite("Instants of the past as text")
struct PastTimeTextTests {
    /// Resolves the text at 2026-11-18 12:00 in Berlin, a Wednesday.
    private func resolve(_ text: String) throws -> String {
        (try TimeText.parsePast(
            text, now: TimeText.parseISO8601("2026-11-18T11:00:00Z"),
            timeZone: TimeText.zone(named: "Europe/Berlin"))).iso8601
    }

    @Test(
        "every accepted notation is the last such instant in the zone",
        arguments: [
            ("1h30m", "2026-11-18T09:30:00.000Z"), ("-1h30m", "2026-11-18T09:30:00.000Z"),
            ("90 minutes ago", "2026-11-18T09:30:00.000Z"), ("half an hour", "2026-11-18T10:30:00.000Z"),
            ("90", "2026-11-18T10:58:30.000Z"),
            ("1w", "2026-11-11T11:00:00.000Z"), ("9:00", "2026-11-18T08:00:00.000Z"),
            ("12:00", "2026-11-18T11:00:00.000Z"), ("12:01", "2026-11-17T11:01:00.000Z"),
            ("5pm", "2026-11-17T16:00:00.000Z"), ("noon", "2026-11-18T11:00:00.000Z"),
            ("today", "2026-11-17T23:00:00.000Z"), ("today 9:00", "2026-11-18T08:00:00.000Z"),
            ("Yesterday", "2026-11-16T23:00:00.000Z"), ("yesterday 18:00", "2026-11-17T17:00:00.000Z"),
            ("monday", "2026-11-15T23:00:00.000Z"), ("wed 12:00", "2026-11-18T11:00:00.000Z"),
            ("wed 12:01", "2026-11-11T11:01:00.000Z"), ("thu", "2026-11-11T23:00:00.000Z"),
            ("2026-11-18", "2026-11-17T23:00:00.000Z"), ("2026-07-01 18:00", "2026-07-01T16:00:00.000Z"),
            ("2026-11-18T11:00:00Z", "2026-11-18T11:00:00.000Z"), ("@0", "1970-01-01T00:00:00.000Z"),
            ("100y", ""), ("1000w", "2007-09-19T11:00:00.000Z"),
        ])
    func accepted(text: String, expected: String) throws {
        if expected.isEmpty {
            #expect(throws: TextError.self) { try resolve(text) }
        } else {
            #expect(try resolve(text) == expected, "\(text)")
        }
    }

    @Test(
        "an hour alone is the last one, and refused if the same hour in the other half of the day was later",
        arguments: [
            ("at 9", "2026-11-18T11:00:00Z", "2026-11-18T08:00:00.000Z"),
            ("at 9", "2026-11-18T20:30:00Z", "9 alone can be 9:00 or 21:00 today"),
            ("at 9", "2026-11-18T07:00:00Z", "9 alone can be 9:00 or 21:00 yesterday"),
            ("at 9am", "2026-11-18T07:00:00Z", "2026-11-17T08:00:00.000Z"),
        ])
    func hourAlone(text: String, now: String, expected: String) throws {
        do throws(TextError) {
            let instant = try TimeText.parsePast(
                text, now: TimeText.parseISO8601(now), timeZone: TimeText.zone(named: "Europe/Berlin"))
            #expect(instant.iso8601 == expected)
        } catch { #expect(error.message == expected) }
    }

    @Test(
        "a text that names an instant or one that has passed is the one to come if it can be, and one of them or refused",
        arguments: [
            ("17:30", "2026-11-18T16:30:00.000Z"), ("9:00", "2026-11-19T08:00:00.000Z"),
            ("at 9", "9 alone can be 9:00 tomorrow or 21:00 today"),
            ("9", "9 alone can be 9:00 tomorrow or 21:00 today"),
            ("today 9:00", "2026-11-18T08:00:00.000Z"), ("today", "2026-11-17T23:00:00.000Z"),
            ("now", "2026-11-18T11:00:00.000Z"), ("2 hours ago", "2026-11-18T09:00:00.000Z"),
            ("yesterday 18:00", "2026-11-17T17:00:00.000Z"), ("monday", "2026-11-22T23:00:00.000Z"),
            ("18 nov 9:00", "2026-11-18T08:00:00.000Z"), ("2026-11-01", "2026-10-31T23:00:00.000Z"),
            ("tomorrow 9:00", "2026-11-19T08:00:00.000Z"), ("in 0s", "a duration must be longer than zero"),
        ])
    func either(text: String, expected: String) throws {
        do throws(TextError) {
            let instant = try TimeText.parseAny(
                text, now: TimeText.parseISO8601("2026-11-18T11:00:00Z"),
                timeZone: TimeText.zone(named: "Europe/Berlin"), argument: "--after")
            #expect(instant.iso8601 == expected)
        } catch { #expect(error.message == expected && error.argument == "--after") }
    }

    @Test("a duration of more than the time since 1970 means 1970")
    func sinceEver() throws { #expect(try resolve("4000w") == "1970-01-01T00:00:00.000Z") }

    @Test(
        "the future and what cannot be read are refused, with the argument and the accepted forms",
        arguments: [
            "today 12:01", "tomorrow", "in 5 minutes", "next friday", "2026-11-18 12:01", "@1795000000000", "",
            "lately", "yesterday noonish", "yesterday 25:00", "-1x", "+1h", "@1798135200",
        ])
    func refused(text: String) throws {
        let error = #expect(throws: TextError.self) { try resolve(text) }
        #expect(error?.argument == "--since" && error?.acceptedForms == TimeText.acceptedPastForms, "\(text)")
    }
}
