package import ApusDevice
import CProcessClock
public import Foundation

/// The protection of the files of an app in its own process: what the lock of the device closes cannot be opened there.
///
/// The app's process reads the lock from a file of the device, and the classes of its files from a folder beside it.
enum FileProtection {
    static let warning = "the app's files cannot be protected in this program: they can be opened on a locked device"

    private static let folder = "protection"

    /// In the app's process: files that the lock closes cannot be opened from now on.
    ///
    /// - Returns: False if that is not possible.
    static func begin() -> Bool {
        guard let home = ProcessInfo.processInfo.environment["HOME"] else { return false }
        let root = URL(filePath: home, directoryHint: .isDirectory).deletingLastPathComponent()
        func path(_ name: String) -> String { root.appending(path: name).path(percentEncoded: false) }
        return file_protection_begin(
            root.path(percentEncoded: false), path("\(folder)/lock"), path("\(folder)/classes")) == 0
    }

    fileprivate static func lockFile(of containers: AppContainers) throws -> URL {
        try containers.folder(folder).appending(path: "lock")
    }

    fileprivate static func makeClassFolder(of containers: AppContainers) throws {
        _ = try containers.folder("\(folder)/classes")
    }
}

extension AppContainers {
    /// Before the app's first process: its files have that protection, unless they are given another.
    ///
    /// - Throws: What making a file throws.
    func beginProtection(_ standard: AppManifest.DataProtection, _ state: ProtectedDataState) throws {
        try FileProtection.makeClassFolder(of: self)
        let file = try FileProtection.lockFile(of: self)
        // Written in its place, since a process has mapped the file.
        if !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) {
            try Data([0, 0]).write(to: file)
        }
        let bytes = Data([UInt8(state.rawValue), UInt8(standard.number.rawValue)])
        let handle = try FileHandle(forUpdating: file)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    /// Other files can be opened from now on. Without a process there is nothing to change: the next one begins with it.
    func protect(_ state: ProtectedDataState) {
        guard let file = try? FileProtection.lockFile(of: self), let handle = try? FileHandle(forUpdating: file) else {
            return
        }
        try? handle.write(contentsOf: Data([UInt8(state.rawValue)]))
        try? handle.close()
    }
}

extension AppManifest.DataProtection {
    fileprivate var number: protection_class {
        switch self {
        case .none: protection_class_none
        case .completeUntilFirstUserAuthentication: protection_class_until_first_unlock
        case .completeUnlessOpen: protection_class_unless_open
        case .complete: protection_class_complete
        }
    }
}

extension FileManager {
    /// Gives a file of the app a protection class: it can be opened as long as the lock of the device does not close it, and
    /// opening it fails with `EPERM` otherwise.
    ///
    /// The compiler prefers this method for a dictionary that has nothing but the protection; Foundation's own has no effect
    /// on it. In the test's process it has no effect either, and logs a warning.
    ///
    /// Apple, documentation/foundation/fileprotectiontype
    ///
    /// - Parameters:
    ///   - attributes: `[.protectionKey: …]`.
    ///   - path: The file.
    /// - Throws: `CocoaError` when there is no such file.
    public func setAttributes(
        _ attributes: [FileAttributeKey: FileProtectionType], ofItemAtPath path: String
    ) throws {
        guard let type = attributes[.protectionKey] else { return }
        guard let protection = AppManifest.DataProtection(rawValue: type.rawValue) else {
            return SimulatedPhone.process.host.warn("the protection \(type.rawValue) is not simulated")
        }
        switch file_protection_set(path, protection.number) {
        case 0: break
        case ENOTSUP: SimulatedPhone.process.host.warn(FileProtection.warning)
        case ENOENT: throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: path])
        default: throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
        }
    }

    /// Creates a file of a protection class; see ``setAttributes(_:ofItemAtPath:)``.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - data: Its content.
    ///   - attributes: `[.protectionKey: …]`.
    /// - Returns: False if it could not be made.
    public func createFile(
        atPath path: String, contents data: Data?, attributes: [FileAttributeKey: FileProtectionType]
    ) -> Bool {
        guard createFile(atPath: path, contents: data) else { return false }
        do {
            try setAttributes(attributes, ofItemAtPath: path)
            return true
        } catch { return false }
    }
}
