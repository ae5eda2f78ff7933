import ApusJobs
import ApusPostgres
import ApusTimers
import ApusVirtualTime
import Testing

/// Nodes share a modelled database in virtual time, and a seed decides which are killed, stopped, cut off or slow.
@Suite("Membership of a cluster")
struct MembershipTests {
    @Test("no two nodes ever act for one shard, and each has its share after the faults end", arguments: 1...200)
    func histories(seed: UInt64) {
        var model = ClusterModel(seed: seed)
        model.run(seconds: 60)
        #expect(model.violations == [])
        model.makePeace()
        // A dead node is noticed within its time-out, and shares move with the next heartbeats.
        model.run(seconds: 12)
        #expect(model.violations == [])
        #expect(model.isSpreadEvenly, "\(model.owners)")
    }

    @Test("other nodes own a killed node's shards within five seconds")
    func killed() {
        var model = ClusterModel(seed: 7, isPeaceful: true)
        model.run(seconds: 10)
        #expect(model.isSpreadEvenly)
        model.kill(0)
        model.run(seconds: 5)
        #expect(model.owners.values.allSatisfy { $0 != nil && $0 != 1 })
    }

    @Test("a silent node is dead once its own time-out has passed", arguments: [3, 30])
    func ownPatience(seconds: Int64) {
        var machine = MembershipMachine(id: 1, at: UptimeInstant(nanoseconds: 0))
        var death: Int64?
        for tenth in 0..<600 where death == nil {
            let now = UptimeInstant(nanoseconds: UInt64(tenth) * 100_000_000)
            let nodes = [
                MembershipMachine.View.Node(id: 1, beat: Int64(tenth), hasSession: true, isLeaving: false),
                .init(id: 2, beat: 7, hasSession: true, isLeaving: false, patience: .seconds(seconds)),
            ]
            let actions = machine.beat(.init(nodes: nodes, owners: [:]), began: now, at: now)
            if actions.contains(.declareDead(2, beat: 7)) { death = Int64(tenth) }
        }
        #expect(death == seconds * 10)
    }

    @Test("a node that can run nothing owns no shard, and one that has not announced its kinds counts as able to")
    func roles() {
        let now = UptimeInstant(nanoseconds: 1_000_000_000)
        let kinds: [Int64: RunnableJobs] = [
            1: RunnableJobs(kinds: ["k"]), 2: RunnableJobs(kinds: ["k"], queues: .nothing), 3: RunnableJobs(kinds: []),
        ]
        func nodes(_ ids: [Int64]) -> [MembershipMachine.View.Node] {
            ids.map { .init(id: $0, beat: 1, hasSession: true, isLeaving: false, jobs: kinds[$0]) }
        }
        func actions(of id: Int64, _ owners: [Int64?]) -> [MembershipMachine.Action] {
            var machine = MembershipMachine(id: id, at: now)
            let shards = owners.enumerated().map { (ShardID(rawValue: $0.offset), $0.element) }
            let view = MembershipMachine.View(
                nodes: nodes([1, 2, 3, 4]), owners: Dictionary(uniqueKeysWithValues: shards))
            return machine.beat(view, began: now, at: now).filter { $0 != .act }
        }
        #expect(actions(of: 1, [nil, nil, nil, nil]) == [.take([ShardID(rawValue: 0), ShardID(rawValue: 1)])])
        #expect(actions(of: 2, [nil, nil, nil, nil]).isEmpty && actions(of: 3, [nil, nil, nil, nil]).isEmpty)
        #expect(actions(of: 2, [2, 2, 1, 4]) == [.giveBack(2)])
        #expect(actions(of: 1, [1, 1, 4, 4]).isEmpty && actions(of: 4, [1, 1, 4, 4]).isEmpty)
        let view = MembershipMachine.View(nodes: nodes([4, 3, 2, 1]), owners: [.only: 3])
        // The fourth node in the view has not announced what it can run.
        #expect(view.others(than: 1).members.map(\.jobs) == [kinds[2], kinds[3]])
        #expect(view.others(than: 1).members.map(\.shards) == [[], [.only]] && view.others(than: 1).shards == [.only])
    }

    @Test("a node that cannot reach the database ceases to act before others have its shards")
    func cutOff() {
        var model = ClusterModel(seed: 8, isPeaceful: true)
        model.run(seconds: 10)
        model.cut(0)
        model.run(seconds: 10)
        #expect(model.violations == [])
        #expect(model.owners.values.allSatisfy { $0 != 1 })
        #expect(!model.isActing(0))
    }
}

/// Models the database and its nodes.
struct ClusterModel {
    private struct Node {
        var machine: MembershipMachine
        var isAlive = true
        var isStopped = false
        var isCut = false
        /// The shards that the node believes it owns.
        var shards: Set<ShardID> = []
        var acts = false
        /// The answer that is on its way to the node; it has no view if the node's heartbeat was lost.
        var answer: (at: Int64, began: Int64, view: MembershipMachine.View?)?
    }

    private static let shardCount = 16
    private let random: SeededRandom
    private let isPeaceful: Bool
    private var isPeace = false
    private var now: Int64 = 0
    private var nodes: [Node] = []
    private var beats: [Int64: Int64] = [:]
    private var ended: Set<Int64> = []
    private(set) var owners: [ShardID: Int64?]
    private(set) var violations: [String] = []

