/// The number of an occurrence as people read and type it: `12`, or `manual-3` for a run by hand.
///
/// Runs by hand are numbered separately from 1, with possible gaps. Their stored numbers are 0 and below.
package enum OccurrenceText {
    private static let prefix = "manual-"

    /// Returns the displayed number of a run by hand; `nil` for an occurrence of the trigger.
    package static func manual(_ occurrence: Int) -> Int? { occurrence > 0 ? nil : 1 - occurrence }

    /// Returns the text for a stored number.
    package static func format(_ occurrence: Int) -> String {
        manual(occurrence).map { "\(prefix)\($0)" } ?? "\(occurrence)"
    }

    /// Returns the text with its noun: `occurrence 12` or `run manual-3`.
    package static func words(_ occurrence: Int) -> String {
        "\(occurrence > 0 ? "occurrence" : "run") \(format(occurrence))"
    }

    /// Returns the stored number for a text of ``format(_:)``, or for a stored number as text; `nil` for another text.
    package static func parse(_ text: String) -> Int? {
        guard text.utf8.starts(with: prefix.utf8) else { return Int(text) }
        let number = Int(String(text.unicodeScalars.dropFirst(prefix.unicodeScalars.count)))
        return number.flatMap { $0 > 0 ? 1 - $0 : nil }
    }
}
