public import ApusBackground
public import Foundation
import PlatformC
import Synchronization

/// A store that keeps each record in a JSON file of a folder.
///
/// A record is written to a temporary file in the same folder, forced to the disk, and renamed over the old file. The
/// file therefore contains the old record or the new one, never a part of either, whenever the process or the machine
/// stops, and a saved record survives a power failure. (POSIX: `rename` replaces the old file in one step.)
///
/// The store may be used from any thread, and by several processes: the last save of a key wins. The temporary file of
/// a process that was killed during a save is removed when the next store of the folder is created.
public struct FileRecordStore: RecordStore {
    /// The folder that contains the files.
    public let folder: URL

    /// The number of temporary files that this process has created.
    ///
    /// Together with the process identifier, the number makes the names of the files unique.
    private static let temporaryFiles = Atomic(0)
    private static let temporaryExtension = "new"

    /// Creates a store in a folder, which is created with all missing folders above it if it does not exist.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` if the folder cannot be created or the path is not a
    ///   folder; `invalidArgument` if the URL is not a file URL.
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

    /// Creates a store in the folder at a path, as ``init(folder:)`` does.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` if the folder cannot be created or the path is not a
    ///   folder.
    public init(path: String) throws(BackgroundError) {
        try self.init(folder: URL(fileURLWithPath: path, isDirectory: true))
    }

    /// Returns the file of a key.
    ///
    /// In its name, lowercase ASCII letters, digits, `-`, `_` and `.` are unchanged, except a `.` at the beginning. All
    /// other bytes are percent-encoded, also uppercase letters, because some file systems do not distinguish case.
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

    /// Returns the record of `key`; `nil` if there is no file.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` if the file cannot be read or does not contain such a
    ///   record.
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
                    + "start over",
                cause: error)
        }
    }

    /// Saves `record` under `key`; `nil` removes the file.
    ///
    /// The record is on the disk when this function returns.
    ///
    /// - Throws: `BackgroundError` with the code `storeFailed` if the record cannot be written. The old record is then
    ///   unchanged, with one exception: the last step forces the folder to the disk, and if only that step fails, the
    ///   new record is in place, but may not survive a power failure.
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

    /// Removes the temporary files of processes that no longer exist.
    ///
    /// Errors are ignored, because a remaining file does no harm.
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
