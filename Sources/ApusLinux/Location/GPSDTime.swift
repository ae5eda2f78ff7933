import ApusTimers

/// Instants as gpsd writes them, in UTC: `2024-03-01T12:00:05.000Z`.
enum GPSDTime {
    /// The instant; `nil` when this is none, or before 1970.
    static func instant(_ text: String) -> WallInstant? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), separators.allSatisfy({ bytes[$0.key] == $0.value })
        else { return nil }
        func number(_ range: Range<Int>) -> Int64? { digits(bytes[range]) }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            1...12 ~= month, 1...31 ~= day, 0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second,
            let fraction = nanoseconds(bytes[19..<(bytes.count - 1)])
        else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
        // Nanoseconds since 1970 fit until 2554.
        guard 0..<18_446_744_073 ~= seconds else { return nil }
        return WallInstant(nanoseconds: UInt64(seconds) * 1_000_000_000 + fraction)
    }

    private static let separators: [Int: UInt8] = [
        4: UInt8(ascii: "-"), 7: UInt8(ascii: "-"), 10: UInt8(ascii: "T"), 13: UInt8(ascii: ":"), 16: UInt8(ascii: ":"),
    ]

    private static func digits(_ bytes: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for byte in bytes {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }

    /// What stands between the seconds and the `Z`: nothing, or a point and digits, of which nine count.
    private static func nanoseconds(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        guard let point = bytes.first else { return 0 }
        let written = bytes.dropFirst()
        guard point == UInt8(ascii: "."), !written.isEmpty, digits(written.prefix(9)) != nil,
            written.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        let nine = Array(written.prefix(9)) + [UInt8](repeating: UInt8(ascii: "0"), count: max(0, 9 - written.count))
        return digits(nine[...]).map(UInt64.init)
    }

    /// Days since 1970 of a date of the Gregorian calendar: years begin in March, so that the leap day is their last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let leapDays = year / 4 - year / 100 + year / 400
        // 719,468 days before 1970 is the first of March of the year 0.
        return 365 * year + leapDays + dayOfYear - 719_468
    }
}
