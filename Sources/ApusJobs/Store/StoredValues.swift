package import ApusTimers

/// The stored form of instants: nanoseconds since 1970 as a signed 64-bit integer.
///
/// The stored form ends in the year 2262 (`Int64.max`), and a ``WallInstant`` in 2554 (`UInt64.max`). Instants after
/// the end of the stored form are stored as `Int64.max`, which is read as the last ``WallInstant``. So a stored instant
/// may be later than the original, and is never earlier.
package enum StoreInstant {
    /// Returns the stored form of an instant.
    package static func encode(_ instant: WallInstant) -> Int64 { Int64(clamping: instant.nanoseconds) }

    /// Returns the instant of a stored form.
    package static func decode(_ stored: Int64) -> WallInstant {
        WallInstant(nanoseconds: stored == .max ? .max : UInt64(clamping: stored))
    }

    /// Returns the greatest stored form whose instant is not after `instant`, for comparisons with "until" and "after".
    package static func bound(_ instant: WallInstant) -> Int64 {
        if instant.nanoseconds == .max { return .max }
        return min(Int64(clamping: instant.nanoseconds), .max - 1)
    }
}

/// The axis of elapsed time, whose instants are stored as the wall clock minus an offset.
///
/// A store keeps the offset in one record, so no other row changes when the wall clock is set.
package struct ElapsedAxis {
    /// The offset in nanoseconds.
    private let offset: Int64

    /// Creates the axis of a store; without a record, it is equal to the wall clock.
    package init(_ clock: StoreClock?) { offset = clock?.elapsedOffset.wholeNanoseconds ?? 0 }

    package var duration: Duration { .nanoseconds(offset) }

    /// Returns the stored form of an instant; the last instant does not move, because it means "never".
    package func encode(_ instant: WallInstant) -> Int64 {
        let stored = StoreInstant.encode(instant)
        return stored == .max ? .max : max(0, stored.subtractingSaturating(offset))
    }

    /// Returns the instant of a stored form.
    package func decode(_ stored: Int64) -> WallInstant {
        stored == .max ? StoreInstant.decode(.max) : StoreInstant.decode(stored.addingSaturating(offset))
    }

    /// Returns the greatest stored form whose instant is not after `instant`; see ``StoreInstant/bound(_:)``.
    package func bound(_ instant: WallInstant) -> Int64 {
        let bound = StoreInstant.bound(instant)
        return bound == .max ? .max : min(bound.subtractingSaturating(offset), .max - 1)
    }
}

extension Int64 {
    fileprivate func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    fileprivate func subtractingSaturating(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}

/// Labels as a JSON object.
///
/// It is written without a JSON library for speed, because each submission writes its labels.
package enum LabelsJSON {
    package static func encode(_ labels: [String: String]) -> String {
        if labels.isEmpty { return "{}" }
        var text = "{"
        for (key, value) in labels.sorted(by: { $0.key < $1.key }) {
            if text.utf8.count > 1 { text += "," }
            append(key, to: &text)
            text += ":"
            append(value, to: &text)
        }
        return text + "}"
    }

    private static func append(_ string: String, to text: inout String) {
        text += "\""
        defer { text += "\"" }
        let isPlain = string.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard !isPlain else {
            text += string
            return
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{0}"..<" ":
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// Returns the labels of a stored object; `nil` if it is not an object of strings.
    package static func decode(_ text: String) -> [String: String]? {
        if text == "{}" { return [:] }
        var parser = Parser(bytes: Array(text.utf8))
        return parser.object()
    }

    /// Parses any JSON object whose values are strings, because other programs may have written it.
    private struct Parser {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func object() -> [String: String]? {
            guard take("{") else { return nil }
            var labels: [String: String] = [:]
            if take("}") { return atEnd ? labels : nil }
            repeat {
                guard let key = string(), take(":"), let value = string() else { return nil }
                labels[key] = value
            } while take(",")
            return take("}") && atEnd ? labels : nil
        }

        var atEnd: Bool { bytes[position...].allSatisfy(Self.isSpace) }

        static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func string() -> String? {
            guard take("\"") else { return nil }
            var units: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: units, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let scalar = escaped() else { return nil }
                    units += Array(String(scalar).utf8)
                default: units.append(byte)
                }
            }
            return nil
        }

        mutating func escaped() -> Unicode.Scalar? {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "b"): return "\u{8}"
            case UInt8(ascii: "f"): return "\u{C}"
            case UInt8(ascii: "u"): return unicode()
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
            default: return nil
            }
        }

        mutating func unicode() -> Unicode.Scalar? {
            guard let high = hex() else { return nil }
            guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
            guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            else { return nil }
            position += 2
            guard let low = hex(), (0xDC00..<0xE000).contains(low) else { return nil }
            return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        }

        mutating func hex() -> UInt32? {
            guard position + 4 <= bytes.count else { return nil }
            defer { position += 4 }
            guard let digits = String(validating: bytes[position..<position + 4], as: UTF8.self) else { return nil }
            return UInt32(digits, radix: 16)
        }
    }
}
