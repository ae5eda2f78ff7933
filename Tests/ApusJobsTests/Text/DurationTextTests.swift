import ApusJobs
import Testing

@Suite("Durations as text")
struct DurationTextTests {
    @Test(
        "every accepted notation is read",
        arguments: [
            ("3s", .seconds(3)), ("250ms", .milliseconds(250)), ("1h30m", .seconds(5_400)), ("1h 30m", .seconds(5_400)),
            ("1 h 30 m", .seconds(5_400)), ("  90  ", .seconds(90)), ("90", .seconds(90)),
            ("1.5", .milliseconds(1_500)),
            ("1.5h", .seconds(5_400)), ("0.5ms", .microseconds(500)), ("0.000001ms", .nanoseconds(1)),
            ("1:30:00", .seconds(5_400)), ("5:00", .seconds(300)), ("90:00", .seconds(5_400)),
            ("0:00.25", .milliseconds(250)), ("2d", .seconds(172_800)), ("1w", .seconds(604_800)),
            ("1w2d3h4m5s6ms", .milliseconds(788_645_006)), ("PT1H30M", .seconds(5_400)), ("pt90m", .seconds(5_400)),
            ("P1DT2H", .seconds(93_600)), ("P2W", .seconds(1_209_600)), ("PT0.25S", .milliseconds(250)),
            ("PT0,25S", .milliseconds(250)), ("10 minutes", .seconds(600)), ("1 hour 5 min 1 sec", .seconds(3_901)),
            ("2 DAYS", .seconds(172_800)), ("3 weeks", .seconds(1_814_400)), ("7milliseconds", .milliseconds(7)),
            ("1hr", .seconds(3_600)), ("2hrs", .seconds(7_200)), ("36525d", DurationText.longest),
            ("00000000000000000000000005s", .seconds(5)),
        ] as [(String, Duration)])
    func reads(text: String, expected: Duration) throws {
        #expect(try DurationText.parse(text) == expected)
    }

    @Test(
        "an invalid duration is refused with the reason and the accepted forms",
        arguments: [
            ("", "empty"), ("   ", "empty"), ("0", "longer than zero"), ("0s", "longer than zero"),
            ("0:00", "longer than zero"), ("PT0S", "longer than zero"), ("0.0000001ms", "longer than zero"),
            ("-3s", "negative"), ("-PT1S", "negative"), ("+3s", "does not begin with a number"), ("tea", "number"),
            ("3x", "“x” is not a unit"), ("1h30", "30, has no unit"), ("3M", "M can be either"),
            ("1 month", "differ in length"),
            ("1h1h", "each of them once"), ("1y 12month", "differ in length"), ("5 minuts", "did you mean: 5 minute"),
            ("1.s", "followed by digits"),
            (".5s", "does not begin"), ("1:5", "two digits"), ("1:60", "two digits"), ("1:60:00", "two digits"),
            ("1:00:00:00", "more than hours"), ("1:00:", "number"), ("1:00x", "cannot be read"), ("P", "ISO 8601"),
            ("PT", "“T” is followed"), ("P1H", "ISO 8601"), ("PT1D", "ISO 8601"), ("P1Y", "differ in length"),
            ("P1M", "differ in length"), ("P1", "ISO 8601"), ("PT1M1H", "larger units"), ("3652501d", "100 years"),
            ("36525d1ms", "100 years"), ("99999999999999999999999999s", "100 years"),
            ("99999999999999999999w", "100 years"), ("1e3", "“e” is not a unit"), ("٣s", "number"),
            ("3 s!", "cannot be read"),
            ("5;", "a unit of time"), ("nan", "number"),
        ])
    func refuses(text: String, reason: String) {
        let error = #expect(throws: TextError.self) { try DurationText.parse(text, argument: "--timeout") }
        #expect(error?.description.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.given == text)
        #expect(error?.description.hasPrefix("--timeout “\(text)”: ") == true)
        #expect(error?.description.contains("Accepted forms: 3s, 250ms, 1h30m") == true)
    }

    @Test(
        "a duration is written in the short form and in ISO 8601",
        arguments: [
            (.zero, "0s", "PT0S"), (.milliseconds(250), "250ms", "PT0.25S"), (.seconds(5_400), "1h 30m", "PT1H30M"),
            (.microseconds(1_500), "1.5ms", "PT0.0015S"), (.nanoseconds(1), "0.000001ms", "PT0.000000001S"),
            (.milliseconds(61_500), "1m 1.5s", "PT1M1.5S"), (.seconds(93_600), "1d 2h", "P1DT2H"),
            (.seconds(172_800), "2d", "P2D"), (.seconds(-90), "-1m 30s", "-PT1M30S"),
            (.seconds(3_601), "1h 1s", "PT1H1S"),
        ] as [(Duration, String, String)])
    func formats(duration: Duration, short: String, iso: String) {
        #expect(DurationText.format(duration) == short)
        #expect(DurationText.iso8601(duration) == iso)
    }

    @Test("a formatted duration is parsed back without loss")
    func roundTrip() throws {
        var state: UInt64 = 42
        for _ in 0..<2_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let nanoseconds = Int64((state >> 2) >> (state % 50)) % 3_155_760_000_000_000_000
            guard nanoseconds > 0 else { continue }
            let duration = Duration.nanoseconds(nanoseconds)
            #expect(try DurationText.parse(DurationText.format(duration)) == duration)
            #expect(try DurationText.parse(DurationText.iso8601(duration)) == duration)
        }
    }
}
