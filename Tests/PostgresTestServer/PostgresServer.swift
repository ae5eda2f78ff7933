import Foundation
import Synchronization

/// A PostgreSQL server for tests, in its own folder and run by an unprivileged user.
///
/// A script starts and stops it, and removes the folder. The script reads from a pipe to which only this process
/// writes, so it notices the end of this process, whatever the cause.
package final class PostgresServer: Sendable {
    /// The server that most tests share.
    ///
    /// It has TLS, and the users `app` (with a password), `reader` (who may not create anything) and `encrypted` (who
    /// must use TLS).
    package static let shared = Task { try await PostgresServer.start(hasTLS: true) }

    /// The folder of the server's sockets and certificate.
    package let folder: String
    /// The port of the server's sockets.
    package let port: Int
    private let process: Process
    private let commands: FileHandle
    private let answers: FileHandle
    /// The serial queue on which commands are sent to the script and their answers are read.
    private let queue = DispatchQueue(label: "apus.tests.postgres")

    /// The password of `app`, `reader` and `encrypted`.
    package static let password = "pass word's/@:\\"

    package static func start(hasTLS: Bool) async throws -> PostgresServer {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "apus-postgres-\(ProcessInfo.processInfo.processIdentifier)-\(number())").path
        let programs = try programFolder()
        let server = try PostgresServer(
            folder: folder, port: freePort(), programs: programs, tls: hasTLS ? "tls" : "plain")
        try await server.expectReady("initdb and the first start")
        return server
    }

    private static let count = Atomic(0)
    private static func number() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }

    private init(folder: String, port: Int, programs: String, tls: String) throws {
        self.folder = folder
        self.port = port
        process = Process()
        let (input, output) = (Pipe(), Pipe())
        // setsid starts the script in a separate session, so that a signal to the process group of the tests does not
        // end it.
        process.executableURL = URL(filePath: "/usr/bin/setsid")
        // `--wait` makes setsid wait for the script, and so reap it when it has ended. As long as any ended child is
        // not reaped, Swift Testing does not notice the end of its own child.
        process.arguments = [
            "--wait", "/bin/sh", "-c", Self.script, "postgres", folder, "\(port)", programs, tls, Self.password,
        ]
        process.environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C"]
        process.standardInput = input
        process.standardOutput = output
        commands = input.fileHandleForWriting
        answers = output.fileHandleForReading
        try process.run()
    }

    /// Stops the server: `fast` ends all sessions, `immediate` simulates a crash.
    package func stop(_ mode: String) async throws { try await exchange("stop \(mode)") }
    /// Starts the server again.
    package func start() async throws { try await exchange("start") }

    private func exchange(_ command: String) async throws {
        try commands.write(contentsOf: Data("\(command)\n".utf8))
        try await expectReady(command)
    }

    private func expectReady(_ what: String) async throws {
        let line = await withCheckedContinuation { continuation in
            queue.async { [answers] in
                var line: [UInt8] = []
                while let byte = try? answers.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
                    line.append(byte)
                }
                continuation.resume(returning: String(decoding: line, as: UTF8.self))
            }
        }
        guard line == "ready" else { throw Failure(description: "PostgreSQL failed at \(what): \(line)") }
    }

    /// A failure of the server or of its script.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
        package init(description: String) { self.description = description }
    }

    private static func programFolder() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        guard let newest = versions.filter({ $0 >= 15 }).max() else {
            throw Failure(
                description: """
                    there is no PostgreSQL server of version 15 or later in \(root); install the Debian package \
                    postgresql (Scripts/bootstrap does)
                    """)
        }
        return "\(root)/\(newest)/bin"
    }

    /// Returns a port of 127.0.0.1 that was free a moment ago.
    package static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw Failure(description: "no port of 127.0.0.1 is free") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// The script of the server, with the parameters $1: the folder; $2: the port; $3: PostgreSQL's programs; $4: `tls`
    /// or `plain`; $5: the password.
    private static let script = #"""
        folder=$1 port=$2 programs=$3 tls=$4 password=$5
        # The end of the tests shows as the end of the input, also if it comes while an answer is written.
        trap '' PIPE HUP INT TERM
        # PostgreSQL does not run as root.
        user=$(id -un)
        if [ "$(id -u)" = 0 ]; then
            user=nobody
            if id postgres >/dev/null 2>&1; then user=postgres; fi
        fi
        as_user() {
            if [ "$(id -u)" = 0 ]; then
                setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups -- "$@"
            else
                "$@"
            fi
        }
        control() {
            as_user "$programs/pg_ctl" -D "$folder/data" -w -t 60 -l "$folder/server.log" -s "$@" \
                >>"$folder/log" 2>&1 </dev/null
        }
        remove() { control -m immediate stop >/dev/null 2>&1; rm -rf "$folder"; }
        fail() {
            tail -n 5 "$folder/log" "$folder/server.log" 2>/dev/null | tr '\n' ' '
            echo "$1"
            remove
            exit 1
        }

        prepare() {
            rm -rf "$folder" && mkdir -m 755 "$folder" && chown "$user" "$folder" || return 1
            cd "$folder" || return 1
            as_user "$programs/initdb" -D data -U owner --no-sync --auth=trust --encoding=UTF8 --locale=C \
                >"$folder/log" 2>&1 </dev/null || return 1
            cat >data/pg_hba.conf <<HBA
        local   all all                          trust
        hostssl all encrypted 127.0.0.1/32       scram-sha-256
        host    all owner,app,reader 127.0.0.1/32 scram-sha-256
        HBA
            cat >>data/postgresql.conf <<CONF
        listen_addresses = '127.0.0.1'
        port = $port
        unix_socket_directories = '$folder'
        shared_buffers = 16MB
        max_connections = 500
        max_prepared_transactions = 4
        # Counts the pages that each statement reads.
        shared_preload_libraries = 'pg_stat_statements'
        pg_stat_statements.track = all
        # Durability is not the subject of these tests.
        fsync = off
        full_page_writes = off
        CONF
            [ "$tls" = tls ] || return 0
            as_user openssl req -new -x509 -days 2 -nodes -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
                -keyout data/server.key -out server.crt >>"$folder/log" 2>&1 </dev/null || return 1
            echo "ssl = on" >>data/postgresql.conf
            echo "ssl_cert_file = '$folder/server.crt'" >>data/postgresql.conf
        }
        users() {
            quoted=$(printf %s "$password" | sed "s/'/''/g")
            as_user "$programs/psql" -h "$folder" -p "$port" -U owner -d postgres -q -v ON_ERROR_STOP=1 <<SQL
        SET standard_conforming_strings = on;
        CREATE ROLE app LOGIN PASSWORD '$quoted';
        CREATE ROLE encrypted LOGIN PASSWORD '$quoted';
        CREATE ROLE reader LOGIN PASSWORD '$quoted';
        GRANT CREATE ON SCHEMA public TO app;
        SQL
        }

        prepare || fail "the folder $folder could not be prepared"
        control start || fail "the server does not start"
        users >>"$folder/log" 2>&1 || fail "the users could not be made"
        echo ready
        while read -r command mode; do
            case $command in
            start) control start || fail "the server does not start again" ;;
            stop) control -m "$mode" stop || fail "the server does not stop" ;;
            esac
            echo ready
        done
        remove
        """#
}
