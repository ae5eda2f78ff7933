import ApusClient
import ApusDaemon
import ApusTimers
import Foundation
import PostgresTestServer
import Testing

@Suite("Simultaneous requests to two daemons of one database", .timeLimit(.minutes(10)))
struct TwoDaemonsTests {
    private static func submission(_ name: String, _ seconds: Int, _ conflict: String?) -> WireSubmission {
        WireSubmission(
            name: name, trigger: WireTrigger(every: "PT\(seconds)S"),
            action: Action(command: .init(argv: ["true"], shell: false, cwd: "/")), conflict: conflict)
    }

    @Test(
        "one of several simultaneous submissions of a name to both daemons creates the job, and the others update or keep it"
    )
    func oneJobOfAName() async throws {
        try await TwoDaemons.with { first, second in
            for round in 0..<100 {
                let conflict = round.isMultiple(of: 2) ? "update" : "keep"
                let ids = try await withThrowingTaskGroup(of: String.self) { group in
                    for number in 0..<12 {
                        let client = number.isMultiple(of: 2) ? first.client : second.client
                        let submission = Self.submission("name\(round)", 3_600 + number, conflict)
                        group.addTask { try await client.submit(submission).id }
                    }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(ids.count == 1, "round \(round): \(ids)")
            }
            #expect(try await second.client.jobs(limit: 1_000).jobs.count == 100)
        }
    }

    @Test("existing jobs that share a name keep running and are listed in the error")
    func sharedNames() async throws {
        try await TwoDaemons.with { first, second in
            let jobs = [
                try await first.client.submit(Self.submission("shared", 3_600, nil)),
                try await second.client.submit(Self.submission("shared", 3_600, nil)),
            ]
            let error = await #expect(throws: DaemonError.self) {
                try await first.client.submit(Self.submission("shared", 60, "update"))
            }
            #expect(
                error?.code == .named("ambiguous") && jobs.allSatisfy { error?.message.contains($0.id) == true })
            _ = try await second.client.cancel(jobs[0].id)
            #expect(try await first.client.submit(Self.submission("shared", 60, "update")).id == jobs[1].id)
        }
    }

    @Test("simultaneous changes of different fields of one job on both daemons all take effect")
    func fieldsAtOnce() async throws {
        try await TwoDaemons.with { first, second in
            let job = try await first.client.submit(Self.submission("fields", 3_600, nil))
            for round in 0..<90 {
                let changes = [
                    WireJobChange(name: .set("name\(round)")), WireJobChange(labels: ["a": .set("\(round)")]),
                    WireJobChange(labels: ["b": .set("\(round)")]), WireJobChange(queue: .set("queue\(round)")),
                    WireJobChange(policies: .init(retry: .set(round))),
                ]
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (number, change) in changes.enumerated() {
                        let client = number.isMultiple(of: 2) ? first.client : second.client
                        group.addTask { _ = try await client.change(job.id, change) }
                    }
                    try await group.waitForAll()
                }
                let changed = try await second.client.job(job.id)
                #expect(changed.name == "name\(round)" && changed.queue == "queue\(round)", "round \(round)")
                #expect(changed.labels == ["a": "\(round)", "b": "\(round)"], "round \(round)")
                #expect(changed.policies.retry == round, "round \(round)")
            }
        }
    }

    @Test("a crontab imported on both daemons at once creates one job for each line, which both imports name")
    func importsAtOnce() async throws {
        try await TwoDaemons.with { first, second in
            for round in 0..<50 {
                // Two of the three lines have the same command.
                let jobs = ["a", "b", "b"].enumerated().map { number, command in
                    WireExportedJob(
                        WireSubmission(
                            name: "line \(number)", trigger: WireTrigger(every: "PT\(number + 1)H"),
                            action: Action(command: .init(argv: [command], shell: true, cwd: "/"))))
                }
                let wanted = WireImport(jobs: jobs, crontab: "/crontabs/\(round)")
                let answers = try await withThrowingTaskGroup(of: [String?].self) { group in
                    for client in [first.client, second.client, first.client, second.client] {
                        group.addTask { try await client.imported(wanted).jobs.map(\.id) }
                    }
                    return try await group.reduce(into: Set<[String?]>()) { $0.insert($1) }
                }
                let made = try await first.client.jobs(JobFilter(labels: ["crontab=/crontabs/\(round)"]), limit: 100)
                    .jobs
                #expect(made.count == 3, "round \(round): \(made.map(\.id))")
                #expect(answers == [made.map(\.id)], "round \(round)")
            }
        }
    }

    /// The progress of a server's restart.
    private final class Restart: Sendable {
        private let state = Locked((isBack: false, isOver: false))
        var isBack: Bool { state.withLock { $0.isBack } }
        var isOver: Bool { state.withLock { $0.isOver } }
        func back() { state.withLock { $0.isBack = true } }
        func end() { state.withLock { $0.isOver = true } }
    }

    /// Submits until the restart is over.
    ///
    /// - Returns: The errors of submissions that began after the restart. An earlier one may fail, for example with an
    ///   unknown fate because its session ended during the commit.
    private static func submit(to client: DaemonClient, _ name: String, during restart: Restart) async -> [String] {
        var errors: [String] = []
        while !restart.isOver {
            let began = restart.isBack
            do { _ = try await client.submit(submission(name, 3_600, nil)) } catch {
                if began { errors.append("\(error)") }
            }
        }
        return errors
    }

    @Test("every submission to either daemon after a restart of the server succeeds at once")
    func serverRestarted() async throws {
        let server = try await PostgresServer.start(hasTLS: false)
        let location = "host=\(server.folder) port=\(server.port) user=owner dbname=postgres"
        let variables = [StoreLocation.variable: location, "APUS_PATIENCE": "30s"]
        try await TwoDaemons.with(variables: variables) { first, second in
            for round in 0..<6 {
                let restart = Restart()
                try await withThrowingTaskGroup(of: [String].self) { group in
                    // In every other round, no request is in flight when the sessions end.
                    for client in round.isMultiple(of: 2) ? [first.client, second.client] : [] {
                        for number in 0..<3 {
                            group.addTask { await Self.submit(to: client, "busy\(number)", during: restart) }
                        }
                    }
                    try await server.stop("fast")
                    try await server.start()
                    restart.back()
                    for (number, client) in [first.client, second.client].enumerated() {
                        _ = try await client.submit(Self.submission("round\(round).\(number)", 3_600, "update"))
                    }
                    restart.end()
                    for try await errors in group { #expect(errors == [], "round \(round)") }
                }
            }
            #expect(try await first.client.jobs(limit: 1_000).jobs.count >= 12)
        }
    }
}
