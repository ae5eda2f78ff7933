import ApusTimers
import Logging

/// Keeps what is logged: "level message", with the metadata by key.
final class NoticeLog: Sendable {
    fileprivate let lines = Locked<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: NoticeLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            log.lines.withLock { $0.append("\(event.level) \(event.message)\(metadata.joined())") }
        }
    }
}
