import Foundation

/// How an integer is written in a message.
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

    /// Digits from 0 to 9.
    public static let decimal = decimal()
    /// Digits from 0 to f, of unsigned integers.
    public static let hex = hex()
    /// Digits from 0 to 7, of unsigned integers.
    public static let octal = octal()

    /// Digits from 0 to 9, at least so many.
    public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int = 0) -> Self {
        Self(10, "", false, minDigits, explicitPositiveSign)
    }

    /// Digits from 0 to f, at least so many, of unsigned integers.
    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 0
    ) -> Self { Self(16, includePrefix ? "0x" : "", uppercase, minDigits, explicitPositiveSign) }

    /// Digits from 0 to 7, at least so many, of unsigned integers.
    public static func octal(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false, minDigits: Int = 0
    ) -> Self { Self(8, includePrefix ? "0o" : "", uppercase, minDigits, explicitPositiveSign) }

    /// Apple's module refuses signed integers with another radix than ten, too.
    func text<T: FixedWidthInteger>(of integer: T) -> String {
        precondition(radix == 10 || !T.isSigned, "Signed integers must be formatted using .decimal")
        let digits = String(integer.magnitude, radix: radix, uppercase: isUppercase)
        let padding = String(repeating: "0", count: max(0, minDigits - digits.utf8.count))
        return (integer < 0 ? "-" : hasSign ? "+" : "") + prefix + padding + digits
    }
}

/// How a number with a fraction is written in a message.
public struct OSLogFloatFormatting: Sendable {
    private let conversion: Character
    private let precision: Int
    private let hasSign: Bool

    /// Six digits after the point.
    public static let fixed = fixed()
    /// A power of ten, and six digits after the point.
    public static let exponential = exponential()
    /// The shorter of both.
    public static let hybrid = hybrid()

    /// So many digits after the point.
    public static func fixed(precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false) -> Self {
        Self(conversion: "f", precision: precision, hasSign: explicitPositiveSign)
    }

    /// A power of ten, and so many digits after the point.
    public static func exponential(
        precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> Self { Self(conversion: uppercase ? "E" : "e", precision: precision, hasSign: explicitPositiveSign) }

    /// The shorter of both, with so many digits.
    public static func hybrid(precision: Int = 6, explicitPositiveSign: Bool = false, uppercase: Bool = false) -> Self {
        Self(conversion: uppercase ? "G" : "g", precision: precision, hasSign: explicitPositiveSign)
    }

    func text(of number: Double) -> String {
        String(format: "%\(hasSign ? "+" : "").\(LogFormat.clamped(precision))\(conversion)", number)
    }
}

/// How a truth value is written in a message.
public enum OSLogBoolFormat: Sendable {
    /// `true` or `false`.
    case truth
    /// `YES` or `NO`.
    case answer

    func text(of value: Bool) -> String {
        switch self {
        case .truth: value ? "true" : "false"
        case .answer: value ? "YES" : "NO"
        }
    }
}

/// In how many columns a value is written.
public struct OSLogStringAlignment: Sendable {
    private let columns: Int
    private let isRight: Bool

    /// As many columns as it needs.
    public static let none = OSLogStringAlignment(columns: 0, isRight: false)
    /// At least so many columns, the value at their left.
    public static func left(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: false)
    }
    /// At least so many columns, the value at their right.
    public static func right(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: true)
    }

    func apply(to text: String) -> String {
        let padding = String(repeating: " ", count: max(0, LogFormat.clamped(columns) - text.count))
        return isRight ? padding + text : text + padding
    }
}
