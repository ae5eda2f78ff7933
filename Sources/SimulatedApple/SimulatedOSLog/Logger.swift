/// A logger that writes messages into the device's log, each as the line `[CATEGORY LEVEL] TEXT` of the app.
///
/// Debug messages and traces are not written. All methods may be called from any thread.
public struct Logger: Sendable {
    private let log: OSLog

    /// Creates a logger without a subsystem.
    public init() { log = .default }
    /// Creates the logger of a log.
    public init(_ logObj: OSLog) { log = logObj }
    /// Creates the logger of a category of a subsystem.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// Writes a message of the level `default`.
    public func log(_ message: OSLogMessage) { log.write(message.text, .default) }
    /// Writes a message of the given level.
    public func log(level: OSLogType, _ message: OSLogMessage) { log.write(message.text, level) }
    /// Writes nothing, like ``debug(_:)``.
    public func trace(_ message: OSLogMessage) { log.write(message.text, .debug) }
    /// Writes nothing, because a phone does not keep such messages.
    public func debug(_ message: OSLogMessage) { log.write(message.text, .debug) }
    /// Writes a message of the level `info`.
    public func info(_ message: OSLogMessage) { log.write(message.text, .info) }
    /// Writes a message of the level `default`.
    public func notice(_ message: OSLogMessage) { log.write(message.text, .default) }
    /// Writes a message of the level `error`.
    public func warning(_ message: OSLogMessage) { log.write(message.text, .error) }
    /// Writes a message of the level `error`.
    public func error(_ message: OSLogMessage) { log.write(message.text, .error) }
    /// Writes a message of the level `fault`.
    public func critical(_ message: OSLogMessage) { log.write(message.text, .fault) }
    /// Writes a message of the level `fault`.
    public func fault(_ message: OSLogMessage) { log.write(message.text, .fault) }
}
