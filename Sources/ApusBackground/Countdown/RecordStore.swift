public import ApusTimers

/// Stores small records that must survive the process, such as the stop instant of a countdown.
///
/// A save has taken effect when it returns, and replaces the old record entirely or not at all. The functions may be
/// called from any thread.
public protocol RecordStore: Sendable {
    /// Returns the record of `key`; `nil` if there is none.
    ///
    /// - Throws: An error if the stored record cannot be read.
    func load<Record: Codable & Sendable>(_ type: Record.Type, for key: String) throws -> Record?

    /// Saves `record` under `key`; `nil` removes it.
    ///
    /// - Throws: An error if the record cannot be stored; the old record is then unchanged.
    func save<Record: Codable & Sendable>(_ record: Record?, for key: String) throws
}

/// Keeps records in memory, for tests and for records that need not survive the process.
public final class MemoryRecordStore: RecordStore {
    private let records = Locked<[String: any Sendable]>([:])

    /// Creates a store without records.
    public init() {}

    /// The keys of all records, sorted.
    public var keys: [String] { records.withLock { $0.keys.sorted() } }

    /// Returns the record of `key`; `nil` if there is none.
    ///
    /// - Throws: ``BackgroundError`` with the code `storeFailed` if the record has another type.
    public func load<Record: Codable & Sendable>(_ type: Record.Type, for key: String) throws -> Record? {
        guard let record = records.withLock({ $0[key] }) else { return nil }
        guard let typed = record as? Record else {
            throw BackgroundError(
                code: .storeFailed, message: "the record “\(key)” is a \(Swift.type(of: record)), not a \(type)")
        }
        return typed
    }

    /// Saves `record` under `key`; `nil` removes it.
    public func save<Record: Codable & Sendable>(_ record: Record?, for key: String) throws {
        records.withLock { $0[key] = record }
    }
}

/// Loads and saves one record, with errors that name its owner.
struct RecordKeeper<Record: Codable & Sendable>: Sendable {
    let store: any RecordStore
    let key: String
    /// The word for the owner in messages: “countdown” or “stopwatch”.
    let kind: String

    func load() throws(BackgroundError) -> Record? {
        do {
            return try store.load(Record.self, for: key)
        } catch {
            throw BackgroundError(
                code: .storeFailed,
                message:
                    "the record of the \(kind) “\(key)” cannot be read; restore the data of its store, or remove the record "
                    + "with save(nil, for: \"\(key)\") to start over",
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

/// The encoding of values in records, with durations in whole nanoseconds and a version that allows later changes.
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
    /// Decodes a duration, which must not be negative.
    ///
    /// - Throws: `DecodingError` if it is negative.
    package func decode(_: Duration.Type, forKey key: Key) throws -> Duration {
        let nanoseconds = try decode(Int64.self, forKey: key)
        guard nanoseconds >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(nanoseconds) ns is negative")
        }
        return .nanoseconds(nanoseconds)
    }
}

/// An instant that outlives the process, on the wall clock and on the continuous clock of one boot.
///
/// Within this boot the continuous clock decides, so setting the wall clock does not move the instant. After a restart
/// of the machine, the instant is known on the wall clock only.
public struct StoredInstant: Sendable, Hashable {
    /// The instant on the wall clock.
    public var wall: WallInstant
    /// The boot whose continuous clock ``continuous`` refers to; `nil` if the host did not know it.
    public var boot: String?
    /// The instant on the continuous clock of that boot.
    public var continuous: ContinuousInstant

    /// Creates an instant from its readings on both clocks.
    public init(wall: WallInstant, boot: String?, continuous: ContinuousInstant) {
        self.wall = wall
        self.boot = boot
        self.continuous = continuous
    }

    /// Returns the time from `now` to this instant; negative if it has passed.
    func duration(from now: HostReading) -> Duration {
        if let boot, boot == now.boot { return now.continuous.duration(to: continuous) }
        return now.wall.duration(to: wall)
    }
}
