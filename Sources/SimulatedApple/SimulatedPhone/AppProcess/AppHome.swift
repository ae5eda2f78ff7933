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

    private var temporaryFiles: URL { url.appending(path: "tmp", directoryHint: .isDirectory) }

    /// What the app's processes find in their environment.
    var variables: [String: String] {
        let path = url.path(percentEncoded: false)
        return [
            "HOME": path, "CFFIXED_USER_HOME": path, "XDG_CONFIG_HOME": path + ".config",
            "TMPDIR": temporaryFiles.path(percentEncoded: false),
        ]
    }
}
