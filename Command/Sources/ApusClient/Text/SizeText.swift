import ApusJobs

/// Reads and writes file sizes in the form that users type.
package enum SizeText {
    package static let acceptedForms = ["64KiB", "1MiB", "2GiB", "a number of bytes"]

    private static let units: [(suffix: String, bytes: Int)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("", 1),
    ]

    /// Returns a size for people, rounded down, such as `3.2 GiB` or `512 MiB`.
    package static func format(_ bytes: UInt64) -> String {
        guard let unit = units.sorted(by: { $0.bytes > $1.bytes }).first(where: { bytes >= UInt64($0.bytes) }),
            unit.bytes > 1
        else { return "\(bytes) bytes" }
        let tenths = bytes / (UInt64(unit.bytes) / 10)
        return tenths >= 100 ? "\(tenths / 10) \(unit.suffix)" : "\(tenths / 10).\(tenths % 10) \(unit.suffix)"
    }

    /// Returns the size in a form that ``parse(_:argument:)`` accepts, in the largest unit in which it is whole, such
    /// as `1MiB`.
    package static func exact(_ bytes: Int) -> String {
        let unit = units.sorted { $0.bytes > $1.bytes }.first { bytes.isMultiple(of: $0.bytes) }
        return unit.map { "\(bytes / $0.bytes)\($0.suffix)" } ?? "\(bytes)"
    }

    /// Returns the number of bytes.
    ///
    /// - Throws: `TextError` if the text is not a size, or if the size is less than 1 KiB or more than 1,024 GiB.
    package static func parse(_ text: String, argument: String) throws -> Int {
        func refusal(_ message: String) -> TextError {
            TextError(argument: argument, given: text, message: message, acceptedForms: acceptedForms)
        }
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
            let number = Int(text.dropLast(unit.suffix.count)), number >= 0, !text.hasPrefix("+")
        else { throw refusal("it is not a size") }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit.bytes)
        guard !overflow, bytes >= 1 << 10, bytes <= 1 << 40 else {
            throw refusal("it is less than 1KiB or more than 1024GiB")
        }
        return bytes
    }
}
