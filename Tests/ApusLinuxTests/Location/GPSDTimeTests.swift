import ApusTimers
import Foundation
import Testing

@testable import ApusLinux

@Suite("gpsd's instants")
struct GPSDTimeTests {
    @Test(
        "instants are read to the nanosecond",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000000001Z", 1),
            ("2024-03-01T12:00:05.000Z", 1_709_294_405_000_000_000),
            ("2024-02-29T23:59:59.5Z", 1_709_251_199_500_000_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000_000_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000),
            ("2100-03-01T00:00:00.1234567899Z", 4_107_542_400_123_456_789),
        ] as [(String, UInt64)])
    func reads(text: String, nanoseconds: UInt64) { #expect(GPSDTime.instant(text)?.nanoseconds == nanoseconds) }

    @Test(
        "what is no instant, or none that can be kept, is refused",
        arguments: [
            "", "Z", "2024-03-01", "2024-03-01T12:00:05", "2024-03-01T12:00:05+01", "2024-13-01T12:00:05Z",
            "2024-00-01T12:00:05Z", "2024-03-32T12:00:05Z", "2024-03-01T24:00:00Z", "2024-03-01T12:60:00Z",
            "2024-03-01T12:00:61Z", "2024-03-01T12:00:05.Z", "2024-03-01T12:00:05,5Z", "2024-03-01T12:00:05.0x0Z",
            "2024-03-01T12:00:05.0000000000xZ", "+024-03-01T12:00:05Z", "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z",
            "2024/03/01T12:00:05Z", "ÄÄÄÄÄÄÄÄÄÄÄÄZ",
        ])
    func refuses(text: String) { #expect(GPSDTime.instant(text) == nil) }

    @Test("every day from 1970 to 2110 is where Foundation has it")
    func everyDay() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        func padded(_ number: Int, _ digits: Int) -> String { String(String(number + 100_000).suffix(digits)) }
        for day in 0..<51_000 {
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
            let (year, month, date) = (parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
            let text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T00:00:00.000Z"
            let seconds = (GPSDTime.instant(text)?.nanoseconds ?? .max) / 1_000_000_000
            if seconds != UInt64(day) * 86_400 { Issue.record("\(text)") }
        }
    }
}
