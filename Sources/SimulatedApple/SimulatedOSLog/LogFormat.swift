public import Foundation

/// A value that `os_log` accepts as an argument of a format.
///
/// On Apple's systems this is a `CVarArg`, which text and objects conform to there.
public protocol OSLogArgument {}

extension Int: OSLogArgument {}
extension Int8: OSLogArgument {}
extension Int16: OSLogArgument {}
extension Int32: OSLogArgument {}
extension Int64: OSLogArgument {}
extension UInt: OSLogArgument {}
extension UInt8: OSLogArgument {}
extension UInt16: OSLogArgument {}
extension UInt32: OSLogArgument {}
extension UInt64: OSLogArgument {}
extension Float: OSLogArgument {}
extension Double: OSLogArgument {}
extension CGFloat: OSLogArgument {}
extension Bool: OSLogArgument {}
extension String: OSLogArgument {}
extension NSObject: OSLogArgument {}
extension UnsafePointer: OSLogArgument {}
extension UnsafeMutablePointer: OSLogArgument {}
extension UnsafeRawPointer: OSLogArgument {}
extension UnsafeMutableRawPointer: OSLogArgument {}
extension OpaquePointer: OSLogArgument {}

/// A format of `os_log`: a format of `printf` that may also contain `%@`.
///
/// Options in braces, as in `%{public}@`, have no effect.
struct LogFormat {
    private let format: String

    init(_ format: StaticString) { self.format = format.description }

    /// Returns a width or precision within bounds, because it determines how much memory is used.
    static func clamped(_ columns: Int) -> Int { min(max(columns, 0), 512) }

    /// Returns the message with the arguments in place of their conversions.
    ///
    /// Superfluous arguments are ignored.
    func text(_ arguments: [any OSLogArgument]) -> String {
        var text = ""
        var rest = arguments[...]
        var scalars = format.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            if scalar == "%" {
                text += Conversion(&scalars, &rest)?.text(&rest) ?? ""
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// A conversion of a format, such as `%-5.2f`.
private struct Conversion {
    private var flags = ""
    private var width: Int?
    private var precision: Int?
    private let letter: Character

    /// Reads the conversion after a percent sign; `nil` at the end of the format.
    init?(_ scalars: inout Substring.UnicodeScalarView, _ arguments: inout ArraySlice<any OSLogArgument>) {
        if scalars.first == "{" { scalars = scalars.drop { $0 != "}" }.dropFirst() }
        while let flag = scalars.first, "-+ #0".unicodeScalars.contains(flag) {
            flags.unicodeScalars.append(flag)
            scalars.removeFirst()
        }
        width = Self.number(&scalars, &arguments)
        if scalars.first == "." {
            scalars.removeFirst()
            precision = Self.number(&scalars, &arguments) ?? 0
        }
        scalars = scalars.drop { "hlqLztj".unicodeScalars.contains($0) }
        guard let letter = scalars.popFirst() else { return nil }
        self.letter = Character(letter)
    }

    /// Reads a width or precision: digits, or `*`, which stands for the next argument.
    private static func number(
        _ scalars: inout Substring.UnicodeScalarView, _ arguments: inout ArraySlice<any OSLogArgument>
    ) -> Int? {
        if scalars.first == "*" {
            scalars.removeFirst()
            return (arguments.popFirst() as? any BinaryInteger).map { LogFormat.clamped(Int(truncatingIfNeeded: $0)) }
        }
        let digits = scalars.prefix { ("0"..."9").contains($0) }
        scalars = scalars.dropFirst(digits.count)
        return digits.isEmpty ? nil : LogFormat.clamped(Int(String(digits)) ?? .max)
    }

    func text(_ arguments: inout ArraySlice<any OSLogArgument>) -> String {
        switch letter {
        case "%": return "%"
        case "m": return padded(String(cString: strerror(errno)))
        default: break
        }
        guard let argument = arguments.popFirst() else { return "<no argument>" }
        switch (letter, argument) {
        case ("d", let integer as any FixedWidthInteger), ("i", let integer as any FixedWidthInteger),
            ("D", let integer as any FixedWidthInteger):
            return String(format: specification("lld"), Int64(truncatingIfNeeded: integer))
        case ("u", let integer as any FixedWidthInteger), ("x", let integer as any FixedWidthInteger),
            ("X", let integer as any FixedWidthInteger), ("o", let integer as any FixedWidthInteger):
            return String(format: specification("ll\(letter)"), Self.bits(of: integer))
        case ("c", let integer as any FixedWidthInteger):
            return padded(String(UnicodeScalar(UInt8(truncatingIfNeeded: integer))))
        case ("e", let number as any BinaryFloatingPoint), ("f", let number as any BinaryFloatingPoint),
            ("g", let number as any BinaryFloatingPoint), ("a", let number as any BinaryFloatingPoint),
            ("E", let number as any BinaryFloatingPoint), ("F", let number as any BinaryFloatingPoint),
            ("G", let number as any BinaryFloatingPoint), ("A", let number as any BinaryFloatingPoint):
            return String(format: specification("\(letter)"), Double(number))
        case ("s", let bytes as UnsafePointer<CChar>): return padded(String(cString: bytes))
        default: return padded("\(argument)")
        }
    }

    /// Returns the bits of an integer, as many as its type has.
    private static func bits<T: FixedWidthInteger>(of integer: T) -> UInt64 {
        UInt64(truncatingIfNeeded: integer) & (T.bitWidth < 64 ? (1 << UInt64(T.bitWidth)) - 1 : .max)
    }

    private func specification(_ letters: String) -> String {
        "%\(flags)\(width.map(String.init) ?? "")\(precision.map { ".\($0)" } ?? "")\(letters)"
    }

    private func padded(_ text: String) -> String {
        let text = precision.map { String(text.prefix($0)) } ?? text
        let isLeft = flags.utf8.contains(UInt8(ascii: "-"))
        let alignment: OSLogStringAlignment = isLeft ? .left(columns: width ?? 0) : .right(columns: width ?? 0)
        return alignment.apply(to: text)
    }
}
