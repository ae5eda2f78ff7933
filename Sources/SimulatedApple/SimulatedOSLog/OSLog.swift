public import Foundation
import SimulatedAppleCore

/// The severity of a message.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// Apple's number of the level.
    public let rawValue: UInt8
    /// Creates the level with Apple's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Creates the level with Apple's number.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// The default level, whose messages are kept.
    public static let `default` = OSLogType(0)
    /// The level of messages that are helpful but not essential.
    public static let info = OSLogType(1)
    /// The level of messages for development, which are not kept.
    public static let debug = OSLogType(2)
    /// The level of errors of the process.
    public static let error = OSLogType(16)
    /// The level of errors that concern the app or several processes.
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

/// The origin of messages: a category of a subsystem.
public final class OSLog: NSObject, @unchecked Sendable {  // Immutable.
    /// A category that has a meaning for the system.
    public struct Category: RawRepresentable, Hashable, Sendable {
        /// The category's name.
        public let rawValue: String
        /// Creates the category with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The category of events that a tool marks on its timeline.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        /// The category of signposts that a tool records only while it traces.
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        /// The category of signposts that a tool records, with the call stack, only while it traces.
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

    /// Creates the log of a category of a subsystem.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isDisabled: false)
    }

    /// Creates the log of a category of a subsystem.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.rawValue)
    }

    /// Returns whether messages of a level are written: all but debug messages, unless the log is disabled.
    ///
    /// A phone keeps debug messages only while a tool reads them.
    ///
    /// Rule: Apple, documentation/os/generating-log-messages-from-your-code: the levels, and what is kept of each.
    public func isEnabled(type: OSLogType) -> Bool { !isDisabled && type != .debug }

    /// Whether signposts are recorded: `false`, because no tool records them here.
    public var signpostsEnabled: Bool { false }

    func write(_ message: @autoclosure () -> String, _ type: OSLogType) {
        guard isEnabled(type: type) else { return }
        let source = [category, type.name ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        SimulatedPhone.log(source.isEmpty ? message() : "[\(source)] \(message())")
    }
}

// The names are Apple's.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message into the device's log, like `Logger`, from a format of `printf` and its arguments.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, type: OSLogType = .default,
    _ arguments: any OSLogArgument...
) {
    log.write(LogFormat(message).text(arguments), type)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message into the device's log, like `Logger`, from a format of `printf` and its arguments.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default, _ message: StaticString,
    _ arguments: any OSLogArgument...
) {
    log.write(LogFormat(message).text(arguments), type)
}

// The next two functions are disfavored, so that a text without values is taken as a format.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message into the device's log, like `Logger`.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(message.text, .default) }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message into the device's log, like `Logger`.
@_disfavoredOverload
public func os_log(_ logLevel: OSLogType = .default, log: OSLog = .default, _ message: OSLogMessage) {
    log.write(message.text, logLevel)
}
