import PlatformC

/// What a command has around it when its job does not say: the user's entry in the password database, and nothing of the
/// daemon's own environment, which holds whatever the shell had that happened to start it.
package struct CommandSurroundings: Sendable {
    /// Where programs are looked for.
    package static let defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    /// The working directory.
    package static let defaultFolder = "/"

    /// `HOME`, `USER`, `LOGNAME` and `SHELL`, as far as they are known, and `PATH`.
    package var variables: [String: String]

    /// The surroundings of the user of this process.
    package static func ofThisUser() -> Self {
        var variables = ["PATH": defaultPath]
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 64 * 1024)
        guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            return Self(variables: variables)
        }
        variables["HOME"] = text(entry.pw_dir)
        variables["USER"] = text(entry.pw_name)
        variables["LOGNAME"] = text(entry.pw_name)
        variables["SHELL"] = text(entry.pw_shell)
        return Self(variables: variables)
    }

    private static func text(_ field: UnsafeMutablePointer<CChar>?) -> String? {
        guard let field, field.pointee != 0 else { return nil }
        return String(cString: field)
    }
}
