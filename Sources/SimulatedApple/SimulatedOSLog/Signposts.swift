import ApusTimers

// No tool records signposts here: they do nothing, and say so when asked.

/// The identity of an interval among others of its name that overlap it.
public struct OSSignpostID: Comparable, Sendable {
    /// The number.
    public let rawValue: UInt64
    private static let last = Locked<UInt64>(0)

    /// The identifier of that number.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
    /// A new identifier.
    public init(log: OSLog) {
        self.init(
            Self.last.withLock {
                $0 += 1
                return $0
            })
    }
    /// The identifier of an object.
    public init(log: OSLog, object: AnyObject) { self.init(UInt64(UInt(bitPattern: ObjectIdentifier(object)))) }

    /// The identifier of the only open interval of its name.
    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
    /// No identifier.
    public static let invalid = OSSignpostID(.max)
    /// No identifier either.
    public static let null = OSSignpostID(0)

    /// By their numbers.
    public static func < (first: OSSignpostID, second: OSSignpostID) -> Bool { first.rawValue < second.rawValue }
}

/// The kinds of signposts.
public struct OSSignpostType: RawRepresentable, Hashable, Sendable {
    /// Apple's number of the kind.
    public let rawValue: UInt8
    /// The kind with Apple's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// One instant.
    public static let event = OSSignpostType(rawValue: 0)
    /// The beginning of an interval.
    public static let begin = OSSignpostType(rawValue: 1)
    /// The end of an interval.
    public static let end = OSSignpostType(rawValue: 2)
}

/// An interval that has begun.
public final class OSSignpostIntervalState: Sendable {
    fileprivate init() {}
}

/// Marks intervals and events for a tool.
public struct OSSignposter: Sendable {
    /// One that marks nothing.
    public static let disabled = OSSignposter()

    /// One for the app.
    public init() {}
    /// One for a category of a subsystem.
    public init(subsystem: String, category: String) {}
    /// One for a category of a subsystem.
    public init(subsystem: String, category: OSLog.Category) {}
    /// One for the category of a log.
    public init(logHandle: OSLog) {}
    /// One for the category of a logger.
    public init(logger: Logger) {}

    /// False: no tool records.
    public var isEnabled: Bool { false }

    /// A new identifier.
    public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: .default) }
    /// The identifier of an object.
    public func makeSignpostID(from object: AnyObject) -> OSSignpostID {
        OSSignpostID(log: .default, object: object)
    }

    /// Begins an interval.
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        OSSignpostIntervalState()
    }

    /// Begins an interval.
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: OSLogMessage
    )
        -> OSSignpostIntervalState
    { OSSignpostIntervalState() }

    /// Ends an interval.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}
    /// Ends an interval.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: OSLogMessage) {}
    /// Marks an event.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {}
    /// Marks an event.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: OSLogMessage) {}

    /// Calls `task` as an interval.
    /// - Returns: what `task` returns.
    public func withIntervalSignpost<Result>(
        _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> Result
    ) rethrows -> Result { try task() }

    /// Calls `task` as an interval.
    /// - Returns: what `task` returns.
    public func withIntervalSignpost<Result>(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: OSLogMessage,
        around task: () throws -> Result
    ) rethrows -> Result { try task() }
}

// The name is Apple's.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Marks an event, or the begin or end of an interval, for a tool.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Marks an event, or the begin or end of an interval, for a tool.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: any OSLogArgument...
) {}
