public import ApusBackground
import ApusTimers
public import Foundation

/// A store that keeps each record as JSON data in an app's user defaults, under a name that is a prefix followed by the
/// key.
///
/// It suits an app without a folder of its own. The system decides when it writes defaults to the disk, so a record
/// that was saved shortly before a kill or a power failure may be lost. Use ``FileRecordStore`` where this matters.
///
/// The store may be used from any thread.
public final class UserDefaultsRecordStore: RecordStore, @unchecked Sendable {
    // The class is `@unchecked Sendable` because `UserDefaults` is documented as thread-safe. In addition, `defaults`
    // is used only under `lock`.
    private let defaults: UserDefaults
    private let prefix: String
    private let lock = Locked(())

    /// Creates a store in `defaults`.
    ///
    /// - Parameters:
    ///   - defaults: The user defaults that contain the records.
    ///   - prefix: The prefix of the names of the defaults.
    public init(_ defaults: UserDefaults = .standard, prefix: String = "apus.") {
        self.defaults = defaults
        self.prefix = prefix
    }

    /// Returns the record of `key`; `nil` if there is none.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` if the default is not a record of this type.
    public func load<Record: Codable & Sendable>(_ type: Record.Type, for key: String) throws -> Record? {
        let name = prefix + key
        let (isThere, data) = lock.withLock { _ in
            (defaults.object(forKey: name) != nil, defaults.data(forKey: name))
        }
        guard isThere else { return nil }
        do {
            guard let data else {
                throw DecodingError.typeMismatch(
                    Data.self, DecodingError.Context(codingPath: [], debugDescription: "it is not data"))
            }
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw BackgroundError(
                code: .storeFailed,
                message:
                    "the default “\(name)” is damaged or holds something else; remove it to start over, or give the store "
                    + "another prefix",
                cause: error)
        }
    }

    /// Saves `record` under `key`; `nil` removes the stored record.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` if the record cannot be encoded as JSON.
    public func save<Record: Codable & Sendable>(_ record: Record?, for key: String) throws {
        let data = try record.map { try RecordJSON.encode($0, for: key) }
        lock.withLock { _ in
            if let data {
                defaults.set(data, forKey: prefix + key)
            } else {
                defaults.removeObject(forKey: prefix + key)
            }
        }
    }
}
