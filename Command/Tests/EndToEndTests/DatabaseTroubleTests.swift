import ApusClient
import ApusDaemon
import Foundation
import PostgresTestServer
import Testing

/// Tests that each error names the fault and a remedy, shows no password, and leaves nothing unfinished.
@Suite("A daemon whose database cannot be used", .timeLimit(.minutes(10)))
struct DatabaseTroubleTests {
    /// Runs `serve` for the environment's store in a separate home, and expects it to end by itself.
    private func expectRefusal(
        _ store: String, _ variables: [String: String] = [:], code: Int = 1, saying words: String...,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        try await ApusUnderTest.with { apus in
            let variables = variables.merging([StoreLocation.variable: store]) { old, _ in old }
            let answer = try await apus.call(["serve"], environment: variables)
            #expect(answer.code == code, "\(answer)", sourceLocation: location)
            for text in words { #expect(answer.err.contains(text), "\(answer)", sourceLocation: location) }
            #expect(!(answer.out + answer.err).contains(Self.secret), "\(answer)", sourceLocation: location)
            // A command that needs a daemon starts one in the background, which meets the same error.
            let started = try await apus.call(["list"], environment: variables)
            #expect(started.code != 0, "\(started)", sourceLocation: location)
            for text in words { #expect(started.err.contains(text), "\(started)", sourceLocation: location) }
            let log = (try? String(contentsOfFile: apus.home.logPath, encoding: .utf8)) ?? ""
            #expect(!(log + started.err).contains(Self.secret), sourceLocation: location)
            // The home remembers a refused store, so that a later call without the variable is refused too, and does
            // not create a new file. An invalid text is not remembered.
            if code == 1 {
                let elsewhere = try await apus("list")
                #expect(elsewhere.code == 1, "\(elsewhere)", sourceLocation: location)
                for text in [words[0], StoreLocation.variable, apus.home.databasePath] {
                    #expect(elsewhere.err.contains(text), "\(elsewhere)", sourceLocation: location)
                }
                #expect(!elsewhere.err.contains(Self.secret), sourceLocation: location)
                let isMade = FileManager.default.fileExists(atPath: apus.home.databasePath)
                #expect(!isMade, sourceLocation: location)
            } else {
                #expect(
                    !FileManager.default.fileExists(atPath: apus.home.path + "/store"), sourceLocation: location)
            }
            #expect(try await apus("status").code == 3, sourceLocation: location)
        }
    }

    /// Gives `body` a new database, and checks whether anything was created in it.
    private func withDatabase(
        hasSchema: Bool = false, location: SourceLocation = #_sourceLocation,
        _ body: (PostgresDatabase) async throws -> Void
    ) async throws {
        let database = try await PostgresDatabase.make()
        do {
            try await body(database)
            let schemas = try await database.number("SELECT count(*) FROM pg_namespace WHERE nspname = 'apus'")
            #expect(schemas == (hasSchema ? 1 : 0), sourceLocation: location)
        } catch {
            try? await database.drop()
            throw error
        }
        try await database.drop()
    }

    private static let secret = "hunter2"

    @Test("a home whose store was refused accepts another named store or its own file")
    func otherStore() async throws {
        let port = try PostgresServer.freePort()
        try await ApusUnderTest.with { apus in
            for name in ["first", "second"] {
                let store = "postgres://ann@127.0.0.1:\(port)/\(name)"
                let refused = try await apus("serve", environment: [StoreLocation.variable: store])
                #expect(refused.code == 1, "\(refused)")
                #expect(try await apus("list").err.contains(store))
            }
            let own = [StoreLocation.variable: apus.home.databasePath]
            let named = try await apus("every", "1h", "--name", "it", "--", "true", environment: own)
            #expect(named.code == 0, "\(named)")
            #expect(try await apus("stop").code == 0)
            #expect(try await apus("show", "it").code == 0)
            #expect(try await apus("stop").code == 0)
            // The file of the home has jobs, so the home does not remember a refused store in its place.
            let store = "postgres://ann@127.0.0.1:\(port)/third"
            #expect(try await apus("serve", environment: [StoreLocation.variable: store]).code == 1)
            #expect(try await apus("show", "it").code == 0)
        }
    }

    @Test("the error names a missing server's host and port")
    func unreachable() async throws {
        let port = try PostgresServer.freePort()
        try await expectRefusal(
            "postgres://ann:\(Self.secret)@127.0.0.1:\(port)/jobs", saying: "postgres://ann@127.0.0.1:\(port)/jobs",
            "cannot be reached; check that it runs, the host and the port")
    }

    @Test("a wrong password is reported as such and never shown, wherever it comes from")
    func wrongPassword() async throws {
        let server = try await PostgresServer.shared.value
        let place = "127.0.0.1:\(server.port)/postgres"
        let words = ["postgres://app@\(place)", "does not accept the user and password", "app"]
        try await expectRefusal(
            "postgres://app:\(Self.secret)@\(place)", saying: words[0], words[1], words[2])
        try await expectRefusal(
            "postgres://app@\(place)", ["PGPASSWORD": Self.secret], saying: words[0], words[1], words[2])
        try await expectRefusal(
            "postgres://app@\(place)", ["PGPASSFILE": "/nowhere"], saying: words[0], "asks for a password")
    }

    @Test("the error says that a database is missing")
    func missing() async throws {
        let server = try await PostgresServer.shared.value
        try await expectRefusal(
            "host=\(server.folder) port=\(server.port) user=owner dbname=never_created",
            saying: "/never_created", "no such database; create it, or correct the name")
    }

    @Test("the error names the privilege that a user lacks to create or use the schema")
    func privileges() async throws {
        try await withDatabase { database in
            try await expectRefusal(database.location(user: "reader"), saying: database.name, "may not", "reader")
        }
        try await withDatabase(hasSchema: true) { database in
            try await ApusUnderTest.with(variables: [StoreLocation.variable: database.location]) { apus in
                try await apus.startDaemon()
                #expect(try await apus("stop").code == 0)
            }
            try await expectRefusal(database.location(user: "reader"), saying: database.name, "may not", "apus")
            #expect(try await database.number("SELECT count(*) FROM apus.node WHERE ended IS NULL") == 0)
        }
    }

    @Test("a read-only database is refused, before and after it has the schema")
    func readOnly() async throws {
        try await withDatabase(hasSchema: true) { database in
            let readOnly = "ALTER DATABASE \(database.name) SET default_transaction_read_only = "
            try await database.onServer(readOnly + "on")
            try await expectRefusal(
                database.location, saying: database.name, "takes no writes; connect to the primary")
            try await database.onServer(readOnly + "off")
            try await ApusUnderTest.with(variables: [StoreLocation.variable: database.location]) { apus in
                try await apus.startDaemon()
                #expect(try await apus("stop").code == 0)
            }
            try await database.onServer(readOnly + "on")
            try await expectRefusal(
                database.location, saying: database.name, "takes no writes; connect to the primary")
        }
    }

    @Test("a pooler in transaction mode is detected before anything is created, and the error has a remedy")
    func pooler() async throws {
        try await withDatabase { database in
            let pooler = try FakePooler(to: database.server)
            defer { pooler.close() }
            let location = "host=\(pooler.folder) port=\(database.server.port) user=owner dbname=\(database.name)"
            try await expectRefusal(
                location, saying: database.name, "a pooler in transaction mode", "connect to the server itself")
            // `apus store copy` refuses the pooler too, because the copy holds a lock for as long as its session lasts.
            try await ApusUnderTest.with { apus in
                _ = try await apus.startDaemon()
                let copy = ["store", "copy", "--from", apus.home.databasePath, "--to", location]
                let inUse = try await apus.call(copy)
                #expect(inUse.code == 1 && inUse.err.contains("belongs to process"), "\(inUse)")
                #expect(try await apus("stop").code == 0)
                let pooled = try await apus.call(copy)
                #expect(pooled.code == 1 && pooled.err.contains("a pooler in transaction mode"), "\(pooled)")
                #expect(try await apus("list").code == 0)
            }
        }
    }

    @Test(
        "a text that names no database is refused with exit code 64 and without the text",
        arguments: [
            "postgres://ann:hunter2/x@db/jobs", "postgres://ann:hunter2@db@x/jobs", "host=db 'hunter2",
            "nothing=hunter2",
            "postgres://ann:hunter2@db:many/jobs",
        ])
    func malformed(store: String) async throws {
        try await expectRefusal(store, code: 64, saying: "APUS_STORE: ")
    }

    @Test("a password among the arguments works, and the advice against it does not repeat it")
    func passwordInArguments() async throws {
        let port = try PostgresServer.freePort()
        try await ApusUnderTest.with { apus in
            let answer = try await apus("serve", "--store", "postgres://ann:\(Self.secret)@127.0.0.1:\(port)/jobs")
            #expect(answer.code == 1 && answer.err.contains("put it into APUS_STORE, PGPASSWORD or ~/.pgpass"))
            #expect(!answer.err.contains(Self.secret))
        }
    }

    @Test(
        "a password is taken from PGPASSWORD, a password file or a service",
        arguments: ["PGPASSWORD", "PGPASSFILE", "PGSERVICEFILE"])
    func passwords(variable: String) async throws {
        let database = try await PostgresDatabase.make()
        try await database.onServer("GRANT CREATE ON DATABASE \(database.name) TO app")
        let (port, password) = (database.server.port, PostgresServer.password)
        let file = "\(database.server.folder)/\(variable)-\(database.name)"
        var store = "postgres://app@127.0.0.1:\(port)/\(database.name)"
        var variables = [variable: file]
        switch variable {
        case "PGPASSWORD": variables[variable] = password
        case "PGPASSFILE":
            let escaped = password.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
            try "127.0.0.1:\(port):*:app:\(escaped)\n".write(toFile: file, atomically: true, encoding: .utf8)
            try #require(chmod(file, 0o600) == 0)
        default:
            let text =
                "[jobs]\nhost=127.0.0.1\nport=\(port)\nuser=app\ndbname=\(database.name)\npassword=\(password)\n"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            store = "service=jobs"
        }
        variables[StoreLocation.variable] = store
        try await ApusUnderTest.with(variables: variables) { apus in
            let process = try await apus.startDaemon()
            #expect(try await apus("after", "10ms", "--name", "it", "--", "true").code == 0)
            #expect(try await apus("wait", "it").code == 0)
            let arguments = try String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
            let log = try String(contentsOfFile: apus.home.logPath, encoding: .utf8)
            #expect(!(arguments + log).contains(password))
            #expect(try await apus("status").out.contains("postgres://"))
        }
        try await database.drop()
    }
}
