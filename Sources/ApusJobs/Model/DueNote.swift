package import ApusCalendar
public import ApusTimers

/// The effect of a change of the clock, or of a zone's rules, on the due instant of an occurrence.
///
/// Only occurrences of calendar triggers have a note. Stores keep ``rawValue``.
public struct DueNote: RawRepresentable, Hashable, Sendable, Codable {
    /// The stored text: `first`, `second`, `gap` with the local time that was skipped, or `moved` with the former
    /// instant.
    public let rawValue: String

    /// Creates a note from its stored text; a text that this version does not know is kept unchanged.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The clock shows the time twice, and this is the first time.
    public static let firstOfRepeated = DueNote(rawValue: "first")

    /// The clock shows the time twice, and this is the second time.
    public static let secondOfRepeated = DueNote(rawValue: "second")

    /// Returns the note for an occurrence that was due at `instant` by the former rules of its zone.
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

    /// The local date-time that the clock skipped, such as `2027-03-28 02:30:00`; `nil` if the clock skipped none.
    ///
    /// The occurrence was due at the first instant after the gap.
    public var skippedLocalTime: String? { rest(after: "gap ") }

    /// The due instant by the zone's former rules; `nil` if a change of rules did not move the occurrence.
    public var formerInstant: WallInstant? { rest(after: "moved ").flatMap { try? TimeText.parseISO8601($0) } }

    private func rest(after word: String) -> String? {
        rawValue.hasPrefix(word) ? String(rawValue.dropFirst(word.count)) : nil
    }
}

extension DueNote: CustomStringConvertible {
    /// The note in words.
    public var description: String {
        if let skippedLocalTime {
            return "the clock skipped \(skippedLocalTime), so the occurrence is due at the first instant after that"
        }
        if let former = rest(after: "moved ") {
            return "the rules of the time zone have changed; by the former rules, the occurrence was due at \(former)"
        }
        return switch self {
        case .firstOfRepeated: "the clock shows this time twice; the occurrence is due the first time"
        case .secondOfRepeated: "the clock shows this time twice; the occurrence is due the second time too"
        default: rawValue
        }
    }
}
