import ApusTimers
import Testing

@Suite("Instants of the wall clock")
struct WallInstantTests {
    @Test(
        "an instant is written in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (999_999, "1970-01-01T00:00:00.000Z"),
            (951_782_400_001_000_000, "2000-02-29T00:00:00.001Z"),
            (4_107_542_399_999_999_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000Z"), (.max, "2554-07-21T23:34:33.709Z"),
        ] as [(UInt64, String)])
    func iso8601(nanoseconds: UInt64, expected: String) {
        #expect(WallInstant(nanoseconds: nanoseconds).iso8601 == expected)
    }
}
