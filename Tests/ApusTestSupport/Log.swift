package import ApusBackground
import ApusTimers
package import Logging

/// A list of entries in the order of their addition, which may be used from any thread.
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
    /// A logger that adds entries of the form `level message key=value`, with the keys sorted.
    package var logger: Logger { Logger { self.add("\($0.level) \($0.text)") } }
}

extension Logger {
    package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Creates a logger that passes all events to a test.
    package init(_ take: @escaping @Sendable (LogEvent) -> Void) {
        self.init(label: "test") { _ in EventHandler(take: take) }
    }
}

extension LogEvent {
    /// The message, followed by the metadata in the order of the keys.
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
