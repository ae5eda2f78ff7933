import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import PostgresTestServer

/// Three daemons on one database, with their load.
final class Cluster: Sendable {
    struct Setup: Sendable {
        /// The offset of the daemons' wall clocks in seconds, by slot.
        var shifts: [Int] = [0, 0, 0]
        var hasProxies = false
        /// The servers on which a node may find the database.
        var servers: [Server]
        /// Whether every answer waits for the second server.
        var isSynchronous = false
        /// The newest schema version that the daemons know; the daemons are then those of this program (`OwnServe`).
        ///
        /// If it is `nil`, the daemons are those of `apus serve`.
        var schema: Int?
    }

    private struct State {
        var nodes: [NodeProcess?] = [nil, nil, nil]
        /// The newest schema version that the next daemon of each slot knows; `nil` for the version `Setup.schema`.
        var schemas: [Int?] = [nil, nil, nil]
        var records: [SubmissionRecord] = []
        /// The nodes' names by process.
        var names: [Int32: String] = [:]
        var starts = 0
        var ends: [String] = []
        var crashes: [String] = []
        var isLoading = false
        var primary = 0
    }

    let database: String
    let setup: Setup
    let random: SeededRandom
    let proxies: [Proxy]
    /// The file to which the jobs' commands write.
    let effects: String
    private let programs: Programs
    private let files: WorkFolder
    private let clock: ShiftedClock
    private let state = Locked(State())

    init(
        _ database: String, _ setup: Setup, programs: Programs, files: WorkFolder, clock: ShiftedClock,
        random: SeededRandom
    ) throws {
        (self.database, self.setup, self.programs, self.files) = (database, setup, programs, files)
        (self.clock, self.random) = (clock, random)
        effects = "\(files.path)/\(database).effects"
        proxies = try (0..<(setup.hasProxies ? 3 : 0)).map {
            try Proxy(
                in: "\(files.path)/\(database)-proxy-\($0)", toServerIn: setup.servers[0].folder, port: Server.port)
        }
        try setup.servers[0].query("CREATE DATABASE \(database)")
    }

    var primary: Server { setup.servers[state.withLock(\.primary)] }
    var standby: Server { setup.servers[1 - state.withLock(\.primary)] }
    func promoted() { state.withLock { $0.primary = 1 - $0.primary } }

    @discardableResult
    func query(_ sql: String, seconds: Int = 20) throws -> [[String]] {
        try primary.query(sql, in: database, seconds: seconds)
    }

    // MARK: Nodes

    func node(_ slot: Int) -> NodeProcess? { state.withLock { $0.nodes[slot] } }
    var records: [SubmissionRecord] { state.withLock(\.records) }
    /// The nodes' names by their processes.
    var names: [Int32: String] { state.withLock(\.names) }
    /// The reasons for which nodes have ended by themselves.
    var ends: [String] { state.withLock(\.ends) }
    /// The ends that no error message explains.
    var crashes: [String] { state.withLock(\.crashes) }

    /// Returns the libpq connection string with which a node reaches the database.
    func connection(_ slot: Int? = nil) -> String {
        let hosts =
            slot.flatMap { setup.hasProxies ? proxies[$0].folder : nil }
            ?? setup.servers.map(\.folder).joined(separator: ",")
        let attributes = setup.servers.count > 1 ? " target_session_attrs=read-write" : ""
        return "host=\(hosts) port=\(Server.port) user=\(Server.user) dbname=\(database)\(attributes)"
    }

    /// Starts a daemon; with a `schema`, it and its successors in the slot know that version of the schema.
    func start(_ slot: Int, schema: Int? = nil) throws {
        let letter = ["a", "b", "c"][slot]
        let (number, version) = state.withLock { state in
            state.starts += 1
            if let schema { state.schemas[slot] = schema }
            return (state.starts, state.schemas[slot] ?? setup.schema)
        }
        let name = "\(database)-\(letter)\(number)"
        let program =
            version.map { [programs.own, "serve", "--schema", "\($0)"] } ?? [programs.apus, "serve"]
        let node = try NodeProcess(
            name, command: program + ["--store", connection(slot), "--node", name],
            home: Home(path: "\(files.path)/\(database)-\(letter)"), files: files,
            environment: clock.environment(shift: setup.shifts[slot]))
        state.withLock { state in
            state.nodes[slot] = node
            state.names[node.id] = name
        }
    }

