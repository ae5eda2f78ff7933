/// An occurrence's number as people read and type it: `12`, and `manual-3` for a run by hand.
///
/// Runs by hand are numbered in a row of their own from 1 on, in which numbers may be left out. Stored are 0 and below.
package enum OccurrenceText {
    private static let prefix = "manual-"

    /// The number of a run by hand; `nil` for an occurrence of the trigger.
    package static func manual(_ occurrence: Int) -> Int? { occurrence > 0 ? nil : 1 - occurrence }

    /// The text.
    package static func format(_ occurrence: Int) -> String {
        manual(occurrence).map { "\(prefix)\($0)" } ?? "\(occurrence)"
    }

    /// `occurrence 12`, or `run manual-3`.
    package static func words(_ occurrence: Int) -> String {
        "\(occurrence > 0 ? "occurrence" : "run") \(format(occurrence))"
    }

    /// The stored number of what ``format(_:)`` gives, or of itself; `nil` for another text.
    package static func parse(_ text: String) -> Int? {
        guard text.utf8.starts(with: prefix.utf8) else { return Int(text) }
        let number = Int(String(text.unicodeScalars.dropFirst(prefix.unicodeScalars.count)))
        return number.flatMap { $0 > 0 ? 1 - $0 : nil }
    }
}
