import ApusJobs
import ApusTimers

/// The rules that can be left out, to show that the simulation detects a missing rule.
package enum ClusterMutant: String, CaseIterable, Sendable {
    /// The database does not check which node writes.
    case noFence
    /// A node that takes a shard gets the epoch of the previous owner.
    case epochStays
    /// A forwarded command is not removed when it was carried out.
    case submissionStays
    /// A node trusts its last beat for longer than the patience of the others.
    case trustTooLong
    /// A node gets places of a queue that others have.
    case morePlaces
    /// A run that its handler has completed can be ended like any other.
    case completionUnseen
    /// The count of numbers that a promoted database skips does not grow with each promotion.
    case sameNumbers
    /// The database does not check the timeline of a turn.
    case staleTimeline
    /// A node does not notice that a standby was promoted.
    case promotionUnseen
    /// The database does not check whether another job has a name that a new job requires to be free.
    case nameUnchecked
    /// A postponed handler is called at once.
    case snoozeAtOnce
    /// A node does not check whether the database still has the places in queues that it gave the node.
    case placesBelieved
    /// The database does not check which node moves a job.
    case moveUnfenced
    /// A job moves without its wakes.
    case wakeStays
}

/// The events in one simulated cluster; times are milliseconds.
struct ClusterHistory: CustomStringConvertible {
    enum Command: String, CaseIterable { case cancel, suspend, resume, runNow, retry, cancelRun }

    enum Action {
        case submit(node: Int, ClusterPlan)
        /// Submits a job in a transaction of an application.
        case submitInTransaction(ClusterPlan)
        case command(Command, node: Int, job: Int)
        case crash(node: Int, ofMachine: Bool, back: Int)
        case pause(node: Int, for: Int)
        /// Loses the requests of a node, the answers to the node, or both.
        case partition(node: Int, requests: Bool, answers: Bool, for: Int)
        /// Slows down one connection of a process, or all of them.
        case slow(node: Int, link: Int, upTo: Int, for: Int)
        /// Fails this percentage of requests.
        case lossy(node: Int, percent: Int, for: Int)
        case restartDatabase(for: Int)
        /// Promotes a standby that lags by `lag`; the database is unavailable for the given time.
        case promote(lag: Int, for: Int)
        /// Sets the database's time of day.
        case setClock(by: Int)
        /// Stops a node; if `grace` is `nil`, the node waits for its handlers without a limit.
        case leave(node: Int, grace: Int?, back: Int)
    }

    struct Step {
        var at: Int
        var action: Action
    }

    var seed: UInt64
    var nodes: Int
    var shards: Int
    /// The duration of the trouble.
    var trouble: Int
    /// The maximum number of simultaneous runs of each queue, over all nodes.
    var limits: [QueueID: Int]
    /// The maximum number of simultaneous runs of one key on a node.
    ///
    /// Jobs have keys only in every eighth history.
    var limitsPerKey: [QueueID: Int]
    /// The role of each process; `nil` if every process runs all jobs.
    var roles: [ClusterRole]?
    /// The number of initial jobs whose rows no node can read.
    var unreadable: Int
    var steps: [Step]

