package import ApusCalendar
public import ApusTimers

/// What a change of the clock, or of the rules of a zone, did to the due instant of an occurrence.
///
/// Only occurrences of calendar triggers have one. ``rawValue`` is what a store keeps.
public struct DueNote: RawRepresentable, Hashable, Sendable, Codable {
    /// `gap` and the local time that was skipped, `first`, `second`, or `moved` and the former instant.
    public let rawValue: String

    /// A note as a store keeps it; one that this version does not know is kept as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The clock shows the time twice, and this is the first time.
    public static let firstOfRepeated = DueNote(rawValue: "first")

    /// The clock shows the time twice, and this is the second time.
    public static let secondOfRepeated = DueNote(rawValue: "second")

    /// The rules of the zone have changed: the occurrence was to be due at another instant.
    static func moved(from instant: WallInstant) -> DueNote {
        DueNote(rawValue: "moved \(instant.iso8601)")
    }

    package init(_ note: Occurrence.ClockNote) {
        switch note {
        case .movedAfterGap(let local): self.init(rawValue: "gap \(local)")
        case .firstOfRepeated: self = .firstOfRepeated
        case .secondOfRepeated: self = .secondOfRepeated
        }
    }

    /// The local date-time that the clock skipped, such as `2027-03-28 02:30:00`: the occurrence was due at the first
    /// instant after that.
    public var skippedLocalTime: String? { rest(after: "gap ") }

    /// When the occurrence was to be due before the rules of the zone changed.
    public var formerInstant: WallInstant? { rest(after: "moved ").flatMap { try? TimeText.parseISO8601($0) } }

    private func rest(after word: String) -> String? {
        rawValue.hasPrefix(word) ? String(rawValue.dropFirst(word.count)) : nil
    }
}

extension DueNote: CustomStringConvertible {
    /// The note in words.
    public var description: String {
        if let skippedLocalTime { return "the clock skipped \(skippedLocalTime): due at the first instant after that" }
        if let former = rest(after: "moved ") {
            return "the rules of the zone have changed: before that, due at \(former)"
        }
        return switch self {
        case .firstOfRepeated: "the clock shows this time twice: due the first time"
        case .secondOfRepeated: "the clock shows this time twice: due the second time too"
        default: rawValue
        }
    }
}
