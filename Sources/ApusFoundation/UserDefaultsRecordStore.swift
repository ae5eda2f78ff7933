public import ApusBackground
import ApusTimers
public import Foundation

/// Records in an app's user defaults, as JSON data under a prefix and the key.
///
/// Handy for an app that has no folder of its own. The system writes defaults to the disk when it likes: what was saved
/// shortly before a kill or a power cut may be lost. Where that matters, use ``FileRecordStore``.
///
/// May be used from any thread.
public final class UserDefaultsRecordStore: RecordStore, @unchecked Sendable {
    // For `@unchecked Sendable`: `defaults` is used under `lock` only, and is documented as thread-safe besides.
    private let defaults: UserDefaults
    private let prefix: String
    private let lock = Locked(())

    /// A store in `defaults`.
    ///
    /// - Parameters:
    ///   - defaults: Where the records are kept.
    ///   - prefix: What the names of the defaults begin with.
    public init(_ defaults: UserDefaults = .standard, prefix: String = "apus.") {
        self.defaults = defaults
        self.prefix = prefix
    }

    /// The record under `key`; `nil` when there is none.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` when something else is there.
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
                    "the default “\(name)” is damaged or holds something else; remove it to begin anew, or give the store "
                    + "another prefix",
                cause: error)
        }
    }

    /// Keeps `record` under `key`; `nil` removes it.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` when the record cannot be written as JSON.
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
