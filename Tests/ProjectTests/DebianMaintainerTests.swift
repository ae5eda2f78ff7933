import Foundation
import Testing

/// Tests only the script that chooses the maintainer's name, because `make deb` takes minutes.
@Suite("The maintainer of the Debian package")
struct DebianMaintainerTests {
    /// Runs the script with these variables, and with a git whose configuration is only the text `git`.
    private func maintainer(
        _ variables: [String: String], git: String = "", _ arguments: [String] = ["--print-maintainer"]
    ) throws -> (status: Int32, output: String) {
        let configuration = FileManager.default.temporaryDirectory.appending(path: "gitconfig-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: configuration) }
        try git.write(to: configuration, atomically: true, encoding: .utf8)
        let environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "GIT_DIR": "/nonexistent",
            "GIT_CONFIG_GLOBAL": configuration.path, "GIT_CONFIG_NOSYSTEM": "1",
        ].merging(variables) { $1 }
        return try ProjectFiles.run("Scripts/deb", arguments, environment: environment)
    }

    private static let git = "[user]\n\tname = Git Name\n\temail = git@example.org\n"

    @Test(
        "DEB_MAINTAINER precedes Debian's variables, and these precede git's configuration",
        arguments: [
            (
                ["DEB_MAINTAINER": "Ann Lee <ann@example.org>", "DEBEMAIL": "b@example.org"],
                "Ann Lee <ann@example.org>"
            ),
            (["DEBFULLNAME": "Bob", "DEBEMAIL": "bob@example.org"], "Bob <bob@example.org>"),
            (["DEBEMAIL": "Bob B <bob@example.org>"], "Bob B <bob@example.org>"),
            (["DEBFULLNAME": "Robert", "DEBEMAIL": "Bob B <bob@example.org>"], "Robert <bob@example.org>"),
            (["DEBEMAIL": "bob@example.org"], "Git Name <bob@example.org>"),
            (["DEBFULLNAME": "Bob"], "Bob <git@example.org>"),
            ([:], "Git Name <git@example.org>"),
        ])
    func order(variables: [String: String], expected: String) throws {
        let answer = try maintainer(variables, git: Self.git)
        #expect(answer.status == 0 && answer.output == expected + "\n", "\(answer)")
    }

    @Test(
        "without a name and an address on one line there is no package, and the message says what to set",
        arguments: [
            [:], ["DEBFULLNAME": "Bob"], ["DEBEMAIL": "bob@example.org"], ["DEB_MAINTAINER": "Ann"],
            ["DEB_MAINTAINER": "<ann@example.org>"], ["DEB_MAINTAINER": "Ann <ann>"],
            ["DEB_MAINTAINER": "Ann <ann@example.org>\nDepends: more"],
        ])
    func refused(variables: [String: String]) throws {
        // The script must refuse before anything is built; otherwise the test would take minutes.
        let answer = try maintainer(variables, [])
        #expect(answer.status == 1, "\(answer)")
        #expect(answer.output.contains("DEB_MAINTAINER=\"NAME <ADDRESS>\""), "\(answer)")
        #expect(answer.output.contains("DEBFULLNAME and DEBEMAIL"), "\(answer)")
    }
}
