import Foundation

/// The folder of an app that is installed as a program: its home and temporary files. It outlives the app's processes, and
/// is removed with the installation.
final class AppHome: Sendable {
    let url: URL

    init() throws {
        let root = FileManager.default.temporaryDirectory
        var template = Array(root.appending(path: "apus-app-XXXXXX").path(percentEncoded: false).utf8CString)
        guard mkdtemp(&template) != nil else {
            throw AppProcessError.cannotStart(
                "no folder can be made in \(root.path(percentEncoded: false)): \(String(cString: strerror(errno)))")
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        url = URL(filePath: path, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: temporaryFiles, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The files in here on which the process holds exclusive locks, as paths below the home, sorted.
    ///
    /// Rule: Linux, proc_pid_fdinfo(5): a line for each lock of an open file.
    func files(lockedBy pid: pid_t) -> [String] {
        let path = url.resolvingSymlinksInPath().path(percentEncoded: false)
        let root = path.hasSuffix("/") ? path : path + "/"
        let process = "/proc/\(pid)"
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: process + "/fdinfo")) ?? []
        let files = descriptors.compactMap { descriptor -> String? in
            guard
                let file = try? FileManager.default.destinationOfSymbolicLink(atPath: process + "/fd/" + descriptor),
                file.hasPrefix(root),
                let info = try? String(contentsOfFile: process + "/fdinfo/" + descriptor, encoding: .utf8),
                info.split(separator: "\n").contains(where: { $0.hasPrefix("lock:") && $0.contains("ADVISORY  WRITE") })
            else { return nil }
            return String(file.dropFirst(root.count))
        }
        return Set(files).sorted()
    }

    private var temporaryFiles: URL { url.appending(path: "tmp", directoryHint: .isDirectory) }

    /// What the app's processes find in their environment.
    var variables: [String: String] {
        let path = url.path(percentEncoded: false)
        let values = [path, path, path + ".config", temporaryFiles.path(percentEncoded: false)]
        return Dictionary(uniqueKeysWithValues: zip(Self.variableNames, values))
    }

    static let variableNames = ["HOME", "CFFIXED_USER_HOME", "XDG_CONFIG_HOME", "TMPDIR"]
}