    init(seed: UInt64, isPeaceful: Bool = false) {
        random = SeededRandom(seed: seed)
        self.isPeaceful = isPeaceful
        owners = Dictionary(
            uniqueKeysWithValues: (0..<Self.shardCount).map { (ShardID(rawValue: $0), nil as Int64?) })
        for _ in 0..<3 { join() }
    }

    private func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    /// Converts milliseconds to an instant.
    private static func instant(_ time: Int64) -> UptimeInstant {
        UptimeInstant(nanoseconds: UInt64(time) * 1_000_000)
    }

    private mutating func join() {
        let id = Int64(nodes.count + 1)
        beats[id] = 0
        nodes.append(Node(machine: MembershipMachine(id: id, at: Self.instant(now))))
    }

    mutating func kill(_ index: Int) { nodes[index].isAlive = false }
    mutating func cut(_ index: Int) { nodes[index].isCut = true }
    func isActing(_ index: Int) -> Bool { nodes[index].acts }

    mutating func makePeace() {
        isPeace = true
        for index in nodes.indices { (nodes[index].isStopped, nodes[index].isCut) = (false, false) }
        if !nodes.contains(where: { $0.isAlive && !ended.contains($0.machine.id) }) { join() }
    }

    var isSpreadEvenly: Bool {
        let alive = nodes.filter { $0.isAlive && !ended.contains($0.machine.id) }.map(\.machine.id)
        let counts = alive.map { id in owners.values.count { $0 == id } }
        return counts.reduce(0, +) == Self.shardCount && counts.max()! - counts.min()! <= 1
    }

    mutating func run(seconds: Int) {
        for _ in 0..<(seconds * 20) {
            now += 50
            if !isPeace, !isPeaceful, pick(40) == 0 { trouble() }
            for index in nodes.indices where nodes[index].isAlive && !nodes[index].isStopped { step(index) }
            check()
        }
    }

    private mutating func trouble() {
        let index = pick(nodes.count)
        switch pick(6) {
        case 0: if nodes.filter(\.isAlive).count > 1 { kill(index) }
        case 1: nodes[index].isStopped = true
        case 2: nodes[index].isStopped = false
        case 3: cut(index)
        case 4: nodes[index].isCut = false
        default: if nodes.count < 8 { join() }
        }
    }

    private mutating func step(_ index: Int) {
        let id = nodes[index].machine.id
        perform(nodes[index].machine.look(at: Self.instant(now)), index)
        if let answer = nodes[index].answer {
            guard answer.at <= now else { return }
            nodes[index].answer = nil
            let began = Self.instant(answer.began)
            guard let view = answer.view, !nodes[index].isCut else {
                return perform(nodes[index].machine.beatFailed(began: began, at: Self.instant(now)), index)
            }
            perform(nodes[index].machine.beat(view, began: began, at: Self.instant(now)), index)
        } else if nodes[index].machine.nextBeat <= Self.instant(now) {
            if !nodes[index].isCut, !ended.contains(id) { beats[id]! += 1 }
            let delay = Int64(pick(isPeace || isPeaceful ? 100 : 1_500))
            nodes[index].answer = (now + delay, now, nodes[index].isCut ? nil : view)
        }
    }

    private var view: MembershipMachine.View {
        .init(
            nodes: nodes.filter { !ended.contains($0.machine.id) }.map {
                .init(id: $0.machine.id, beat: beats[$0.machine.id]!, hasSession: $0.isAlive, isLeaving: false)
            }, owners: owners)
    }

    private mutating func perform(_ actions: [MembershipMachine.Action], _ index: Int) {
        let id = nodes[index].machine.id
        for action in actions {
            switch action {
            case .act: nodes[index].acts = true
            case .ceaseToAct: nodes[index].acts = false
            case .take(let wanted):
                if ended.contains(id) || nodes[index].isCut { continue }
                for shard in wanted where owners[shard]! == nil {
                    owners[shard] = .some(id)
                    nodes[index].shards.insert(shard)
                }
            case .giveBack(let count):
                if ended.contains(id) || nodes[index].isCut { continue }
                for shard in nodes[index].shards.sorted().prefix(count) {
                    owners[shard] = .some(nil)
                    nodes[index].shards.remove(shard)
                }
            case .declareDead(let other, let beat):
                if ended.contains(id) || nodes[index].isCut || beats[other] != beat { continue }
                ended.insert(other)
                for (shard, owner) in owners where owner == other { owners[shard] = .some(nil) }
            case .forgetShards: nodes[index].shards = []
            }
        }
    }

    /// Checks that no two running nodes act for one shard; a stopped node acts for none.
    private mutating func check() {
        for (shard, owner) in owners {
            let acting = nodes.filter { $0.isAlive && !$0.isStopped && $0.acts && $0.shards.contains(shard) }
            for node in acting where node.machine.id != owner {
                violations.append("\(now) ms: node \(node.machine.id) acts for \(shard.rawValue) of \(owner ?? 0)")
            }
        }
    }
}
