public import Foundation

/// The text of a message, whose values are computed only if the message is written, as on a phone.
///
/// A phone hides some values from other readers; here all are shown, because only the test reads the log.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    private let parts: [() -> String]

    /// Creates a message without values.
    public init(stringLiteral value: String) { parts = [{ value }] }
    /// Creates a message with values.
    public init(stringInterpolation: OSLogInterpolation) { parts = stringInterpolation.parts }

    var text: String { parts.reduce(into: "") { $0 += $1() } }
}

/// The texts and values of a message.
///
/// Their attributes are for tools, and have no effect.
public struct OSLogInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [() -> String] = []

    /// Creates an empty message.
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

    /// Adds a Boolean value.
    public mutating func appendInterpolation(
        _ boolean: @autoclosure @escaping () -> Bool, format: OSLogBoolFormat = .truth,
        privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { append(.none) { format.text(of: boolean()) } }

    /// Adds text.
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { append(align, argumentString) }

    /// Adds the description of a value.
    public mutating func appendInterpolation<T: CustomStringConvertible>(
        _ value: @autoclosure @escaping () -> T, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) { append(align) { value().description } }

    /// Adds the description of an object, or `(null)`.
    public mutating func appendInterpolation(
        _ argumentObject: @autoclosure @escaping () -> NSObject?, privacy: OSLogPrivacy = .auto,
        attributes: String = ""
    ) { append(.none) { argumentObject().map { "\($0)" } ?? "(null)" } }

    /// Adds the description of an error, or `(null)`.
    public mutating func appendInterpolation(
        _ error: @autoclosure @escaping () -> (any Error)?, privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { append(.none) { error().map { "\($0)" } ?? "(null)" } }

    /// Adds the name of a type.
    public mutating func appendInterpolation(
        _ value: @autoclosure @escaping () -> any Any.Type, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto, attributes: String = ""
    ) { append(align) { "\(value())" } }
}

/// The privacy of a value in the log, which has no effect in the device's log.
public struct OSLogPrivacy: Sendable {
    /// The form in which a hidden value is shown.
    public enum Mask: Sendable { case hash, none }

    /// The privacy that the system chooses by the value's type.
    public static let auto = OSLogPrivacy()
    /// The privacy of values that all readers of the log see.
    public static let `public` = OSLogPrivacy()
    /// The privacy of values that only the app sees.
    public static let `private` = OSLogPrivacy()
    /// The privacy of values that only the app sees, even if a profile shows private values.
    public static let sensitive = OSLogPrivacy()
    /// Returns the privacy that the system chooses; the mask has no effect.
    public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
    /// Returns the privacy of private values; the mask has no effect.
    public static func `private`(mask: Mask) -> OSLogPrivacy { .private }
    /// Returns the privacy of sensitive values; the mask has no effect.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { .sensitive }
}
