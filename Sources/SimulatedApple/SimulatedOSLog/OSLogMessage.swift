public import Foundation

/// The text of a message. Its values are computed only if the message is written, as on a phone. What a phone hides from
/// other readers is shown here, since the log is the test's.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    private let parts: [() -> String]

    /// A message without values.
    public init(stringLiteral value: String) { parts = [{ value }] }
    /// A message with values.
    public init(stringInterpolation: OSLogInterpolation) { parts = stringInterpolation.parts }

    var text: String { parts.reduce(into: "") { $0 += $1() } }
}

/// The values in a message. Their attributes are for tools, and have no effect.
public struct OSLogInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [() -> String] = []

    /// An empty text.
    public init(literalCapacity: Int, interpolationCount: Int) { parts.reserveCapacity(2 * interpolationCount + 1) }

    /// Adds text.
    public mutating func appendLiteral(_ literal: String) { parts.append { literal } }

    private mutating func append(_ alignment: OSLogStringAlignment, _ text: @escaping () -> String) {
        parts.append { alignment.apply(to: text()) }
    }

    /// Adds a number.
    public mutating func appendInterpolation<T: FixedWidthInteger>(
        _ number: @autoclosure @escaping () -> T, format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { append(align) { format.text(of: number()) } }

    /// Adds a number.
    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Float, format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { append(align) { format.text(of: Double(number())) } }

    /// Adds a number.
    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Double, format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { append(align) { format.text(of: number()) } }

    /// Adds a truth value.
    public mutating func appendInterpolation(
        _ boolean: @autoclosure @escaping () -> Bool, format: OSLogBoolFormat = .truth,
        privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { append(.none) { format.text(of: boolean()) } }

    /// Adds text.
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { append(align, argumentString) }

    /// Adds the text of a value.
    public mutating func appendInterpolation<T: CustomStringConvertible>(
        _ value: @autoclosure @escaping () -> T, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) { append(align) { value().description } }

    /// Adds the text of an object, or `(null)`.
    public mutating func appendInterpolation(
        _ argumentObject: @autoclosure @escaping () -> NSObject?, privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) { append(.none) { argumentObject().map { "\($0)" } ?? "(null)" } }

    /// Adds the text of an error, or `(null)`.
    public mutating func appendInterpolation(
        _ error: @autoclosure @escaping () -> (any Error)?, privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { append(.none) { error().map { "\($0)" } ?? "(null)" } }

    /// Adds the name of a type.
    public mutating func appendInterpolation(
        _ value: @autoclosure @escaping () -> any Any.Type, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { append(align) { "\(value())" } }
}

/// Which readers of the log see a value. In the log of the device all of them do.
public struct OSLogPrivacy: Sendable {
    /// How a hidden value is shown.
    public enum Mask: Sendable { case hash, none }

    /// As the system decides by the value's type.
    public static let auto = OSLogPrivacy()
    /// All readers of the log.
    public static let `public` = OSLogPrivacy()
    /// Only the app.
    public static let `private` = OSLogPrivacy()
    /// Only the app, even if a profile shows private values.
    public static let sensitive = OSLogPrivacy()
    /// The same, with a mask.
    public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
    /// The same, with a mask.
    public static func `private`(mask: Mask) -> OSLogPrivacy { .private }
    /// The same, with a mask.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { .sensitive }
}
