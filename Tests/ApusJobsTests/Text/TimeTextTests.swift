import ApusCalendar
import ApusJobs
import ApusTimers
import Testing

/// The present in each row that names no other instant: 2026-11-18 12:00 in Berlin, a Wednesday.
private let wednesdayNoon = "2026-11-18T11:00:00Z"

private func resolve(_ text: String, now: String = wednesdayNoon, zone: String = "Europe/Berlin") throws -> String {
    let instant = try TimeText.parse(
        text, now: TimeText.parseISO8601(now), timeZone: TimeText.zone(named: zone))
    return instant.iso8601
}

@Suite("Instants as text")
struct TimeTextTests {
    @Test(
        "every accepted notation is the next such instant in the zone",
        arguments: [
            ("17:30", "2026-11-18T16:30:00.000Z"), ("17:30:15", "2026-11-18T16:30:15.000Z"),
            ("17:30:15.25", "2026-11-18T16:30:15.250Z"), ("5:30pm", "2026-11-18T16:30:00.000Z"),
            ("5:30 PM", "2026-11-18T16:30:00.000Z"), ("5pm", "2026-11-18T16:00:00.000Z"),
            ("12am", "2026-11-18T23:00:00.000Z"), ("12:30pm", "2026-11-18T11:30:00.000Z"),
            ("9:00", "2026-11-19T08:00:00.000Z"), ("12:00", "2026-11-19T11:00:00.000Z"),
            ("00:00", "2026-11-18T23:00:00.000Z"), ("tomorrow 9:00", "2026-11-19T08:00:00.000Z"),
            ("Tomorrow 9am", "2026-11-19T08:00:00.000Z"), ("today 17:30", "2026-11-18T16:30:00.000Z"),
            ("monday 09:00", "2026-11-23T08:00:00.000Z"), ("mon 9:00", "2026-11-23T08:00:00.000Z"),
            ("wednesday 12:01", "2026-11-18T11:01:00.000Z"), ("wed 12:00", "2026-11-25T11:00:00.000Z"),
            ("tue 23:59:59", "2026-11-24T22:59:59.000Z"), ("sun 0:00", "2026-11-21T23:00:00.000Z"),
            ("2026-12-24 18:00", "2026-12-24T17:00:00.000Z"), ("2026-12-24 18:00:30", "2026-12-24T17:00:30.000Z"),
            ("2026-12-24T18:00", "2026-12-24T17:00:00.000Z"), ("2026-12-24 6pm", "2026-12-24T17:00:00.000Z"),
            ("2026-12-24", "2026-12-23T23:00:00.000Z"), ("2026-12-24T18:00:00Z", "2026-12-24T18:00:00.000Z"),
            ("2026-12-24t18:00:00z", "2026-12-24T18:00:00.000Z"), ("2026-12-24 18:00:00Z", "2026-12-24T18:00:00.000Z"),
            ("2026-12-24T18:00:00+01:00", "2026-12-24T17:00:00.000Z"),
            ("2026-12-24T18:00:00-03:30", "2026-12-24T21:30:00.000Z"),
            ("2026-12-24T18:00:00.123456789Z", "2026-12-24T18:00:00.123Z"),
            ("2028-02-29 00:00", "2028-02-28T23:00:00.000Z"), ("2200-12-31T23:59:59Z", "2200-12-31T23:59:59.000Z"),
            ("  17:30 ", "2026-11-18T16:30:00.000Z"), ("noon", "2026-11-19T11:00:00.000Z"),
            ("Midnight", "2026-11-18T23:00:00.000Z"), ("tomorrow noon", "2026-11-19T11:00:00.000Z"),
            ("2026-12-24 midnight", "2026-12-23T23:00:00.000Z"), ("tomorrow", "2026-11-18T23:00:00.000Z"),
            ("friday", "2026-11-19T23:00:00.000Z"), ("wednesday", "2026-11-24T23:00:00.000Z"),
            ("next friday", "2026-11-19T23:00:00.000Z"), ("Next Fri 9:00", "2026-11-20T08:00:00.000Z"),
            ("wed 17:30", "2026-11-18T16:30:00.000Z"), ("next wed 17:30", "2026-11-25T16:30:00.000Z"),
            ("in 5 minutes", "2026-11-18T11:05:00.000Z"), ("in 1h30m", "2026-11-18T12:30:00.000Z"),
            ("In 90", "2026-11-18T11:01:30.000Z"), ("in 1:30", "2026-11-18T11:01:30.000Z"),
            ("@1798135200", "2026-12-24T18:00:00.000Z"), ("17", "2026-11-18T16:00:00.000Z"),
            ("17:30Z", "2026-11-18T17:30:00.000Z"), ("2026-12-24 18:00 Europe/London", "2026-12-24T18:00:00.000Z"),
            ("2026-12-24 18:00 +0100", "2026-12-24T17:00:00.000Z"), ("now + 5 minutes", "2026-11-18T11:05:00.000Z"),
            ("teatime tomorrow", "2026-11-19T15:00:00.000Z"), ("next week", "2026-11-25T11:00:00.000Z"),
            ("morgen um 9 Uhr", "2026-11-19T08:00:00.000Z"), ("in 1 month", "2026-12-18T11:00:00.000Z"),
        ])
    func reads(text: String, expected: String) throws {
        #expect(try resolve(text) == expected)
    }

