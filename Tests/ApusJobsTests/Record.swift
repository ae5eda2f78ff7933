import ApusTimers

/// What happened, in order, from any thread.
final class Record<Entry: Sendable>: Sendable {
    private let entries = Locked<[Entry]>([])
    var all: [Entry] { entries.withLock { $0 } }
    func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}
