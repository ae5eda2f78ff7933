public import ApusTimers

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

/// One record in a store, and errors that say whose it is.
struct RecordKeeper<Record: Codable & Sendable>: Sendable {
    let store: any RecordStore
    let key: String
    /// “countdown” or “stopwatch”.
    let kind: String

    func load() throws(BackgroundError) -> Record? {
        do {
            return try store.load(Record.self, for: key)
        } catch {
            throw BackgroundError(
                code: .storeFailed,
                message:
                    "the record of the \(kind) “\(key)” cannot be read; put back what its store held, or remove the record "
                    + "with save(nil, for: \"\(key)\") to begin anew",
                cause: error)
        }
    }

    func save(_ record: Record?) throws(BackgroundError) {
        do {
            try store.save(record, for: key)
        } catch {
            throw BackgroundError(
                code: .storeFailed,
                message:
                    "the \(kind) “\(key)” cannot be stored, so nothing has changed; try again when its store can be written",
                cause: error)
        }
    }
}

/// How the values of records are written: whole nanoseconds, and a version for those who come later.
package enum RecordCoding {
    package static let version = 1

    package static func checkVersion<Key: CodingKey>(
        _ container: KeyedDecodingContainer<Key>, _ key: Key, of kind: String
    ) throws {
        let version = try container.decode(Int.self, forKey: key)
        guard version == Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container,
                debugDescription: "this version reads \(kind) records of version \(Self.version), not \(version)")
        }
    }
}

extension KeyedEncodingContainer {
    package mutating func encode(_ duration: Duration, forKey key: Key) throws {
        try encode(duration.wholeNanoseconds, forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// A duration that is not negative.
    package func decode(_: Duration.Type, forKey key: Key) throws -> Duration {
        let nanoseconds = try decode(Int64.self, forKey: key)
        guard nanoseconds >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(nanoseconds) ns is negative")
        }
        return .nanoseconds(nanoseconds)
    }
}

/// An instant that outlives the process: on the wall clock, and on the continuous one for as long as the machine runs.
///
/// Within one start of the machine the continuous clock decides, so setting the wall clock does not move the instant.
/// After a restart of the machine, only the wall clock is left.
public struct StoredInstant: Sendable, Hashable {
    /// The instant on the wall clock.
    public var wall: WallInstant
    /// Which start of the machine ``continuous`` is about; `nil` when the host did not know it.
    public var boot: String?
    /// The instant on the continuous clock of that start.
    public var continuous: ContinuousInstant

    /// An instant on both clocks.
    public init(wall: WallInstant, boot: String?, continuous: ContinuousInstant) {
        self.wall = wall
        self.boot = boot
        self.continuous = continuous
    }

    /// How far away it is; negative when it has passed.
    func duration(from now: HostReading) -> Duration {
        if let boot, boot == now.boot { return now.continuous.duration(to: continuous) }
        return now.wall.duration(to: wall)
    }
}
