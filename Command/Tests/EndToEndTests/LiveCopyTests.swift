import ApusClient
import ApusDaemon
import ApusTimers
import Foundation
import GRDB
import Testing

@Suite("apus store copy --live")
struct LiveCopyTests {
    private struct Moved: Decodable {
        struct Table: Decodable {
            var sourceChecksum: String
            var targetChecksum: String
        }
        struct Live: Decodable { var downtime: String }
        var tables: [Table]
        var live: Live?
    }

    /// Gives `body` a daemon with a file, and an empty database.
    private func with(_ body: (ApusUnderTest, PostgresDatabase) async throws -> Void) async throws {
        let database = try await PostgresDatabase.make()
        try await ApusUnderTest.with { apus in
            _ = try await apus.startDaemon()
            try await body(apus, database)
        }
        try await database.drop()
    }

    private func move(
        _ apus: ApusUnderTest, _ database: PostgresDatabase, _ more: String...
    ) async throws
        -> ApusUnderTest.Answer
    {
        try await apus.call(
            ["store", "copy", "--live", "--from", apus.home.databasePath, "--to", database.location] + more)
    }

    /// Begins a copy in a process of its own, which can be killed.
    private func begin(_ apus: ApusUnderTest, _ database: PostgresDatabase) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: ApusUnderTest.program)
        process.arguments = [
            "store", "copy", "--live", "--from", apus.home.databasePath, "--to", database.location,
        ]
        process.environment = apus.environment
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        return process
    }

    private func isMarked(_ apus: ApusUnderTest) throws -> Bool {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: apus.home.databasePath, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { try $0.tableExists("moved") }
    }

    /// Each line of the file is a run's job and occurrence: each one once.
    private func check(_ marks: String, _ apus: ApusUnderTest, _ variables: [String: String]) async throws {
        let lines = try String(contentsOfFile: marks, encoding: .utf8).split(separator: "\n")
        #expect(Set(lines).count == lines.count, "an occurrence has run twice")
        let check = try await apus("store", "check", environment: variables)
        #expect(check.code == 0, "\(check)")
    }

    @Test("under load, every answered submission is in the database, and each occurrence runs once, here or there")
    func load() async throws {
        try await with { apus, database in
            let marks = apus.home.path + "/marks"
            let line = "echo $APUS_JOB $APUS_OCCURRENCE >> \(marks)"
            for number in 0..<3 {
                let name = "every\(number)"
                #expect(
                    try await apus("every", "200ms", "--name", name, "--shell", "--missed", "skip", "--", line).code
                        == 0)
            }
            let isOver = Locked(false)
            let submitting = Task {
                var answered: [String] = []
                while !isOver.withLock({ $0 }) {
                    let job = try? await apus.client.submit(
                        WireSubmission(
                            trigger: WireTrigger(after: "PT0.01S"),
                            action: Action(command: .init(argv: [line], shell: true, cwd: "/"))))
                    if let job { answered.append(job.id) }
                    // Real time, for a rate of submissions that leaves the copy some of the machine.
                    try await Task.sleep(for: .milliseconds(5))
                }
                return answered
            }
            try await apus.until("some runs") { try await apus.allRuns().count { $0.final } > 20 }
            let answer = try await move(apus, database, "--json")
            isOver.withLock { $0 = true }
            let answered = try await submitting.value
            #expect(answer.code == 0, "\(answer)")
            let moved = try JSONDecoder().decode(Moved.self, from: Data(answer.out.utf8))
            #expect(moved.tables.count == 5 && moved.live != nil)
            #expect(moved.tables.allSatisfy { $0.sourceChecksum == $0.targetChecksum })
            // The old home says where the jobs are, also to one who names the file.
            let list = try await apus("list")
            #expect(
                list.code == 1 && list.err.contains("the jobs of \(apus.home.path) are in postgres://"), "\(list)")
            let status = try await apus("store", "status", "--store", apus.home.databasePath)
            #expect(status.code == 0 && status.out.contains("\nmoved to     postgres://"), "\(status)")
            let named = try await apus("list", environment: [StoreLocation.variable: apus.home.databasePath])
            #expect(named.code == 1 && named.err.contains("were moved to postgres://"), "\(named)")

            let variables = [StoreLocation.variable: database.location, "APUS_PATIENCE": "30s"]
            _ = try await apus.startDaemon(variables)
            try await apus.until("the ends of all that was submitted") {
                for id in answered where try await apus.client.job(id).state != "finished" { return false }
                return true
            }
            let before = try await database.number("SELECT max(occurrence) FROM apus.run")
            try await apus.until("later occurrences") {
                try await database.number("SELECT max(occurrence) FROM apus.run") > before + 2
            }
            #expect(!answered.isEmpty)
            #expect(try await apus("stop", environment: variables).code == 0)
            try await check(marks, apus, variables)
            let again = try await move(apus, database)
            #expect(again.code == 0 && again.out.contains("had moved the jobs already"), "\(again)")
        }
    }

    @Test("a copy that is killed while it copies leaves the daemon at work, and the next one succeeds")
    func killedWhileCopying() async throws {
        try await with { apus, database in
            #expect(try await apus("every", "1h", "--name", "backup", "--", "true").code == 0)
            try await database.holdInserts(into: "job", apus)
            let copy = try begin(apus, database)
            try await apus.until("the first page") { try await database.heldInserts() == 1 }
            kill(copy.processIdentifier, SIGKILL)
            copy.waitUntilExit()
            try await database.endHeldInserts()
            try await database.letInserts()
            #expect(try await apus("run", "backup").code == 0)
            try await apus.until("its run") { try await apus.allRuns().map(\.outcome) == ["succeeded"] }
            // No node opens what there is of it.
            let half = try await apus(
                "list",
                environment: [StoreLocation.variable: database.location, "APUS_HOME": apus.home.path + "/other"])
            #expect(half.code == 1, "\(half)")
            let answer = try await move(apus, database)
            #expect(answer.code == 0, "\(answer)")
            #expect(try await database.number("SELECT count(*) FROM apus.run") == 1)
        }
    }

    @Test("a copy that is killed while a command ends leaves the jobs in the file, and the next one succeeds")
    func killedWhileStopping() async throws {
        try await with { apus, database in
            let end = apus.home.path + "/end"
            let loop = "while ! [ -e \(end) ]; do sleep 0.05; done"
            #expect(try await apus("after", "1ms", "--name", "long", "--shell", "--", loop).code == 0)
            try await apus.until("its run") { try await apus.client.health().running == 1 }
            let copy = try begin(apus, database)
            try await apus.until("that nothing is taken any more") {
                try await apus("after", "1h", "--", "true").code != 0
            }
            kill(copy.processIdentifier, SIGKILL)
            copy.waitUntilExit()
            #expect(FileManager.default.createFile(atPath: end, contents: nil))
            try await apus.client.untilStopped()
            // The command has ended by itself, and the jobs are where they were.
            try await apus.until("a daemon") { try await apus("list", "--all").code == 0 }
            #expect(try await apus.allRuns().filter { $0.attempt > 0 }.map(\.outcome) == ["succeeded"])
            let answer = try await move(apus, database)
            #expect(answer.code == 0, "\(answer)")
            #expect(try await database.number("SELECT count(*) FROM apus.run WHERE state = 'succeeded'") == 1)
        }
    }

    @Test(
        "after a copy that is killed at its last transaction, the database says where the jobs are",
        arguments: [true, false])
    func killedAtTheEnd(commits: Bool) async throws {
        try await with { apus, database in
            #expect(try await apus("every", "1h", "--name", "backup", "--", "true").code == 0)
            try await database.holdInserts(into: "moved", apus)
            let copy = try begin(apus, database)
            try await apus.until("the last transaction") { try await database.heldInserts() == 1 }
            kill(copy.processIdentifier, SIGKILL)
            copy.waitUntilExit()
            #expect(try isMarked(apus))
            let refused = try await apus("list")
            #expect(refused.code == 1 && refused.err.contains("was interrupted at its end"), "\(refused)")
            if !commits { try await database.endHeldInserts() }
            try await database.letInserts()
            let answer = try await move(apus, database)
            #expect(answer.code == 0, "\(answer)")
            #expect(answer.out.contains("had moved the jobs already") == commits, "\(answer)")
            #expect(try await database.number("SELECT count(*) FROM apus.moved") == 1)
            let variables = [StoreLocation.variable: database.location, "APUS_PATIENCE": "30s"]
            _ = try await apus.startDaemon(variables)
            let page: WireJobPage = try await apus.json("list", "--json")
            #expect(page.jobs.map(\.name) == ["backup"])
            #expect(try await apus("stop", environment: variables).code == 0)
            #expect(try await apus("store", "check", environment: variables).code == 0)
        }
    }

    @Test("what is not a file that a daemon of the home has, and no database, is refused")
    func refused() async throws {
        try await with { apus, database in
            let toFile = try await apus(
                "store", "copy", "--live", "--from", apus.home.databasePath, "--to", apus.home.path + "/b.db")
            #expect(toFile.code == 64 && toFile.err.contains("to PostgreSQL only"), "\(toFile)")
            let fromDatabase = try await apus(
                "store", "copy", "--live", "--from", database.location, "--to", apus.home.path + "/b.db")
            #expect(fromDatabase.code == 64 && fromDatabase.err.contains("nodes may be on many machines"))
            #expect(try await apus("list").code == 0)
        }
    }
}

extension PostgresDatabase {
    /// From now on, rows that are added to a table of Apus wait for ``letInserts()``.
    fileprivate func holdInserts(into table: String, _ apus: ApusUnderTest) async throws {
        #expect(try await apus("store", "migrate", "--store", location).code == 0)
        for statement in [
            "CREATE TABLE held (held boolean)", "INSERT INTO held VALUES (true)",
            """
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $body$
            BEGIN
                WHILE EXISTS (SELECT 1 FROM held) LOOP PERFORM pg_sleep(0.02); END LOOP;
                RETURN NEW;
            END
            $body$
            """,
            "CREATE TRIGGER hold BEFORE INSERT ON apus.\(table) FOR EACH ROW EXECUTE FUNCTION hold()",
        ] { try await self(statement) }
    }

    fileprivate func letInserts() async throws { try await self("DELETE FROM held") }

    private static let held =
        "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"

    fileprivate func heldInserts() async throws -> Int64 { try await number("SELECT count(*) \(Self.held)") }

    /// As the end of the server's processes: their transactions are rolled back.
    fileprivate func endHeldInserts() async throws {
        try await self("SELECT pg_terminate_backend(pid) \(Self.held)")
    }
}