    @Test("nanoseconds survive")
    func nanoseconds() throws {
        let instant = try TimeText.parseISO8601("2026-12-24T18:00:00.1234567899Z")
        #expect(instant.nanoseconds % 1_000_000_000 == 123_456_789)
    }

    @Test(
        "an invalid or past instant is refused with the reason and the accepted forms",
        arguments: [
            ("", "empty"), ("25:00", "hour from 0 to 23"), ("24:00", "hour from 0 to 23"), ("17:60", "00 to 59"),
            ("17:30:60", "00 to 59"), ("17:3", "two digits"), ("17:30:1", "two digits"),
            ("5", "5:00 or 17:00; 5 alone can be either"),
            ("13pm", "1 to 12"), ("0:30am", "1 to 12"), ("17:30 x", "cannot be read"), ("today 9:00", "has passed"),
            ("today 12:00", "has passed"), ("today", "time of day is missing"), ("yesterday 9:00", "in the past"),
            ("mond 9:00", "did you mean: mon"), ("now", "in the past"), ("next", "as in “next friday”"),
            ("in", "duration is missing"), ("in 0s", "longer than zero"), ("in 5 parsecs", "not a unit"),
            ("noon noon", "cannot be read"),
            ("@", "seconds since 1970"), ("@-5", "seconds since 1970"), ("@1763463600", "in the past"),
            ("@99999999999", "1970–2200"),
            ("@99999999999999999999", "seconds since 1970"), ("@1798135200.5", "cannot be read"),
            ("2026-11-18 11:59", "in the past"),
            ("2026-11-18T11:00:00Z", "in the past"), ("2026-11-18", "in the past"), ("1999-12-31 10:00", "in the past"),
            ("2026-13-01", "no month 13"), ("2026-00-01", "no month 0"), ("2026-02-29", "no day 29"),
            ("2100-02-29", "no day 29"), ("2026-11-31", "no day 31"), ("2026-12-00", "no day 0"),
            ("2026-1-1", "year-month-day"), ("1969-12-31", "in the past"), ("2201-01-01", "1970–2200"),
            ("in 100000 days", "1970–2200"),
            ("@7289654400", "1970–2200"),
            ("9999-01-01", "1970–2200"), ("2200-12-31T23:59:59-01:00", "1970–2200"), ("20260-01-01", "year-month-day"),
            ("2026-12-24x", "time of day"), ("2026-12-24T", "time of day"), ("2026-12-24T18:00:00+1", "offset"),
            ("2026-12-24T18:00:00+24:00", "offset"), ("2026-12-24T18:00:00.Z", "cannot be read"),
            ("12/24/2026", "write 2026-12-24"), ("-1:00", "a unit of time"), ("3s", "“in” before a duration"),
        ])
    func refuses(text: String, reason: String) {
        let error = #expect(throws: TextError.self) { try resolve(text) }
        #expect(error?.description.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.argument == "time")
        #expect(error?.description.contains("Accepted forms: 17:30 (the next one)") == true)
    }

