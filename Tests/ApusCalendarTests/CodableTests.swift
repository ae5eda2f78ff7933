import Foundation
import Testing

@testable import ApusCalendar

@Suite("The stored form of a schedule")
struct CodableTests {
    private func encoded(_ schedule: CalendarSchedule) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(schedule), as: UTF8.self)
    }

    private func decoded(_ text: String) throws -> CalendarSchedule {
        try JSONDecoder().decode(CalendarSchedule.self, from: Data(text.utf8))
    }

    @Test("any schedule is decoded as the schedule that was encoded")
    func identity() throws {
        var generator = SeededGenerator(seed: 19)
        var (asText, asFields) = (0, 0)
        for index in 0..<5000 {
            let schedule = generator.schedule()
            let text = try encoded(schedule)
            #expect(try decoded(text) == schedule, "\(index): \(text)")
            if text.contains("\"fields\"") { asFields += 1 } else { asText += 1 }
        }
        #expect(asText > 1000 && asFields > 1000)
    }

    @Test("exclusions in the rule come before those in the object")
    func datesOfRule() throws {
        let schedule = try decoded(
            #"{"rule":"DTSTART:20261124T090000 RRULE:FREQ=DAILY EXDATE;VALUE=DATE:20261125","except":["2026-12-24"]}"#)
        #expect(
            occurrences(schedule, after: utc("2026-11-24 00:00"), in: .utc, count: 2)
                == ["2026-11-24 09:00:00", "2026-11-26 09:00:00"])
        #expect(try encoded(schedule).contains(#""except":["2026-11-25","2026-12-24"]"#))
        #expect(try decoded(encoded(schedule)) == schedule)
    }

    @Test(
        "schedules that earlier versions stored are due as before",
        arguments: [
            // These are 0 */2 * * *, 5-59/10 2 * * *, 0 * * * * and 0 0-23 * * * as earlier versions stored them.
            (
                #"{"rule":"every day at 0:00, 2:00, 4:00, 6:00, 8:00, 10:00, 12:00, 14:00, 16:00, 18:00, 20:00 and 22:00"}"#,
                false
            ),
            (#"{"rule":"every 10 minutes between 2:05 and 2:55"}"#, true), (#"{"rule":"every hour"}"#, true),
            (#"{"rule":"*/30 2 1 * *"}"#, true), (#"{"rule":"0 0,2,4,6,8 1W * *"}"#, false),
        ])
    func earlier(text: String, isStepping: Bool) throws {
        let schedule = try decoded(text)
        #expect(schedule.rule.fields?.isStepping == isStepping)
        #expect(try encoded(schedule) == text)
    }

    @Test("a field that was changed after the creation is stored with its new value")
    func changed() throws {
        var fields = try #require(CalendarSchedule(cron: "*/15 * * * *").rule.fields)
        fields.times = TimesOfDay([32_400])
        fields.days.combination = .or
        let schedule = CalendarSchedule(.fields(fields))
        #expect(try decoded(encoded(schedule)) == schedule)
    }

    @Test("the rule is stored as a text if a text can express it, and the bounds as separate keys")
    func form() throws {
        var schedule = try CalendarSchedule(words: "every weekday at 18:30 in Europe/Berlin")
        #expect(try encoded(schedule) == #"{"rule":"every weekday at 18:30","timeZone":"Europe/Berlin"}"#)
        schedule.from = local("2026-12-01 00:00")
        schedule.until = local("2027-12-31 23:59:59")
        schedule.count = 40
        schedule.spread = 600
        let christmas = local("2026-12-24 00:00").date...local("2026-12-26 00:00").date
        schedule.exclusions = [
            .dates(christmas), .dates(christmas.upperBound...christmas.upperBound),
            .schedule(try CalendarSchedule(cron: "0 9 L * *")),
        ]
        #expect(
            try encoded(schedule) == """
                {"count":40,"except":["2026-12-24/2026-12-26","2026-12-26",\
                {"rule":"every month on the last day at 9:00"}],\
                "from":"2026-12-01T00:00:00","rule":"every weekday at 18:30","spread":600,\
                "timeZone":"Europe/Berlin","until":"2027-12-31T23:59:59"}
                """)
        #expect(try encoded(CalendarSchedule(cron: "0 9 15W * *")) == #"{"rule":"0 9 15W * *"}"#)
        #expect(
            try encoded(CalendarSchedule(words: "every 2 weeks on friday 17:00 starting 2026-11-24"))
                == #"{"rule":"every 2 weeks on friday at 17:00 starting 2026-11-27"}"#)
        #expect(
            try encoded(CalendarSchedule(recurrence: "DTSTART:20261124T090000 RRULE:FREQ=DAILY"))
                == #"{"rule":"DTSTART:20261124T090000 RRULE:FREQ=DAILY"}"#)
        let fields = CalendarFields(
            times: .list([5, 100]), months: 1 << 3, years: [2026, 2027, 2028],
            weekInterval: .init(weeks: 2, anchor: christmas.lowerBound))
        #expect(
            try encoded(CalendarSchedule(.fields(fields)))
                == #"{"fields":{"months":"3","starting":"2026-12-24","times":[5,100],"weeks":2,"years":"2026-2028"}}"#)
    }

    @Test(
        "values out of range are refused by decoding",
        arguments: [
            "{}", #"{"rule":"every day at 25:00"}"#, #"{"rule":"every 2 weeks on friday at 9:00"}"#,
            #"{"rule":"FREQ=DAILY"}"#, #"{"rule":"@daily","count":10001}"#, #"{"rule":"@daily","spread":-1}"#,
            #"{"rule":"@daily","from":"2026-02-30T00:00:00"}"#, #"{"rule":"@daily","from":"2026-02-28"}"#,
            #"{"rule":"@daily","except":["2026-12-26/2026-12-24"]}"#, #"{"rule":"@daily","except":["christmas"]}"#,
            #"{"rule":"@daily","except":[{"rule":"@hourly","spread":99999999}]}"#,
            #"{"fields":{"times":[3,2]}}"#, #"{"fields":{"times":[86400]}}"#, #"{"fields":{"hours":"1"}}"#,
            #"{"fields":{"hours":"24","minutes":"0","seconds":"0"}}"#, #"{"fields":{"times":[0],"weeks":2}}"#,
            #"{"fields":{"times":[0],"weeks":0,"starting":"2026-01-01"}}"#, #"{"fields":{"times":[0],"months":"0"}}"#,
            #"{"fields":{"times":[0],"ordinals":["8#1"]}}"#, #"{"fields":{"times":[0],"ordinals":["1#6"]}}"#,
            #"{"fields":{"times":[0],"hashed":[{"field":"hour","lower":5,"upper":4}]}}"#,
            #"{"fields":{"times":[0],"hashed":[{"field":"hour","lower":5,"upper":24}]}}"#,
            #"{"fields":{"times":[0],"hashed":[{"field":"hour","lower":5,"upper":6,"step":0}]}}"#,
            #"{"fields":{"times":[0],"monthDays":"5-2"}}"#, #"{"fields":{"times":[0],"years":"0"}}"#,
        ])
    func refused(text: String) {
        #expect(throws: DecodingError.self) { try decoded(text) }
    }

    @Test("schedules may exclude schedules four levels deep, but not five")
    func depth() throws {
        var schedule = try CalendarSchedule(cron: "@daily")
        for level in 1...5 {
            let inner = schedule
            schedule = try CalendarSchedule(cron: "@daily")
            schedule.exclusions = [.schedule(inner)]
            if level < 5 {
                #expect(try decoded(encoded(schedule)) == schedule)
            } else {
                #expect(throws: EncodingError.self) { try encoded(schedule) }
            }
        }
        let text = (0..<5).reduce(#"{"rule":"@daily"}"#) { text, _ in #"{"rule":"@daily","except":[\#(text)]}"# }
        #expect(throws: DecodingError.self) { try decoded(text) }
    }

    @Test("values out of range are refused by encoding")
    func unstorable() throws {
        var schedule = try CalendarSchedule(recurrence: "DTSTART:20261124T090000 RRULE:FREQ=DAILY")
        if case .recurrence(var rule) = schedule.rule {
            rule.interval = 0
            schedule.rule = .recurrence(rule)
        }
        #expect(throws: EncodingError.self) { try encoded(schedule) }
        var months = CalendarFields(times: TimesOfDay([0]))
        months.months = 1 << 13
        #expect(throws: EncodingError.self) { try encoded(CalendarSchedule(.fields(months))) }
        var far = try CalendarSchedule(cron: "@daily")
        far.from = CivilDateTime(localSeconds: 400_000_000_000)
        #expect(throws: EncodingError.self) { try encoded(far) }
    }

    @Test("weeks of a stored schedule are counted from the week of its date, as earlier versions counted them")
    func storedWeeks() throws {
        let stored = Data(#"{"rule":"every 2 weeks on monday at 9:00 starting 2026-12-02"}"#.utf8)
        let schedule = try JSONDecoder().decode(CalendarSchedule.self, from: stored)
        #expect(occurrences(schedule, after: utc("2026-12-02 00:00"), in: .utc, count: 1) == ["2026-12-14 09:00:00"])
        #expect(schedule.words == "every 2 weeks on monday at 9:00 starting 2026-12-14")
    }

    @Test(
        "an interval that was stored by hand is refused, or stored again as the same schedule, and not due before its date"
    )
    func handMade() throws {
        let clauses = [
            "weeks on monday", "weeks on weekdays", "months on the 1st", "months on the 31st", "months on the last day",
            "months on the 5th friday", "years on 24 dec", "years on 29 feb", "days",
        ]
        var accepted = 0
        for (clause, count) in clauses.flatMap({ clause in [1, 2, 3, 11, 10_000].map { (clause, $0) } }) {
            for start in [
                "", " starting 1970-01-31", " starting 2026-12-02", " starting 2190-06-06", " starting 2200-12-30",
            ] {
                for end in ["", " until 2026-12-03", " until 2200-12-31"] {
                    let text = #"{"rule":"every \#(count) \#(clause) at 9:00\#(start)\#(end)"}"#
                    guard let schedule = try? decoded(text) else { continue }
                    accepted += 1
                    #expect(try decoded(encoded(schedule)) == schedule, "\(text)")
                    let first = schedule.nextInstant(after: utc("1960-01-01 00:00"))
                    guard !start.isEmpty, let first else { continue }
                    #expect(first >= utc("\(start.suffix(10)) 00:00"), "\(text)")
                }
            }
        }
        #expect(accepted > 300, "\(accepted)")
    }

    @Test("weekdays that are nearest to days from the end are stored, the last one as earlier versions did")
    func nearestFromEnd() throws {
        var days = DayRule()
        for (bits, json) in [
            (UInt64(2), #"{"fields":{"lastWeekday":true,"times":[5,100]}}"#),
            (0b1_0010, #"{"fields":{"lastWeekday":true,"nearestWeekdaysFromEnd":"4","times":[5,100]}}"#),
        ] {
            days.nearestWeekdaysFromEnd = bits
            let schedule = CalendarSchedule(.fields(CalendarFields(times: .list([5, 100]), days: days)))
            #expect(try encoded(schedule) == json)
            #expect(try JSONDecoder().decode(CalendarSchedule.self, from: Data(json.utf8)) == schedule)
        }
    }
}

extension CalendarSchedule {
    fileprivate func nextInstant(after instant: Int64) -> Int64? { next(after: instant, in: .utc)?.instant }
}

extension CalendarSchedule.Rule {
    fileprivate var fields: CalendarFields? {
        if case .fields(let fields) = self { fields } else { nil }
    }
}
