#if Postgres
    import ApusTimers
    import Foundation
    import PostgresTestServer

    /// Three nodes on one database, and the load that they are under.
    final class Cluster: Sendable {
        struct Setup: Sendable {
            /// What nodes are told besides the database, by their slot.
            var shifts: [Int] = [0, 0, 0]
            var hasProxies = false
            /// Servers that a node may find the database at.
            var servers: [Server]
        }

        private struct State {
            var nodes: [NodeProcess?] = [nil, nil, nil]
            var records: [SubmissionRecord] = []
            var effectFiles: [String] = []
            var starts = 0
            var ends: [String] = []
            var isLoading = false
            var primary = 0
        }

        let database: String
        let setup: Setup
        let random: SeededRandom
        let proxies: [Proxy]
        private let program: String
        private let files: WorkFolder
        private let clock: ShiftedClock
        private let state = Locked(State())

        init(
            _ database: String, _ setup: Setup, program: String, files: WorkFolder, clock: ShiftedClock,
            random: SeededRandom
        ) throws {
            (self.database, self.setup, self.program, self.files) = (database, setup, program, files)
            (self.clock, self.random) = (clock, random)
            proxies = try (0..<(setup.hasProxies ? 3 : 0)).map {
                try Proxy(
                    in: "\(files.path)/\(database)-proxy-\($0)", toServerIn: setup.servers[0].folder, port: Server.port)
            }
            try setup.servers[0].query("CREATE DATABASE \(database)")
        }

        var primary: Server { setup.servers[state.withLock(\.primary)] }
        func promoted() { state.withLock { $0.primary = 1 - $0.primary } }

        @discardableResult
        func query(_ sql: String, seconds: Int = 20) throws -> [[String]] {
            try primary.query(sql, in: database, seconds: seconds)
        }

        // MARK: Nodes

        func node(_ slot: Int) -> NodeProcess? { state.withLock { $0.nodes[slot] } }
        var records: [SubmissionRecord] { state.withLock(\.records) }
        var effectFiles: [String] { state.withLock(\.effectFiles) }
        /// How many processes were nodes, and why some of them ended by themselves.
        var starts: Int { state.withLock(\.starts) }
        var ends: [String] { state.withLock(\.ends) }

        func start(_ slot: Int) throws {
            let number = state.withLock { state in
                state.starts += 1
                return state.starts
            }
            let name = "\(database)-\(["a", "b", "c"][slot])\(number)"
            let effects = "\(files.path)/\(name).effects"
            let hosts =
                setup.hasProxies ? proxies[slot].folder : setup.servers.map(\.folder).joined(separator: ",")
            let attributes = setup.servers.count > 1 ? " target_session_attrs=read-write" : ""
            let node = try NodeProcess(
                name, program: program,
                connection: "host=\(hosts) port=\(Server.port) user=\(Server.user) dbname=\(database)\(attributes)",
                files: files, effects: effects, environment: clock.environment(shift: setup.shifts[slot])
            ) { [weak self] number, refusal in
                let now = wallNow()
                self?.state.withLock { state in
                    if let refusal {
                        state.records[number].refusal = refusal
                    } else {
                        state.records[number].answered = now
                    }
                }
            }
            state.withLock { state in
                state.nodes[slot] = node
                state.effectFiles.append(effects)
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
                state.withLock { $0.ends.append("\(node.name): \(node.lastWords ?? "no word")") }
            }
            try start(slot)
        }

        /// Starts again what has ended by itself, as a supervisor does.
        func revive() async throws {
            for slot in 0..<3 where node(slot)?.hasEnded != false { try restart(slot) }
            for slot in 0..<3 { try await waitUntilUp(slot) }
        }

        func startAll() async throws {
            for slot in 0..<3 {
                try start(slot)
                try await waitUntilUp(slot)
                if slot == 0 { try query(Audit.schema) }
            }
            try await until("three nodes share the shards", atMost: .seconds(30)) {
                try self.query(
                    "SELECT count(*) FROM (SELECT 1 FROM apus.shard WHERE node IS NOT NULL GROUP BY node HAVING count(*) > 80) AS n"
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
        func submit(_ kind: JobKind, _ when: Submission.When, payload: Int = 0, to slot: Int? = nil) -> Bool {
            let slot = slot ?? Int(random.next() % 3)
            guard let node = node(slot), node.isUp else { return false }
            let submission = state.withLock { state in
                let submission = Submission(number: state.records.count, kind: kind, when: when, payload: payload)
                state.records.append(SubmissionRecord(submission: submission, node: node.name, sent: wallNow()))
                return submission
            }
            return node.submit(submission)
        }

        func startLoad(rate: Int) {
            state.withLock { $0.isLoading = true }
            Thread.detachNewThread { [self] in
                while state.withLock(\.isLoading) {
                    let kind = JobKind.allCases[[0, 0, 0, 0, 0, 0, 0, 1, 2, 2][Int(random.next() % 10)]]
                    let delay = Int(random.next() % 3_000)
                    let payload = random.next() % 16 == 0 ? 30_000 : 0
                    switch random.next() % 10 {
                    case 0..<4: submit(kind, .after(milliseconds: delay), payload: payload)
                    case 4..<7: submit(kind, .at(wallNow() + UInt64(delay) * 1_000_000), payload: payload)
                    default:
                        submit(kind, .every(milliseconds: 500, count: 1 + Int(random.next() % 5)), payload: payload)
                    }
                    Thread.sleep(forTimeInterval: 1 / Double(rate))
                }
            }
        }

        func stopLoad() { state.withLock { $0.isLoading = false } }
    }
#endif