    init(seed: UInt64) {
        self.seed = seed
        let random = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 0xC1D2_E3F4)
        func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
        nodes = 3 + pick(pick(3) == 0 ? 5 : 2)
        shards = 8 + pick(9)
        trouble = 6_000 + pick(14_000)
        limits = ["one": 1, "few": 2 + pick(2)]
        limitsPerKey = seed % 8 == 4 ? ["few": 1, "default": 1 + Int(seed / 8 % 2)] : [:]
        // Only every third history has unreadable jobs, so that the other histories are the same as before such jobs
        // were added.
        unreadable = seed.isMultiple(of: 3) ? 1 + Int(seed / 3 % 7) : 0
        steps = []
        var number = 0
        // Names have their own random numbers and occur only in every other history, so that the histories without
        // names are the same as before names were added.
        let names = SeededRandom(seed: seed &* 0xA24B_AED4_963E_E407 &+ 0x9FB2_1C65)
        // Roles have their own random numbers and occur only in every third history, for the same reason.
        if seed % 3 == 2 {
            let random = SeededRandom(seed: seed &* 0x8EBC_6AF0_9C88_C6E3 &+ 0x5851_F42D)
            roles = (0..<nodes).map { ClusterRole.drawn(for: $0) { Int(random.next() % UInt64($0)) } }
        }
        let (hasRoles, hasKeys) = (roles != nil, !limitsPerKey.isEmpty)
        func plan() -> ClusterPlan {
            number += 1
            var plan = ClusterPlan(number: number, pick)
            plan.isRare = hasRoles && plan.payload == nil && plan.id.rawValue.utf8.last! % 2 == 0
            plan.hasKey = hasKeys && plan.payload == nil
            plan.requiresFreeName = seed.isMultiple(of: 2) && names.next() % 2 == 0
            return plan
        }
        // These jobs only run by hand, and each of their runs is one command.
        for id in 0..<2 {
            number += 1
            steps.append(.init(at: pick(200), action: .submit(node: pick(nodes), .byHand(number: number, id: id))))
        }
        for _ in 0..<(4 + pick(8)) { steps.append(.init(at: pick(1_500), action: .submit(node: pick(nodes), plan()))) }
        for _ in 0..<(3 + pick(14)) {
            let at = pick(trouble)
            switch pick(10) {
            case 0: steps.append(.init(at: at, action: .submitInTransaction(plan())))
            case 1:
                // Several nodes get the same submission at about the same time.
                let same = plan()
                for _ in 0..<(2 + pick(2)) {
                    steps.append(.init(at: at + pick(20), action: .submit(node: pick(nodes), same)))
                }
            case 2: steps.append(.init(at: at, action: .submit(node: pick(nodes), plan())))
            case 3, 4, 5:
                steps.append(.init(at: at, action: .command(.runNow, node: pick(nodes), job: -1 - pick(2))))
            default:
                let command = Command.allCases[pick(Command.allCases.count)]
                steps.append(.init(at: at, action: .command(command, node: pick(nodes), job: pick(6))))
            }
        }
        let kinds = (0..<(1 + pick(3))).map { _ in pick(10) }
        // Often all of the trouble concerns one node, and occurs at about the same time.
        let victim = pick(2) == 0 ? pick(nodes) : nil
        let worst = pick(2) == 0 ? 1_500 + pick(trouble - 1_500) : nil
        for _ in 0..<(2 + pick(9)) {
            let at = worst.map { max(0, $0 - 2_000 + pick(4_000)) } ?? pick(trouble)
            let node = pick(4) == 0 ? pick(nodes) : victim ?? pick(nodes)
            let action: Action =
                switch kinds[pick(kinds.count)] {
                case 0: .crash(node: node, ofMachine: pick(3) == 0, back: 200 + pick(5_000))
                case 1, 2: .pause(node: node, for: pick(2) == 0 ? 1 + pick(2_000) : 1_000 + pick(7_000))
                case 3:
                    .partition(node: node, requests: pick(3) != 0, answers: pick(2) == 0, for: 200 + pick(6_000))
                case 4: .slow(node: node, link: pick(4), upTo: 50 + pick(4_000), for: 500 + pick(6_000))
                case 5: .lossy(node: node, percent: 10 + pick(50), for: 500 + pick(8_000))
                case 6: .restartDatabase(for: pick(2_500))
                case 7: .promote(lag: pick(3) == 0 ? 0 : pick(2_000), for: pick(2_500))
                case 8: .setClock(by: pick(5) == 0 ? 3_600_000 : (pick(2) == 0 ? 1 : -1) * (200 + pick(4_000)))
                default: .leave(node: node, grace: pick(2) == 0 ? nil : pick(2_000), back: 200 + pick(6_000))
                }
            steps.append(.init(at: at, action: action))
        }
        steps = steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    var description: String {
        "\(nodes) nodes, \(shards) shards, \(unreadable) jobs that no node can read, trouble for \(trouble) ms\n"
            + (roles ?? []).map { "  a process runs \($0)\n" }.joined()
            + steps.map { "  \($0.at) ms: \($0.action)" }.joined(separator: "\n")
    }
}

/// A job that is submitted, and the behaviour of its handlers; times are milliseconds.
struct ClusterPlan {
    enum When {
        case after(Int)
        case at(Int)
        case every(Int, count: Int?)
    }

