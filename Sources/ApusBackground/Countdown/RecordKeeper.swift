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