    func waitUntilUp(_ slot: Int, atMost limit: Duration = .seconds(40)) async throws {
        try await until("node \(slot) of \(database) is up; see \(node(slot)?.log ?? "")", atMost: limit) {
            if self.node(slot)?.hasEnded == true { try self.restart(slot) }
            return self.node(slot)?.isUp == true
        }
    }

    private func restart(_ slot: Int) throws {
        if let node = node(slot) {
            let text = "\(node.name): \(node.lastWords)"
            state.withLock { state in
                state.ends.append(text)
                if node.isKilled { state.crashes.append(text) }
            }
        }
        try start(slot)
    }

    /// Restarts daemons that have ended by themselves, as a supervisor does.
    func supervise() throws {
        for slot in 0..<3 where node(slot)?.hasEnded != false { try restart(slot) }
    }

    /// Restarts ended daemons until all are up.
    func revive() async throws {
        try supervise()
        for slot in 0..<3 { try await waitUntilUp(slot) }
    }

    func startAll() async throws {
        for slot in 0..<3 {
            try start(slot)
            try await waitUntilUp(slot)
            if slot == 0 { try query(Audit.schema) }
        }
        try await waitForEvenShares()
    }

    func waitForEvenShares() async throws {
        try await until("three nodes share the shards", atMost: .seconds(30)) {
            try self.query(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM apus.shard AS s JOIN apus.node AS n ON n.id = s.node AND n.ended IS NULL
                    GROUP BY s.node HAVING count(*) > 80) AS n
                """
            ) == [["3"]]
        }
    }

    func stopAll() async throws {
        for slot in 0..<3 { node(slot)?.signal(SIGTERM) }
        for slot in 0..<3 {
            do { try await node(slot)?.waitForEnd(atMost: .seconds(20)) } catch { node(slot)?.signal(SIGKILL) }
        }
        for proxy in proxies { proxy.close() }
    }

    // MARK: Load

    /// Submits a job through a node.
    @discardableResult
    func submit(_ kind: JobKind, _ when: Submission.When, padding: Int = 0, to slot: Int? = nil) -> Bool {
        let slot = slot ?? Int(random.next() % 3)
        guard let node = node(slot), node.isUp else { return false }
        let submission = state.withLock { state in
            let submission = Submission(number: state.records.count, kind: kind, when: when, padding: padding)
            state.records.append(SubmissionRecord(submission: submission, node: node.name, sent: wallNow()))
            return submission
        }
        return node.submit(submission.wire(effect: programs.effect, file: effects)) { [weak self] refusal in
            let now = wallNow()
            self?.state.withLock { state in
                if let refusal {
                    state.records[submission.number].refusal = refusal
                } else {
                    state.records[submission.number].answered = now
                }
            }
        }
    }

    func startLoad(rate: Int) {
        state.withLock { $0.isLoading = true }
        Thread.detachNewThread { [self] in
            while state.withLock(\.isLoading) {
                let kind = JobKind.allCases[[0, 0, 0, 0, 0, 0, 0, 1, 2, 2][Int(random.next() % 10)]]
                let delay = Int(random.next() % 3_000)
                let padding = random.next() % 16 == 0 ? 30_000 : 0
                switch random.next() % 10 {
                case 0..<4: submit(kind, .after(milliseconds: delay), padding: padding)
                case 4..<7:
                    submit(kind, .at(milliseconds: Int(wallNow() / 1_000_000) + delay), padding: padding)
                default:
                    submit(kind, .every(milliseconds: 500, count: 1 + Int(random.next() % 5)), padding: padding)
                }
                // The thread sleeps in real time, because the load is a number of submissions per second.
                Thread.sleep(forTimeInterval: 1 / Double(rate))
            }
        }
    }

    func stopLoad() { state.withLock { $0.isLoading = false } }
}
