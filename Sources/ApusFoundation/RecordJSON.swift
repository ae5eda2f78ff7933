import ApusBackground
import Foundation

/// The JSON of records. Its keys are sorted, so that equal records have equal bytes.
enum RecordJSON {
    /// - Throws: `BackgroundError` with the code `storeFailed` when the record cannot be written as JSON.
    static func encode(_ record: some Encodable, for key: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do { return try encoder.encode(record) } catch {
            throw BackgroundError(
                code: .storeFailed, message: "the record “\(key)” cannot be written as JSON", cause: error)
        }
    }
}
