import ApusBackground
import ApusVirtualTime

/// An app's records as one process of it sees them: what an ended process saves is discarded.
struct ProcessStorage: RecordStore {
    let records: MemoryRecordStore
    let process: VirtualProcess

    func load<Record: Codable & Sendable>(_ type: Record.Type, for key: String) throws -> Record? {
        try records.load(type, for: key)
    }

    func save<Record: Codable & Sendable>(_ record: Record?, for key: String) throws {
        guard !process.isEnded else {
            throw BackgroundError(.storeFailed, "“\(key)” is not saved, because the process has ended")
        }
        try records.save(record, for: key)
    }
}
