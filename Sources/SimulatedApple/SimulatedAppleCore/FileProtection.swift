import ApusDevice
import CProcessClock
public import Foundation

/// Protects an app's files, so that a process of the app's own cannot open the files that the device's lock closes.
///
/// The app's process reads the state of the lock from a file that the device writes. The protection classes of the
/// app's files are in a folder beside that file.
enum FileProtection {
    static let warning = "the app's files cannot be protected in this program, so they can be opened on a locked device"

    private static let folder = "protection"

    /// Begins the protection in the app's process: from now on, files that the lock closes cannot be opened.
    ///
    /// - Returns: `false` if that is not possible.
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
    /// Prepares the protection for a process of the app that is about to start.
    ///
    /// - Parameters:
    ///   - standard: The protection of the files that were given no class of their own.
    ///   - state: The present state of the lock.
    /// - Throws: The error of the file system if a file cannot be created or written.
    func beginProtection(_ standard: AppManifest.DataProtection, _ state: ProtectedDataState) throws {
        try FileProtection.makeClassFolder(of: self)
        let file = try FileProtection.lockFile(of: self)
        // The file is changed in place, because a process may have mapped it.
        if !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) {
            try Data([0, 0]).write(to: file)
        }
        let bytes = Data([UInt8(state.rawValue), UInt8(standard.number.rawValue)])
        let handle = try FileHandle(forUpdating: file)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    /// Changes the state of the lock, also for a running process.
    ///
    /// Before the first process there is no file to change; ``beginProtection(_:_:)`` writes the state then.
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
    /// Gives a file of the app a protection class.
    ///
    /// While the lock of the device closes files of the class, opening the file fails with `EPERM`.
    ///
    /// The compiler prefers this method to Foundation's for a dictionary that has nothing but the protection.
    /// Foundation's method has no effect on the protection. In the test's process, this method has no effect either,
    /// and the device's log gets a warning.
    ///
    /// Source: Apple, documentation/foundation/fileprotectiontype
    ///
    /// - Parameters:
    ///   - attributes: `[.protectionKey: …]`.
    ///   - path: The file.
    /// - Throws: `CocoaError` with the code `fileNoSuchFile` if there is no such file, `fileWriteNoPermission` if the
    ///   lock of the device closes the file, or would close a new file of the class (the second case is a choice of the
    ///   simulation), and `fileWriteUnknown` for other errors.
    public func setAttributes(
        _ attributes: [FileAttributeKey: FileProtectionType], ofItemAtPath path: String
    ) throws {
        guard let type = attributes[.protectionKey] else { return }
        guard let protection = AppManifest.DataProtection(rawValue: type.rawValue) else {
            return SimulatedPhone.process.host.warn("the file protection \(type.rawValue) is not simulated")
        }
        switch file_protection_set(path, protection.number) {
        case 0: break
        case ENOTSUP: SimulatedPhone.process.host.warn(FileProtection.warning)
        case ENOENT: throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: path])
        case EPERM: throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path])
        default: throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
        }
    }

    /// Creates a file, and gives it a protection class; see ``setAttributes(_:ofItemAtPath:)``.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - data: The content of the file.
    ///   - attributes: `[.protectionKey: …]`.
    /// - Returns: `false` if the file was not created, or was not given the class.
    public func createFile(
        atPath path: String, contents data: Data?, attributes: [FileAttributeKey: FileProtectionType]
    ) -> Bool {
        let protection = attributes[.protectionKey].flatMap { AppManifest.DataProtection(rawValue: $0.rawValue) }
        if let protection, file_protection_check(protection.number) == EPERM { return false }
        guard createFile(atPath: path, contents: data) else { return false }
        do {
            try setAttributes(attributes, ofItemAtPath: path)
            return true
        } catch { return false }
    }
}
