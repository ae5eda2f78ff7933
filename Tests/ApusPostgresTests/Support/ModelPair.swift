#if Postgres
    import ApusJobs
    @testable import ApusPostgres
    import ApusTimers
    import Logging

    @testable import ClusterSimulation

    /// Applies the same operations to the simulation's model and to a real database.
    ///
    /// It compares each answer, and all contents at the end.
    final class ModelPair {
        /// A node: a store with its own connections, which acts only when the test calls it.
        final class Node {
            let store: PostgresStore
            let session: ServerLink
            var id: Int64 = 0
            var member: ClusterMember?
            var shards: [ShardID: StoreEpoch] = [:]
            var clock: StoreClock?
            let signals = Signals()

            init(_ configuration: PostgresConfiguration) {
                store = PostgresStore(patient: configuration)
                session = ServerLink(configuration, engine: .shared, logger: Logger(label: "apus.postgres"))
            }

        }

        /// Collects the signals that a node's scheduler would get.
        final class Signals: Sendable {
            private let sent = Locked<[StoreSignal]>([])
            func send(_ signal: StoreSignal) { sent.withLock { $0.append(signal) } }
            func take() -> [StoreSignal] {
                sent.withLock { sent in
                    defer { sent = [] }
                    return sent
                }
            }
        }

        struct Difference: Error, CustomStringConvertible {
            var description: String
        }

        let nodes: [Node]
        private let listener: PostgresConnection
        private var heard: AsyncStream<PostgresNotification>.Iterator
        var model = ModelPair.newModel()
        var turns = ModelTurns(random: SeededRandom(seed: 0))
        private var notified: Set<String> = []
        private var joined = 0
        private(set) var steps: [String] = []
        /// How often each operation was executed, and how many parts of turns were applied or refused.
        private(set) var counts: [String: Int] = [:]

        init(_ configuration: PostgresConfiguration, listener: PostgresConnection) async throws {
            nodes = (0..<3).map { _ in Node(configuration) }
            self.listener = listener
            heard = listener.notifications.makeAsyncIterator()
            try await SchemaKeeper(link: nodes[0].store.writer, migrations: .shipped).prepare()
            for number in 1...Self.mostJoins { try await listener.run("LISTEN apus_node_\(number)") }
            try await listener.run("LISTEN the_end")
        }

        private static let mostJoins = 9

        /// Returns a model in which no node is declared dead because of the clock.
        private static func newModel() -> ModelDatabase {
            let model = ModelDatabase(shards: StoreSchema.shards, mutant: nil)
            model.patience = MembershipMachine.Timing.patient.patience
            return model
        }

        func disconnect() async {
            for node in nodes {
                await node.session.disconnect()
                await node.store.disconnect()
            }
        }

        // MARK: A history

        /// Runs the history of a seed.
        ///
        /// - Throws: ``Difference``.
        func run(seed: UInt64, steps count: Int) async throws {
            turns = ModelTurns(random: SeededRandom(seed: seed))
            try await begin()
            for node in nodes { try await join(node) }
            for _ in 0..<count { try await step() }
            try await compareTables()
        }

        private func begin() async throws {
            for node in nodes {
                try await node.session.run("SELECT pg_advisory_unlock_all()", "UNLISTEN *")
                (node.member, node.shards) = (nil, [:])
            }
            try await nodes[0].store.writer.run(
                "UPDATE apus.shard SET node = NULL, epoch = 0", "DELETE FROM apus.node",
                "ALTER TABLE apus.node ALTER COLUMN id RESTART",
                """
                TRUNCATE apus.beat, apus.job, apus.request, apus.wake, apus.ended, apus.open_run, apus.run, apus.clock,
                    apus.queue, apus.place, apus.submission, apus.reply, apus.set_aside, apus.refusal
                    RESTART IDENTITY
                """)
            model = Self.newModel()
            model.notify = { [unowned self] node, payload in
                // The number of notifications of a burst depends on timing.
                if payload != "burst" { notified.insert("apus_node_\(node) \(payload)") }
            }
            (joined, steps) = (0, [])
            try await compareNotifications()
        }

        private func step() async throws {
            let node = turns.one(of: nodes)
            switch turns.below(40) {
            case 0: try await leave(node)
            case 1: try await end(of: node)
            case 2: try await loseSession(of: node)
            case 3, 4, 5, 6: try await beat(node)
            case 7, 8, 9: try await take(node)
            case 10, 11: try await submit()
            case 12, 13: try await places(node)
            case 14, 15, 16: try await readJobs(node)
            case 17, 18: try await readReferences(node)
            default: try await commit(node)
            }
        }

        private func count(_ kind: String) { counts[kind, default: 0] += 1 }

        func note(_ kind: String, _ text: String) {
            count(kind)
            steps.append("\(kind): \(text)")
        }

        func compare<Value: Equatable>(_ what: String, _ model: Value, _ real: Value) throws {
            if model == real { return }
            let (first, second) = ("\(model)", "\(real)")
            // The texts may be long, so only the differing part is shown.
            let same = max(0, zip(first, second).prefix { $0 == $1 }.count - 100)
            throw Difference(
                description: """
                    \(what)
                      model: … \(first.dropFirst(same).prefix(400))
                      real:  … \(second.dropFirst(same).prefix(400))
                    after \(steps.suffix(3).joined(separator: "\n"))
                    """)
        }

        func outcome<Value>(_ body: () async throws -> Value) async throws -> Result<Value, JobError> {
            do { return .success(try await body()) } catch let error as JobError { return .failure(error) } catch let
                error as PostgresError
            { return .failure(error.jobError) }
        }

        func modelled<Value>(_ body: () throws(JobError) -> Value) -> Result<Value, JobError> {
            do throws(JobError) { return .success(try body()) } catch { return .failure(error) }
        }

        /// Compares the notifications so far, which arrive in the order of the commits.
        ///
        /// A last notification marks their end.
        private func compareNotifications() async throws {
            try await listener.run("NOTIFY the_end")
            var real: Set<String> = []
            while let next = await heard.next(), next.channel != "the_end" {
                real.insert("\(next.channel) \(next.payload)")
            }
            defer { notified = [] }
            try compare("who was notified", notified.sorted(), real.sorted())
        }

        // MARK: Nodes

        private func join(_ node: Node) async throws {
            let jobs = turns.jobs()
            let rows = try await node.store.writer.execute(
                PostgresBatch([
                    PostgresStatement(
                        "INSERT INTO apus.node (name, patience_ms, jobs) VALUES ('n', $1, $2) RETURNING id",
                        [.int64(model.patience.wholeNanoseconds / 1_000_000), .text(NodeJobs.text(of: jobs))])
                ]))
            node.id = try rows[0][0].decode(at: 0)
            joined += 1
            note("join", "node \(node.id)")
            try compare("the number of a node", model.join(jobs), node.id)
            let (id, signals) = (node.id, node.signals)
            let member = ClusterMember(
                node: id, running: jobs, timeline: 1, writer: node.store.writer, session: node.session,
                queries: node.store.queries,
                engine: .shared, logger: Logger(label: "apus.postgres"), timing: .patient
            ) { signals.send($0) }
            node.member = member
            node.clock = nil
            node.shards = [:]
            node.store.phase.withLock {
                $0 = .open(
                    .init(member: member, signals: ClusterSignals(), session: session(of: node), clock: nil))
            }
            // With this beat, the node takes its share of the shards. It may then act for 600 s, which is longer than
            // the history takes.
            await member.beat()
            _ = model.beat(id, hasSession: true)
            try adopt(node.signals.take(), of: node)
        }

        /// Compares the shards that node and model have taken, and records them.
        private func adopt(_ signals: [StoreSignal], of node: Node) throws {
            var real: [ShardID: StoreEpoch] = [:]
            for case .granted(let shard, let epoch) in signals { real[shard] = epoch }
            let wanted = real.keys.sorted()
            let taken = modelled { () throws(JobError) in try model.take(wanted, for: node.id) }
            let found = Dictionary((try? taken.get()) ?? []) { first, _ in first }
            try compare("the shards that were taken", found, real)
            node.shards.merge(real) { $1 }
        }

        func session(of node: Node) -> StoreSession {
            StoreSession(node: NodeID(rawValue: "n"), shards: node.shards, clock: nil, isShared: true)
        }

        private func leave(_ node: Node) async throws {
            guard joined < Self.mostJoins else { return }
            note("leave", "node \(node.id)")
            try await ClusterMember.end(node.id, on: node.store.writer)
            model.end(node.id)
            try await join(node)
        }

        /// Lets one of the nodes try to declare this node dead.
        ///
        /// The attempt has no effect if it names an earlier beat than the last one. Otherwise the node continues to
        /// run, but its writes are refused.
        private func end(of node: Node) async throws {
            let known = model.tables.nodes[node.id]!
            let beat = turns.isOne(in: 3) ? known.beat - 1 : known.beat
            note("end", "node \(node.id), if its last beat was \(beat)")
            try await ClusterMember.end(node.id, ifBeatIs: beat, on: turns.one(of: nodes).store.writer)
            model.end(node.id, ifBeat: beat)
            if model.tables.nodes[node.id]!.ended, joined < Self.mostJoins, turns.isOne(in: 2) { try await join(node) }
        }

        private func loseSession(of node: Node) async throws {
            note("loseSession", "node \(node.id)")
            try await node.session.run("SELECT pg_advisory_unlock_all()")
            model.tables.nodes[node.id]!.hasSession = false
        }

        func beat(_ node: Node) async throws {
            note("beat", "node \(node.id)")
            if turns.isOne(in: 4), let jobs = turns.jobs() {
                count("serve")
                node.member!.serve(jobs)
                if !model.tables.nodes[node.id]!.ended { model.tables.nodes[node.id]!.jobs = jobs }
            }
            let real = try await node.member!.view()
            let found = model.beat(node.id, hasSession: true)
            func text(_ view: MembershipMachine.View) -> [String] {
                view.nodes.sorted { $0.id < $1.id }.map { node in
                    var rest = node
                    rest.jobs = nil
                    return "\(rest) \(NodeJobs.text(of: node.jobs) ?? "nothing said")"
                }
                    + view.owners.sorted { $0.key < $1.key }.map { "\($0.key.rawValue) \($0.value ?? 0)" }
            }
            try compare("what a beat sees", text(found.view), text(real))
            let signals = node.signals.take()
            var (replies, queues, hasSubmissions) = ([String](), [String](), false)
            for signal in signals {
                switch signal {
                case .reply(let call, let reply): replies.append("\(call) \(reply)")
                case .queue(let queue, let places): queues.append("\(queue) \(places)")
                case .submissions: hasSubmissions = true
                default: break
                }
            }
            try compare("replies", found.replies.map { "\($0.call) \($0.reply)" }.sorted(), replies.sorted())
            try compare("queues", found.queues.map { "\($0) \(found.places[$0.id] ?? 0)" }, queues)
            try compare("whether there are submissions", found.hasSubmissions, hasSubmissions)
        }

        private func take(_ node: Node) async throws {
            let wanted = (0..<StoreSchema.shards).filter { _ in turns.isOne(in: 4) }.map(ShardID.init)
            note("take", "node \(node.id): \(wanted.count)")
            let real = try await outcome { try await node.member!.take(wanted) }
            let signals = node.signals.take()
            if case .failure(let error) = real {
                let found = modelled { () throws(JobError) in try model.take(wanted, for: node.id) }
                guard case .failure(let other) = found, other.code == error.code else {
                    return try compare("taking shards", "\(found)", "\(error)")
                }
                return
            }
            let free = wanted.filter { model.tables.shards[$0.rawValue].owner == nil }
            try compare("the shards that are free", free.count, signals.count)
            try adopt(signals, of: node)
        }

        // MARK: Turns

        private func commit(_ node: Node) async throws {
            // The turn often names shards that another node now owns.
            let session = session(of: node)
            let turn = turns.turn(model.tables, session, of: node.id)
            note("commit", "node \(node.id): \(Self.text(turn))")
            let isClockNew = turn.clock != node.clock
            node.clock = nil
            let isTrusted = node.member!.isTrusted
            let real = try await outcome { try await node.store.commit(turn, in: session) }
            guard isTrusted else { throw Difference(description: "the history lasts too long") }
            let calls = try await sequences(ofCallsFrom: node)
            if case .success(let results) = real {
                // The real sequence values are given to the model, because a refused transaction may have drawn any
                // number of them.
                model.chosenSequence = { part in
                    guard case .success = results[part] else { return nil }
                    let forwarded = turn.forwarded.first { $0.part == part }
                    guard let forwarded, case .call(let call, _, _) = forwarded.origin else { return nil }
                    return calls[[Int64(call), Int64(forwarded.shard.rawValue)]]
                }
                model.chosenKey = { part, change in
                    // A refused part has made no job, so a key is returned that belongs to no job.
                    guard case .success(let jobs) = results[part] else { return -Int64(part * 10 + change) - 1 }
                    return jobs[change].key
                }
            }
            let before = (model.tables, model.sequences, notified)
            func turnModelled(refusing refused: Set<Int>) -> Result<[Result<[Job], JobError>], JobError> {
                (model.tables, model.sequences, notified) = before
                return modelled { () throws(JobError) in
                    try model.commit(
                        turn, of: node.id, in: session, isClockNew: isClockNew, at: SystemTime().wall(),
                        refusing: refused)
                }
            }
            var found = turnModelled(refusing: [])
            var others: Set<Int> = []
            while case .success(let expected) = found, case .success(let results) = real {
                // If several parts use the same name, the database may refuse other parts than the model, and more of
                // them. It may then accept a part that the model has refused.
                let more = Self.refused(results).subtracting(Self.refused(expected))
                guard !more.isEmpty, more.allSatisfy({ hasRival($0, in: turn) }) else { break }
                count("refused because of another part")
                others.formUnion(more)
                found = turnModelled(refusing: others)
            }
            switch (found, real) {
            case (.success(let expected), .success(let results)):
                let answers = zip(expected, results).enumerated().map { part, answers in
                    isRefusedForName(answers, part, of: turn) ? answers.1 : answers.0
                }
                try compare("the parts of a turn", text(answers, of: turn), text(results, of: turn))
                node.clock = turn.clock
                for shard in turn.released { node.shards[shard] = turns.isOne(in: 2) ? node.shards[shard] : nil }
                for result in results { if case .success = result { count("applied") } else { count("refused") } }
            case (.failure(let expected), .failure(let error)):
                try compare("why a turn is refused", expected.code, error.code)
                count("refused \(error.code)")
            default: try compare("a turn", "\(found)", "\(real)")
            }
            try await compareNotifications()
        }

        /// Returns the newest sequence number for each of the node's calls in each shard.
        private func sequences(ofCallsFrom node: Node) async throws -> [[Int64]: Int64] {
            let rows = try await node.store.writer.rows(
                "SELECT call, shard, sequence FROM apus.submission WHERE sender = \(node.id) ORDER BY sequence")
            return try Dictionary(
                rows.map { ([try $0.decode(at: 0), try $0.decode(at: 1)], try $0.decode(at: 2)) },
                uniquingKeysWith: { $1 })
        }

        private static func refused(_ results: [Result<[Job], JobError>]) -> Set<Int> {
            Set(results.indices.filter { if case .failure = results[$0] { true } else { false } })
        }

        /// Returns whether the model and the database refuse a part for different faults, and the database refuses it
        /// for a name that another job or part has.
        private func isRefusedForName(
            _ answers: (model: Result<[Job], JobError>, real: Result<[Job], JobError>), _ part: Int, of turn: StoreTurn
        ) -> Bool {
            guard case .failure(let other) = answers.model, case .failure(let error) = answers.real,
                other.code == .conflict, error.code == .alreadyExists
            else { return false }
            let names = turn.parts[part].filter(\.requiresFreeName).compactMap(\.job.request.name)
            let parts = turn.parts.enumerated().filter { $0.offset != part }.flatMap(\.element).map(\.job)
            return (parts + model.tables.rows.values.map(\.job)).contains { job in
                !job.state.isFinal && names.contains { $0 == job.request.name }
            }
        }

        /// Returns whether another part of the turn has the same identifier, idempotency key or content.
        private func hasRival(_ part: Int, in turn: StoreTurn) -> Bool {
            func names(_ part: Int) -> Set<String> {
                Set(
                    turn.parts[part].flatMap { change in
                        [change.job.request, model.tables.rows[change.job.key]?.job.request].compactMap { $0 }
                            .flatMap { request in
                                ["id \(request.id)", "key \(request.idempotencyKey ?? "of part \(part)")"]
                                    + (request.uniqueContent.map { ["\(request.kind) \($0)"] } ?? [])
                            }
                    })
            }
            return turn.parts.indices.contains { $0 != part && !names($0).isDisjoint(with: names(part)) }
        }

        private static func text(_ turn: StoreTurn) -> String {
            let parts = turn.parts.map { changes in
                changes.map { change in
                    let (job, request) = (change.job, change.job.request)
                    return "\(job.id) \(job.key) \(change.expected) shard \(change.shard.rawValue) "
                        + "\(change.destination.map { "to \($0.rawValue) " } ?? "")\(job.state) "
                        + "\(request.kind) \(request.payload) \(request.uniqueness.kind) "
                        + "key \(request.idempotencyKey ?? "-") \(change.isRequestChanged ? "changed" : "") "
                        + change.runs.map { "\($0.occurrence).\($0.attempt) \($0.state)" }.joined(separator: ", ")
                }.joined(separator: " and ")
            }
            return parts.joined(separator: "\n    ")
                + " \(turn.taken) \(turn.forwarded) \(turn.released.count) released"
        }

        /// Describes the results of a turn's parts.
        ///
        /// For a part with several changes the error is omitted, because any of several faults may be reported.
        private func text(_ results: [Result<[Job], JobError>], of turn: StoreTurn) -> [String] {
            results.enumerated().map { part, result in
                switch result {
                case .success(let jobs): jobs.map { "\($0)" }.joined(separator: "; ")
                case .failure(let error): turn.parts[part].count > 1 ? "refused" : "refused: \(error.code)"
                }
            }
        }

        private func submit() async throws {
            let request = turns.request(turns.id())
            note("submit", "\(request)")
            let rows = try await nodes[0].store.writer.execute(
                PostgresBatch([
                    PostgresStatement("SELECT apus.submit($1::jsonb)", [.text(JobJSON.text(of: request))]),
                    PostgresStatement(
                        "SELECT sequence, shard, submitted FROM apus.submission ORDER BY sequence DESC LIMIT 1"),
                ]))[1]
            let (sequence, shard): (Int64, Int64) = (try rows[0].decode(at: 0), try rows[0].decode(at: 1))
            model.sequences.submission = sequence - 1
            model.submit(
                request, at: StoreInstant.decode(try rows[0].decode(at: 2)), shard: ShardID(rawValue: Int(shard)))
            try await compareNotifications()
        }
    }
#endif
