import ApusTimers

// No tool records signposts here: they have no effect, and report that they are disabled.

/// The identity of an interval among overlapping intervals of the same name.
public struct OSSignpostID: Comparable, Sendable {
    /// The number of the identifier.
    public let rawValue: UInt64
    private static let last = Locked<UInt64>(0)

    /// Creates the identifier with a number.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
    /// Creates a new identifier.
    public init(log: OSLog) {
        self.init(
            Self.last.withLock {
                $0 += 1
                return $0
            })
    }
    /// Creates the identifier of an object.
    public init(log: OSLog, object: AnyObject) { self.init(UInt64(UInt(bitPattern: ObjectIdentifier(object)))) }

    /// The identifier of the only open interval of a name.
    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
    /// An identifier of no interval.
    public static let invalid = OSSignpostID(.max)
    /// Another identifier of no interval.
    public static let null = OSSignpostID(0)

    /// Orders identifiers by their numbers.
    public static func < (first: OSSignpostID, second: OSSignpostID) -> Bool { first.rawValue < second.rawValue }
}

/// The kind of a signpost.
public struct OSSignpostType: RawRepresentable, Hashable, Sendable {
    /// Apple's number of the kind.
    public let rawValue: UInt8
    /// Creates the kind with Apple's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A single event.
    public static let event = OSSignpostType(rawValue: 0)
    /// The beginning of an interval.
    public static let begin = OSSignpostType(rawValue: 1)
    /// The end of an interval.
    public static let end = OSSignpostType(rawValue: 2)
}

/// The state of an interval that has begun.
public final class OSSignpostIntervalState: Sendable {
    fileprivate init() {}
}

/// The interface that marks intervals and events for a tool; nothing is recorded here.
public struct OSSignposter: Sendable {
    /// A signposter that marks nothing.
    public static let disabled = OSSignposter()

    /// Creates a signposter for the app.
    public init() {}
    /// Creates a signposter for a category of a subsystem.
    public init(subsystem: String, category: String) {}
    /// Creates a signposter for a category of a subsystem.
    public init(subsystem: String, category: OSLog.Category) {}
    /// Creates a signposter for the category of a log.
    public init(logHandle: OSLog) {}
    /// Creates a signposter for the category of a logger.
    public init(logger: Logger) {}

    /// Whether signposts are recorded: `false`, because no tool records them here.
    public var isEnabled: Bool { false }

    /// Returns a new identifier.
    public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: .default) }
    /// Returns the identifier of an object.
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
    ///
    /// - Returns: The result of `task`.
    public func withIntervalSignpost<Result>(
        _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> Result
    ) rethrows -> Result { try task() }

    /// Calls `task` as an interval.
    ///
    /// - Returns: The result of `task`.
    public func withIntervalSignpost<Result>(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: OSLogMessage,
        around task: () throws -> Result
    ) rethrows -> Result { try task() }
}

// The name is Apple's.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Marks an event, or the beginning or end of an interval, for a tool.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Marks an event, or the beginning or end of an interval, for a tool.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: any OSLogArgument...
) {}
