import ApusDevice
import ApusTimers
public import Foundation

/// The folders of an installed app: its home, which contains the temporary files, and the folders of its app groups.
///
/// Each folder is created when it is first needed. The folders outlive the app's processes, and are removed with the
/// installation.
final class AppContainers: Sendable {
    private let root = Locked<URL?>(nil)

    deinit {
        if let root = root.withLock({ $0 }) { try? FileManager.default.removeItem(at: root) }
    }

    /// Returns the environment variables with which the processes of the app find their folders.
    ///
    /// - Returns: The variables, which name the home and the folder for temporary files.
    /// - Throws: ``AppProcessError`` or an error of the file system if a folder cannot be created.
    func variables() throws -> [String: String] {
        let home = try folder("home")
        let temporary = home.appending(path: "tmp", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        let path = home.path(percentEncoded: false)
        let values = [path, path, path + ".config", temporary.path(percentEncoded: false)]
        return Dictionary(uniqueKeysWithValues: zip(Self.variableNames, values))
    }

    static let variableNames = ["HOME", "CFFIXED_USER_HOME", "XDG_CONFIG_HOME", "TMPDIR"]

    /// Returns the folder of an app group.
    ///
    /// - Returns: `nil` if the app does not declare the group, or the folder cannot be created.
    func group(_ group: String, of manifest: AppManifest) -> URL? {
        manifest.appGroups.contains(group) && !group.contains("/") ? try? folder("groups/\(group)") : nil
    }

    /// Returns the files of app groups whose locks make the system end the process when it is suspended.
    ///
    /// Each path in the result begins with the group, and the paths are sorted.
    ///
    /// Every advisory lock counts, except a shared lock of a SQLite database with a write-ahead log, because each open
    /// connection of such a database has one. The system recognizes such a database by its header, so a database with
    /// an encrypted header is not exempt. Sources: github.com/Tencent/wcdb/issues/847 (the app's own container, and the
    /// system's message), github.com/sqlcipher/sqlcipher/issues/255 (the header),
    /// github.com/singular-labs/Singular-iOS-SDK/issues/85 (a statement that was not reset keeps a shared lock).
    func groupFiles(lockedBy pid: pid_t) -> [String] {
        guard let root = root.withLock({ $0 }) else { return [] }
        let groups = root.resolvingSymlinksInPath().path(percentEncoded: false) + "groups/"
        let process = "/proc/\(pid)"
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: process + "/fdinfo")) ?? []
        let files = descriptors.compactMap { descriptor -> String? in
            guard
                let file = try? FileManager.default.destinationOfSymbolicLink(atPath: process + "/fd/" + descriptor),
                file.hasPrefix(groups),
                let info = try? String(contentsOfFile: process + "/fdinfo/" + descriptor, encoding: .utf8)
            else { return nil }
            // Linux, proc_pid_fdinfo(5): each lock of an open file has a line.
            let locks = info.split(separator: "\n").filter { $0.hasPrefix("lock:") }
            let counts = locks.contains { $0.contains(" WRITE ") } || !locks.isEmpty && !Self.isWriteAheadLogged(file)
            return counts ? String(file.dropFirst(groups.count)) : nil
        }
        return Set(files).sorted()
    }

    /// Returns whether the file is a SQLite database with a write-ahead log, or the shared memory of one.
    ///
    /// SQLite, "Database File Format", 1.3: the header begins with a fixed text, and bytes 18 and 19 are 2 for a
    /// write-ahead log.
    private static func isWriteAheadLogged(_ file: String) -> Bool {
        let database = file.hasSuffix("-shm") ? String(file.dropLast(4)) : file
        guard let header = try? FileHandle(forReadingFrom: URL(filePath: database)).read(upToCount: 20) else {
            return false
        }
        return header.starts(with: Data("SQLite format 3\0".utf8)) && header.dropFirst(18) == Data([2, 2])
    }

    func folder(_ name: String) throws -> URL {
        let url = try root.withLock { root in
            let made = try root ?? Self.makeRoot()
            root = made
            return made
        }
        .appending(path: name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    private static func makeRoot() throws -> URL {
        let parent = FileManager.default.temporaryDirectory
        var template = Array(parent.appending(path: "apus-app-XXXXXX").path(percentEncoded: false).utf8CString)
        guard mkdtemp(&template) != nil else {
            let why = String(cString: strerror(errno))
            throw AppProcessError.cannotStart(
                "a folder could not be created in \(parent.path(percentEncoded: false)): \(why)")
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return URL(filePath: path, directoryHint: .isDirectory)
    }
}

extension FileManager {
    /// Returns the folder that the apps of a group share, which is created when it is first requested and outlives the
    /// app's processes.
    ///
    /// Source: Apple, documentation/foundation/filemanager/containerurl(forsecurityapplicationgroupidentifier:)
    ///
    /// - Parameter groupIdentifier: The group, which the manifest must declare (`ApusDevice.AppManifest.appGroups`).
    /// - Returns: `nil` if the app does not declare the group.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        SimulatedPhone.process.groupContainer(groupIdentifier)
    }
}
