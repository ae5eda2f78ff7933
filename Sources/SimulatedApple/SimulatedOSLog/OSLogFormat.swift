import Foundation

/// The format of an integer in a message.
public struct OSLogIntegerFormatting: Sendable {
    private let radix: Int
    private let prefix: String
    private let isUppercase: Bool
    private let minDigits: Int
    private let hasSign: Bool

    private init(_ radix: Int, _ prefix: String, _ isUppercase: Bool, _ minDigits: Int, _ hasSign: Bool) {
        (self.radix, self.prefix, self.isUppercase, self.minDigits) = (radix, prefix, isUppercase, minDigits)
        self.hasSign = hasSign
    }

    /// The decimal format.
    public static let decimal = decimal()
    /// The hexadecimal format, for unsigned integers.
    public static let hex = hex()
    /// The octal format, for unsigned integers.
    public static let octal = octal()

    /// Returns the decimal format with a minimum number of digits.
    public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int = 0) -> Self {
        Self(10, "", false, minDigits, explicitPositiveSign)
    }

    /// Returns the hexadecimal format with a minimum number of digits, for unsigned integers.
    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 0
    ) -> Self { Self(16, includePrefix ? "0x" : "", uppercase, minDigits, explicitPositiveSign) }

    /// Returns the octal format with a minimum number of digits, for unsigned integers.
    public static func octal(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 0
    ) -> Self { Self(8, includePrefix ? "0o" : "", uppercase, minDigits, explicitPositiveSign) }

    /// Returns the text of an integer.
    ///
    /// A signed integer with a radix other than ten traps; Apple's module refuses such a format too.
    func text<T: FixedWidthInteger>(of integer: T) -> String {
        guard radix == 10 || !T.isSigned else { fatalError("Signed integers must be formatted using .decimal") }
        let digits = String(integer.magnitude, radix: radix, uppercase: isUppercase)
        let padding = String(repeating: "0", count: max(0, minDigits - digits.utf8.count))
        return (integer < 0 ? "-" : hasSign ? "+" : "") + prefix + padding + digits
    }
}

/// The format of a floating-point number in a message.
public struct OSLogFloatFormatting: Sendable {
    private let conversion: Character
    private let precision: Int
    private let hasSign: Bool

    /// The format with six digits after the decimal point.
    public static let fixed = fixed()
    /// The format with an exponent and six digits after the decimal point.
    public static let exponential = exponential()
    /// The shorter of the fixed and the exponential format.
    public static let hybrid = hybrid()

    /// Returns the format with a number of digits after the decimal point.
    public static func fixed(precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false) -> Self {
        Self(conversion: "f", precision: precision, hasSign: explicitPositiveSign)
    }

    /// Returns the format with an exponent and a number of digits after the decimal point.
    public static func exponential(
        precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> Self { Self(conversion: uppercase ? "E" : "e", precision: precision, hasSign: explicitPositiveSign) }

    /// Returns the shorter of the fixed and the exponential format, with a number of significant digits.
    public static func hybrid(precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false) -> Self {
        Self(conversion: uppercase ? "G" : "g", precision: precision, hasSign: explicitPositiveSign)
    }

    func text(of number: Double) -> String {
        String(format: "%\(hasSign ? "+" : "").\(LogFormat.clamped(precision))\(conversion)", number)
    }
}

/// The format of a Boolean value in a message.
public enum OSLogBoolFormat: Sendable {
    /// The words `true` and `false`.
    case truth
    /// The words `YES` and `NO`.
    case answer

    func text(of value: Bool) -> String {
        switch self {
        case .truth: value ? "true" : "false"
        case .answer: value ? "YES" : "NO"
        }
    }
}

/// The alignment of a value in a number of columns.
public struct OSLogStringAlignment: Sendable {
    private let columns: Int
    private let isRight: Bool

    /// No minimum width.
    public static let none = OSLogStringAlignment(columns: 0, isRight: false)
    /// Returns the alignment to the left in at least this number of columns.
    public static func left(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: false)
    }
    /// Returns the alignment to the right in at least this number of columns.
    public static func right(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: true)
    }

    func apply(to text: String) -> String {
        let padding = String(repeating: " ", count: max(0, LogFormat.clamped(columns) - text.count))
        return isRight ? padding + text : text + padding
    }
}