    @Test(
        "a time in a daylight-saving gap means the first instant after the gap",
        arguments: [
            ("2027-03-28 01:59:59", "Europe/Berlin", "2027-03-28T00:59:59.000Z"),
            ("2027-03-28 02:00", "Europe/Berlin", "2027-03-28T01:00:00.000Z"),
            ("2027-03-28 02:30", "Europe/Berlin", "2027-03-28T01:00:00.000Z"),
            ("2027-03-28 02:59:59", "Europe/Berlin", "2027-03-28T01:00:00.000Z"),
            ("2027-03-28 03:00", "Europe/Berlin", "2027-03-28T01:00:00.000Z"),
            ("2027-03-28 03:30", "Europe/Berlin", "2027-03-28T01:30:00.000Z"),
            ("2027-03-14 02:30", "America/New_York", "2027-03-14T07:00:00.000Z"),
            ("2027-03-14 03:01", "America/New_York", "2027-03-14T07:01:00.000Z"),
            ("2027-10-03 02:10", "Australia/Lord_Howe", "2027-10-02T15:30:00.000Z"),
        ])
    func gaps(text: String, zone: String, expected: String) throws {
        #expect(try resolve(text, zone: zone) == expected)
    }

    @Test(
        "a time in a daylight-saving overlap means the first of the two instants",
        arguments: [
            ("2027-10-31 01:59", "Europe/Berlin", "2027-10-30T23:59:00.000Z"),
            ("2027-10-31 02:00", "Europe/Berlin", "2027-10-31T00:00:00.000Z"),
            ("2027-10-31 02:30", "Europe/Berlin", "2027-10-31T00:30:00.000Z"),
            ("2027-10-31 03:00", "Europe/Berlin", "2027-10-31T02:00:00.000Z"),
            ("2027-11-07 01:30", "America/New_York", "2027-11-07T05:30:00.000Z"),
            ("2027-11-07 02:00", "America/New_York", "2027-11-07T07:00:00.000Z"),
        ])
    func overlaps(text: String, zone: String, expected: String) throws {
        #expect(try resolve(text, zone: zone) == expected)
    }

    @Test("a time of day whose first of two instants has passed is tomorrow's")
    func overlapAlreadyPassed() throws {
        let betweenTheTwo = "2027-10-31T00:45:00Z"
        #expect(try resolve("02:30", now: betweenTheTwo) == "2027-11-01T01:30:00.000Z")
        #expect(try resolve("sun 02:30", now: betweenTheTwo) == "2027-11-07T01:30:00.000Z")
    }

    @Test("a day that a zone skipped means its next midnight")
    func skippedDay() throws {
        let before = "2011-12-20T00:00:00Z"
        #expect(try resolve("2011-12-30 12:00", now: before, zone: "Pacific/Apia") == "2011-12-30T10:00:00.000Z")
    }

    @Test("the next day begins at the zone's midnight, not at that of UTC")
    func dayOfTheZone() throws {
        let lateInUTC = "2026-11-18T23:30:00Z"
        #expect(try resolve("tomorrow 9:00", now: lateInUTC) == "2026-11-20T08:00:00.000Z")
        #expect(try resolve("tomorrow 9:00", now: lateInUTC, zone: "America/New_York") == "2026-11-19T14:00:00.000Z")
    }

    @Test(
        "a zone has a name that the system knows", arguments: ["UTC", "Europe/Berlin", "America/New_York", "Etc/GMT+3"])
    func zones(name: String) throws {
        #expect(try TimeText.zone(named: name).name == name)
    }

    @Test(
        "an unknown zone is refused with examples",
        arguments: ["", "Europe/Nowhere", "Mars", "../passwd", "/etc/passwd"])
    func unknownZones(name: String) {
        let error = #expect(throws: TextError.self) { try TimeText.zone(named: name) }
        #expect(error?.description.contains("Europe/Berlin") == true)
        #expect(error?.argument == "--tz")
    }

    @Test("every day until 2134 is written and read back")
    func everyDay() throws {
        for day in 0..<60_000 {
            let instant = WallInstant(secondsSince1970: Int64(day) * 86_400 + 43_200)
            guard try TimeText.parseISO8601(instant.iso8601) == instant else {
                Issue.record("day \(day) is written as \(instant.iso8601)")
                return
            }
        }
    }

    @Test(
        "an instant without an offset is not an ISO 8601 instant",
        arguments: ["17:30", "2026-12-24T18:00", "2026-12-24"])
    func needsOffset(text: String) {
        #expect(throws: TextError.self) { try TimeText.parseISO8601(text) }
    }
}
