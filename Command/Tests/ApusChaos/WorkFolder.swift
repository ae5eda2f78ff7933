import ApusTestSupport
import Foundation

/// A folder for all files of one run, removed with its servers and nodes however this process ends.
///
/// A script removes it. The script reads from a pipe to which only this process writes, so it notices the end of this
/// process.
final class WorkFolder: Sendable {
    let path: String
    /// The user that runs the servers; PostgreSQL refuses to run as root.
    let user: String
    private let keeper: Child
    private let input: Int32

    init() throws {
        var template = Array((FileManager.default.temporaryDirectory.path + "/apus-chaos-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure("no temporary folder can be made (\(String(cString: strerror(errno))))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let own = try Shell.run(["id", "-un"]).trimmingCharacters(in: .whitespacesAndNewlines)
        let hasPostgres = (try? Shell.run(["id", "postgres"])) != nil
        user = getuid() != 0 ? own : hasPostgres ? "postgres" : "nobody"
        let pipe = try PrivatePipe()
        // The script has a separate session, because a signal to this program's process group must not end it.
        keeper = try Child(["setsid", "/bin/sh", "-c", Self.script, "chaos", path], input: pipe.reader)
        close(pipe.reader)
        input = pipe.writer
        // The user that runs the servers must be able to reach its folders, which are in this one. All other folders
        // belong to the user of this process, because a daemon trusts only folders of its own user.
        guard chmod(path, 0o711) == 0 else { throw Failure("\(path): \(String(cString: strerror(errno)))") }
    }

    /// Removes everything and waits until it is removed.
    func remove() {
        close(input)
        _ = keeper.wait()
    }

    /// Records a process that is to be killed when this one ends.
    func note(_ process: Int32) {
        let line = "\(process)\n"
        _ = write(input, line, line.utf8.count)
    }

    @discardableResult
    func asUser(_ command: [String], seconds: Int = 60) throws -> String {
        guard getuid() == 0 else { return try Shell.run(command, seconds: seconds) }
        let group = try Shell.run(["id", "-g", user]).trimmingCharacters(in: .whitespacesAndNewlines)
        return try Shell.run(
            ["env", "-C", path, "setpriv", "--reuid=\(user)", "--regid=\(group)", "--clear-groups", "--"] + command,
            seconds: seconds)
    }

    /// The script's text; `$1` is the folder.
    private static let script = #"""
        trap '' PIPE HUP INT TERM
        folder=$1
        processes=
        while read -r process; do processes="$processes $process"; done
        for process in $processes; do
            # The number may be another process's by now; a node's arguments name the folder.
            if tr '\0' ' ' <"/proc/$process/cmdline" 2>/dev/null | grep -qF "$folder"; then kill -9 "$process"; fi
        done
        for file in "$folder"/*/data/postmaster.pid; do
            [ -e "$file" ] && kill -QUIT "$(head -n 1 "$file")"
        done
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            ls "$folder"/*/data/postmaster.pid >/dev/null 2>&1 || break
            sleep 0.5
        done
        for mount in "$folder"/*; do mountpoint -q "$mount" && umount -l "$mount"; done
        rm -rf "$folder"
        """#
}
