import ApusTimers

/// Where small records live that must survive the process: a countdown's stop instant, a stopwatch's start.
///
/// Saving has taken effect when it returns, and replaces the old record as a whole or not at all. May be called from
/// any thread.
public protocol RecordStore: Sendable {
    /// The record under `key`; `nil` when there is none.
    ///
    /// - Throws: When what is stored cannot be read.
    func load<Record: Codable & Sendable>(_ type: Record.Type, for key: String) throws -> Record?

    /// Keeps `record` under `key`; `nil` removes it.
    func save<Record: Codable & Sendable>(_ record: Record?, for key: String) throws
}

/// Records in memory: for tests, and for what need not survive.
public final class MemoryRecordStore: RecordStore {
    private let records = Locked<[String: any Sendable]>([:])

    /// A store without records.
    public init() {}

    /// The keys that have a record, sorted.
    public var keys: [String] { records.withLock { $0.keys.sorted() } }

    /// The record under `key`.
    ///
    /// - Throws: ``BackgroundError`` with the code `storeFailed` when there is a record of another type.
    public func load<Record: Codable & Sendable>(_ type: Record.Type, for key: String) throws -> Record? {
        guard let record = records.withLock({ $0[key] }) else { return nil }
        guard let typed = record as? Record else {
            throw BackgroundError(
                code: .storeFailed, message: "the record “\(key)” is a \(Swift.type(of: record)), not a \(type)")
        }
        return typed
    }

    /// Keeps `record` under `key`; `nil` removes it.
    public func save<Record: Codable & Sendable>(_ record: Record?, for key: String) throws {
        records.withLock { $0[key] = record }
    }
}
