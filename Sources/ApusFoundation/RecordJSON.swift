import ApusBackground
import Foundation

/// Encodes records as JSON.
///
/// The keys are sorted, so equal records have equal bytes.
enum RecordJSON {
    /// Returns the JSON of a record.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` if the record cannot be encoded as JSON.
    static func encode(_ record: some Encodable, for key: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do { return try encoder.encode(record) } catch {
            throw BackgroundError(
                code: .storeFailed, message: "the record “\(key)” cannot be written as JSON", cause: error)
        }
    }
}
