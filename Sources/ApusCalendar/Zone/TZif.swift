/// An error about a time zone that cannot be found or used.
public struct ZoneError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The message, with a remedy if there is one.
    public let description: String

    /// Creates an error.
    ///
    /// - Parameter description: The message.
    public init(description: String) { self.description = description }
}

/// Parses the interchange format of RFC 9636, versions 1 to 4.
///
/// Every access to the bytes is checked, because they may be hostile.
struct TZif {
    private let bytes: [UInt8]

    /// The segments with constant offsets; the first one has no start.
    struct Table {
        var initialOffset: Int32
        var starts: [Int64]
        var offsets: [Int32]
        var footer: PosixRule?
    }

    private struct Header {
        var version: UInt8
        var counts: [Int]
        var isUTC: Int { counts[0] }
        var isStandard: Int { counts[1] }
        var leaps: Int { counts[2] }
        var times: Int { counts[3] }
        var types: Int { counts[4] }
        var characters: Int { counts[5] }

        func length(timeSize: Int) -> Int {
            times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + isStandard + isUTC
        }
    }

    static func parse(_ bytes: [UInt8]) throws(ZoneError) -> Table {
        try TZif(bytes: bytes).table()
    }

    private func big(_ at: Int, _ size: Int) throws(ZoneError) -> Int64 {
        guard at >= 0, at + size <= bytes.count else { throw ZoneError(description: "the zone file ends early") }
        var value = UInt64(0)
        for index in at..<at + size { value = value << 8 | UInt64(bytes[index]) }
        return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }

    private func header(at: Int) throws(ZoneError) -> Header {
        guard at + 44 <= bytes.count, Array(bytes[at..<at + 4]) == Array("TZif".utf8) else {
            throw ZoneError(description: "the zone file does not start with TZif")
        }
        var counts: [Int] = []
        for index in 0..<6 {
            let count = try big(at + 20 + index * 4, 4)
            guard (0...100_000).contains(count) else {
                throw ZoneError(description: "the zone file has an impossible number of entries: \(count)")
            }
            counts.append(Int(count))
        }
        return Header(version: bytes[at + 4], counts: counts)
    }

    private func table() throws(ZoneError) -> Table {
        let first = try header(at: 0)
        guard first.version != 0 else { return try table(first, at: 44, timeSize: 4) }
        let second = 44 + first.length(timeSize: 4)
        let header = try header(at: second)
        var table = try table(header, at: second + 44, timeSize: 8)
        let footer = second + 44 + header.length(timeSize: 8)
        guard footer < bytes.count, bytes[footer] == 0x0A,
            let end = bytes[(footer + 1)...].firstIndex(of: 0x0A)
        else { throw ZoneError(description: "the zone file has no footer") }
        guard end > footer + 1 else { return table }
        guard let rule = PosixRuleParser.parse(Array(bytes[footer + 1..<end])) else {
            throw ZoneError(description: "the zone file's footer is not a POSIX time zone rule")
        }
        table.footer = rule
        return table
    }

    private func table(_ header: Header, at: Int, timeSize: Int) throws(ZoneError) -> Table {
        guard header.leaps == 0 else {
            throw ZoneError(
                description:
                    "the zone counts leap seconds, as those in the folder right/ do; use the zone of this name without them"
            )
        }
        guard header.types > 0 else { throw ZoneError(description: "the zone file has no offset") }
        let indices = at + header.times * timeSize
        let types = indices + header.times
        var offsets: [Int32] = []
        for index in 0..<header.types {
            let offset = try big(types + index * 6, 4)
            guard abs(offset) <= TimeZoneRules.largestOffset else {
                throw ZoneError(description: "the zone file has an impossible offset of \(offset) s")
            }
            offsets.append(Int32(offset))
        }
        var table = Table(initialOffset: offsets[0], starts: [], offsets: [])
        for index in 0..<header.times {
            let time = try big(at + index * timeSize, timeSize)
            let type = Int(bytes[indices + index])
            guard type < offsets.count else {
                throw ZoneError(description: "the zone file refers to the offset \(type), which it does not have")
            }
            if let last = table.starts.last, time <= last {
                throw ZoneError(description: "the changes in the zone file are not in order")
            }
            table.starts.append(time)
            table.offsets.append(offsets[type])
        }
        return table
    }
}
