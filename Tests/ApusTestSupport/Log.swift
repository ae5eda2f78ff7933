package import ApusBackground
import ApusTimers
package import Logging

/// What happened, in order, from any thread.
package final class Log<Entry: Sendable>: Sendable {
    private let entries = Locked<[Entry]>([])

    package init() {}

    package var all: [Entry] { entries.withLock { $0 } }
    package func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }
    package func clear() { entries.withLock { $0 = [] } }
}

extension Log: BackgroundTimersDelegate where Entry == BackgroundTimers.Event {
    @MainActor package func backgroundTimers(named name: String, did event: BackgroundTimers.Event) { add(event) }
}

extension Log where Entry == String {
    /// Writes `level message key=value` here, with the keys sorted.
    package var logger: Logger { Logger { self.add("\($0.level) \($0.text)") } }
}

extension Logger {
    /// Writes nothing.
    package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Gives all events to a test.
    package init(_ take: @escaping @Sendable (LogEvent) -> Void) {
        self.init(label: "test") { _ in EventHandler(take: take) }
    }
}

extension LogEvent {
    /// The message, and the metadata by key.
    package var text: String {
        ([message.description] + (metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
            .joined(separator: " ")
    }
}

private struct EventHandler: LogHandler {
    let take: @Sendable (LogEvent) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { take(event) }
}