    var number: Int
    var id: JobID
    var when: When
    var overlap = OverlapPolicy.skip
    var conflict = ConflictPolicy.update
    var attempts = 1
    var idempotencyKey: String?
    var longest = 0
    /// The number of failing attempts out of ten.
    var failures = 0
    /// The delay of occasional postponements; 0 for none.
    var snooze = 0
    /// The payload or key that only one open job may have.
    var payload: Int?
    /// Whether handlers obey a cancellation.
    var obeys = true
    /// Whether the submission makes a job only if no other open job has its name.
    var requiresFreeName = false
    /// Whether only some nodes have a handler for the job; this is the same for each submission of an identifier.
    var isRare = false
    var hasKey = false

    /// The key, which is the same for each submission of an identifier.
    var key: String? { hasKey ? "key\(id.rawValue.utf8.last! % 4 / 2)" : nil }

    /// The name, which is the same for each submission of an identifier, so that no update changes the name of a job.
    var name: String? {
        guard id.rawValue.hasPrefix("job"), let number = Int(id.rawValue.dropFirst(3)) else { return nil }
        return "name\(number % 3)"
    }

    /// Whether handlers have an effect in the database, and complete their runs with it.
    var completes: Bool { number % 3 == 0 }

    var isAt: Bool { if case .at = when { true } else { false } }

    /// The queue, which is the same for each submission of an identifier.
    var queue: QueueID {
        // A job that is found by its payload may get the request of a plan with another identifier, so all of these
        // plans have the same queue.
        if payload != nil { return "default" }
        let last = id.rawValue.utf8.last!
        return last % 3 == 0 ? "one" : last % 3 == 1 ? "few" : "default"
    }

    static func jobID(_ number: Int) -> JobID { number < 0 ? JobID("hand\(-1 - number)") : JobID("job\(number)") }

    static func byHand(number: Int, id: Int) -> ClusterPlan {
        ClusterPlan(number: number, id: jobID(-1 - id), when: .after(86_400_000), longest: 200)
    }

    private init(number: Int, id: JobID, when: When, longest: Int) {
        (self.number, self.id, self.when, self.longest) = (number, id, when, longest)
    }

    init(number: Int, _ pick: (Int) -> Int) {
        self.number = number
        id = Self.jobID(pick(6))
        when = .after(pick(4_000))
        switch pick(6) {
        case 0: when = .at(pick(6_000))
        case 1: when = .after(pick(8_000))
        default: when = .every(600 + pick(2_500), count: pick(2) == 0 ? nil : 1 + pick(6))
        }
        switch pick(6) {
        case 0: overlap = .queue(limit: 1 + pick(3))
        case 1: overlap = .allow(limit: 2 + pick(2))
        case 2: overlap = .replace
        default: break
        }
        conflict = [.update, .update, .keep, .refuse, .replace][pick(5)]
        if pick(3) == 0 { attempts = 2 + pick(2) }
        if pick(4) == 0 {
            id = JobID("once\(number)")
            idempotencyKey = "key\(number)"
        }
        if pick(5) == 0 {
            payload = pick(2)
            idempotencyKey = nil
            id = JobID("unique\(number)")
        }
        if pick(4) == 0 { snooze = 100 + pick(2_000) }
        longest = [0, 400, 2_000, 5_000, 10_000][pick(5)]
        failures = pick(3) == 0 ? pick(8) : 0
        obeys = pick(4) != 0
    }

    /// The uniqueness of the job: by its identifier, by its payload, or by a key that jobs with different payloads
    /// share.
    private var uniqueness: JobUniqueness {
        switch payload {
        case nil: .identifier
        case 0: .payload()
        case let key?: .key("\(key)")
        }
    }

    func request(at now: WallInstant) -> JobRequest {
        let trigger: Trigger =
            switch when {
            case .after(let delay): .after(.milliseconds(delay))
            case .at(let delay): .at(now.advanced(by: .milliseconds(delay)))
            case .every(let interval, let count): .every(.milliseconds(interval), count: count)
            }
        var request = JobRequest(
            id: id, name: name, kind: isRare ? "rare" : "work", trigger: trigger,
            policies: JobPolicies(
                overlap: overlap,
                retry: RetryPolicy.exponential(
                    attempts: attempts, from: .milliseconds(300), to: .seconds(1))),
            labels: ["plan": "\(number)"], payload: payload.map { [UInt8($0 == 0 ? 0 : number % 200)] } ?? [],
            queue: queue,
            fairnessKey: key, uniqueness: uniqueness, conflict: conflict,
            idempotencyKey: idempotencyKey)
        request.terms.requiresFreeName = requiresFreeName && name != nil
        return request
    }
}
