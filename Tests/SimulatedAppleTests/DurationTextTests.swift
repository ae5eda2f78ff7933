#if os(Linux)
    import Foundation
    import Testing
    import UIKit

    @Suite("DateComponentsFormatter")
    struct DurationTextTests {
        private typealias Style = DateComponentsFormatter.UnitsStyle

        @Test(
            "a duration is written in each style as Apple's documentation shows it",
            arguments: [
                (0, "9:41:30"), (1, "9h 41m 30s"), (2, "9 hr, 41 min, 30 sec"), (3, "9 hours, 41 minutes, 30 seconds"),
                (4, "nine hours, forty-one minutes, thirty seconds"), (5, "9hr 41min 30sec"),
            ])
        func styles(style: Int, text: String) throws {
            let formatter = DateComponentsFormatter()
            formatter.allowedUnits = [.hour, .minute, .second]
            formatter.unitsStyle = try #require(Style(rawValue: style))
            #expect(formatter.string(from: 9 * 3_600 + 41 * 60 + 30) == text)
        }

        @Test(
            "zeros are dropped or padded",
            arguments: [
                (65.0, false, "1:05"), (5, false, "5"), (3_600, false, "1:00:00"), (0, false, "0"),
                (65, true, "00:01:05"),
                (-65, false, "-1:05"), (64.6, false, "1:05"),
            ])
        func zeros(seconds: TimeInterval, pads: Bool, text: String) {
            let formatter = DateComponentsFormatter()
            formatter.allowedUnits = [.hour, .minute, .second]
            if pads { formatter.zeroFormattingBehavior = .pad }
            #expect(formatter.string(from: seconds) == text)
        }

        @Test("a duration's text follows the allowed units, the phrases and the dates")
        func others() {
            let formatter = DateComponentsFormatter()
            formatter.unitsStyle = .full
            formatter.allowedUnits = [.day, .hour, .minute]
            formatter.maximumUnitCount = 1
            formatter.includesApproximationPhrase = true
            formatter.includesTimeRemainingPhrase = true
            #expect(formatter.string(from: 86_400 + 7_200) == "About 1 day remaining")
            formatter.maximumUnitCount = 0
            formatter.collapsesLargestUnit = true
            #expect(formatter.string(from: 86_400 + 7_200) == "About 26 hours remaining")
            let start = Date(timeIntervalSince1970: 1_767_225_600)
            let months = DateComponentsFormatter()
            months.allowedUnits = [.month, .day]
            months.unitsStyle = .abbreviated
            months.calendar?.timeZone = .gmt
            #expect(months.string(from: start, to: start.addingTimeInterval(33 * 86_400)) == "1mo 2d")
            #expect(months.string(from: DateComponents(day: 2)) == "2d")
        }
    }
#endif
