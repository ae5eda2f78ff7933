public import ApusBackground
public import Foundation
import PlatformC
import Synchronization

/// Records in a folder: a JSON file for each key.
///
/// A record is written to a temporary file beside it, forced to the disk, and renamed over the old one. So a file holds
/// the old record or the new one, never half of either, whenever the process or the machine stops; and what was saved
/// is there after a power cut. (POSIX: `rename` puts the new file in the old one's place in one step.)
///
/// May be used from any thread, and by several processes, of which the last one wins. A temporary file of a process
/// that is killed in the middle of a save, is removed when the next store for the folder is made.
public struct FileRecordStore: RecordStore {
    /// The folder of the files.
    public let folder: URL

    /// How many temporary files this process has made: with the process, their names.
    private static let temporaryFiles = Atomic(0)
    private static let temporaryExtension = "new"

    /// A store in a folder, which is created, with those above it, when it does not exist.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` when it cannot be created, or is no folder;
    ///   `invalidArgument` when the URL is not one of a file.
    public init(folder: URL) throws(BackgroundError) {
        self.folder = folder
        guard folder.isFileURL else {
            throw BackgroundError(
                code: .invalidArgument, message: "`folder` is “\(folder)”; pass the URL of a folder on this machine")
        }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw BackgroundError(
                code: .storeFailed,
                message:
                    "the folder “\(folder.path)” for records is not there and cannot be created; create it, or choose "
                    + "another one",
                cause: error)
        }
        removeLeftovers()
    }

    /// A store in the folder at a path; otherwise like ``init(folder:)``.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` when it cannot be created, or is no folder.
    public init(path: String) throws(BackgroundError) {
        try self.init(folder: URL(fileURLWithPath: path, isDirectory: true))
    }

    /// The file of a key. Small letters of the ASCII alphabet, digits, `-`, `_` and `.` stay (a leading `.` does not);
    /// everything else is percent-encoded, capitals too, because some file systems do not distinguish them.
    public func file(for key: String) -> URL {
        var name = ""
        for byte in key.utf8 {
            let character = Character(Unicode.Scalar(byte))
            let isPlain =
                byte < 0x80 && (character.isLowercase || character.isNumber || "-_".contains(character))
                || (character == "." && !name.isEmpty)
            let hex = String(byte, radix: 16, uppercase: true)
            name += isPlain ? String(character) : "%" + (hex.count < 2 ? "0" + hex : hex)
        }
        return folder.appendingPathComponent(name + ".json", isDirectory: false)
    }

    /// The record under `key`; `nil` when there is no file.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` when the file cannot be read, or holds something else.
    public func load<Record: Codable & Sendable>(_ type: Record.Type, for key: String) throws -> Record? {
        let file = file(for: key)
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            return nil
        } catch {
            throw BackgroundError(
                code: .storeFailed, message: "the file “\(file.path)” cannot be read; check its permissions",
                cause: error)
        }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw BackgroundError(
                code: .storeFailed,
                message:
                    "the file “\(file.path)” is damaged or holds something else; restore it from a backup, or delete it to "
                    + "begin anew",
                cause: error)
        }
    }

    /// Keeps `record` under `key`; `nil` removes the file. What was saved is on the disk when this returns.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` when it cannot be written. The old record is still
    ///   there then, unless the disk failed in the last step: then the new one is, but may not outlive a power cut.
    public func save<Record: Codable & Sendable>(_ record: Record?, for key: String) throws {
        let file = file(for: key)
        let data = try record.map { try RecordJSON.encode($0, for: key) }
        do {
            if let data {
                let number = Self.temporaryFiles.wrappingAdd(1, ordering: .relaxed).newValue
                let temporary = "\(file.path).\(getpid()).\(number).\(Self.temporaryExtension)"
                try AtomicFile.replace(file.path, with: data, by: temporary)
            } else {
                try AtomicFile.remove(file.path)
            }
            try AtomicFile.synchronizeFolder(folder.path)
        } catch {
            throw failure(file, error)
        }
    }

    /// Removes the temporary files of processes that are no more. What cannot be removed does no harm.
    private func removeLeftovers() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            let parts = name.split(separator: ".")
            guard parts.count >= 5, parts.last == Self.temporaryExtension[...], parts[parts.count - 4] == "json",
                let process = Int32(parts[parts.count - 3]), process > 0, kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try? AtomicFile.remove(folder.appendingPathComponent(name, isDirectory: false).path)
        }
    }

    private func failure(_ file: URL, _ cause: any Error) -> BackgroundError {
        BackgroundError(
            code: .storeFailed,
            message:
                "the file “\(file.path)” cannot be written; check that its folder is there and writable, and that the disk "
                + "is not full",
            cause: cause)
    }
}
