public import Foundation
import SimulatedAppleCore

/// How important a message is.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// Apple's number of the level.
    public let rawValue: UInt8
    /// The level with Apple's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The level with Apple's number.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// A message that is kept.
    public static let `default` = OSLogType(0)
    /// A message that helps, and is no more than that.
    public static let info = OSLogType(1)
    /// A message for the app's development, which is not kept.
    public static let debug = OSLogType(2)
    /// An error of the process.
    public static let error = OSLogType(16)
    /// An error of the app or of several processes.
    public static let fault = OSLogType(17)

    var name: String? {
        switch self {
        case .info: "info"
        case .debug: "debug"
        case .error: "error"
        case .fault: "fault"
        default: nil
        }
    }
}

/// Where messages come from: a subsystem and a category of it.
public final class OSLog: NSObject, @unchecked Sendable {  // Immutable.
    /// A category with a meaning for the system.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The category's name.
        public let rawValue: String
        /// The category with that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Events that a tool marks on its timeline.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        /// Signposts that a tool records only while it traces.
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        /// The same, with the calls that led to it.
        public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    }

    /// The log of messages without a subsystem.
    public static let `default` = OSLog(subsystem: "", category: "")
    /// A log that keeps nothing.
    public static let disabled = OSLog(subsystem: "", category: "", isDisabled: true)

    let category: String
    private let isDisabled: Bool

    private init(subsystem: String, category: String, isDisabled: Bool) {
        self.category = category
        self.isDisabled = isDisabled
    }

    /// The log of a category of a subsystem.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isDisabled: false)
    }

    /// The log of a category of a subsystem.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.rawValue)
    }

    /// A phone keeps debug messages only while a tool reads them, so they are not written here either.
    ///
    /// Rule: Apple, documentation/os/generating-log-messages-from-your-code: the levels, and what is kept of each.
    public func isEnabled(type: OSLogType) -> Bool { !isDisabled && type != .debug }

    /// False: no tool records signposts.
    public var signpostsEnabled: Bool { false }

    func write(_ message: @autoclosure () -> String, _ type: OSLogType) {
        guard isEnabled(type: type) else { return }
        let source = [category, type.name ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        SimulatedPhone.log(source.isEmpty ? message() : "[\(source)] \(message())")
    }
}

// The names are Apple's.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message into the device's log, as `Logger` does, from the text and the arguments of a format of `printf`.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, type: OSLogType = .default,
    _ arguments: any OSLogArgument...
) {
    log.write(LogFormat(message).text(arguments), type)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message into the device's log, as `Logger` does, from the text and the arguments of a format of `printf`.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, _ message: StaticString,
    _ arguments: any OSLogArgument...
) {
    log.write(LogFormat(message).text(arguments), type)
}

// The next two are disfavored, because a text without values is a format.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message into the device's log, as `Logger` does.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(message.text, .default) }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message into the device's log, as `Logger` does.
@_disfavoredOverload
public func os_log(_ logLevel: OSLogType = .default, log: OSLog = .default, _ message: OSLogMessage) {
    log.write(message.text, logLevel)
}
