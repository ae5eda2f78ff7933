import ApusPostgres
import ApusTestSupport
import ApusTimers
import ArgumentParser
import Foundation
import PostgresTestServer

/// A fault that is injected into a cluster.
enum Nemesis: String, CaseIterable, ExpressibleByArgument, Sendable {
    case kill, stop, pause, cut, terminate, crash, full, snapshot, clocks, upgrade, promote, lag, poison, block

    var summary: String {
        switch self {
        case .kill: "SIGKILL of a node; another one is started 6 s later"
        case .stop: "SIGTERM of a node, and another one at once"
        case .pause: "SIGSTOP of a node, SIGCONT 15 s later"
        case .cut: "nothing of a node reaches the database for 10 s"
        case .terminate: "pg_terminate_backend for all sessions"
        case .crash: "the database is killed, and started again 2 s later"
        case .full: "the database's disk is full for 8 s"
        case .snapshot: "a transaction held open for 60 s"
        case .clocks: "clocks an hour slow and an hour fast; SIGKILL of a node"
        case .upgrade: "the schema is migrated, a node replaced by one that knows it, an old one killed"
        case .promote: "the primary is killed, and its synchronous standby promoted"
        case .lag: "the primary is killed, and promoted a standby that lacks its last seconds"
        case .poison: "rows and submissions that no node can read; SIGKILL of a node"
        case .block: "handlers block all threads of a node for \(OwnServe.blockedTime)"
        }
    }

    private func seconds(_ long: Int, _ short: Int, _ isShort: Bool) -> Duration {
        .seconds(isShort ? short : long)
    }

    /// Returns the approximate duration of a round.
    func roundSeconds(isShort: Bool) -> Int {
        let own =
            switch self {
            case .kill, .clocks: 9
            case .stop: 6
            case .pause: isShort ? 9 : 18
            case .cut: isShort ? 8 : 13
            case .terminate: 1
            case .crash: 6
            case .full: 12
            case .snapshot: isShort ? 8 : 60
            case .upgrade: 16
            case .promote: 12
            case .lag: 18
            case .poison: 20
            case .block: 12
            }
        return own + Self.quietSeconds(isShort)
    }

    static func quietSeconds(_ isShort: Bool) -> Int { isShort ? 4 : 8 }

    /// Injects the fault and removes it.
    ///
    /// - Returns: The struck node with the instants of the strike.
    func strike(_ cluster: Cluster, round: Int, isShort: Bool) async throws -> Strike {
        let slot = Int(cluster.random.next() % 3)
        let victim = cluster.node(slot)!
        var strike = Strike(victim: nil, began: wallNow())
        switch self {
        case .kill, .clocks:
            strike.victim = victim.name
            victim.signal(SIGKILL)
            try await wait(.seconds(6))
            try cluster.start(slot)
        case .stop:
            strike.victim = victim.name
            victim.signal(SIGTERM)
            try await victim.waitForEnd(atMost: .seconds(30))
            try cluster.start(slot)
        case .pause:
            strike.victim = victim.name
            victim.signal(SIGSTOP)
            try await wait(seconds(15, 6, isShort))
            victim.signal(SIGCONT)
            try await wait(.seconds(3))
        case .cut:
            strike.victim = victim.name
            cluster.proxies[slot].hold(.toServer)
            try await wait(seconds(10, 6, isShort))
            cluster.proxies[slot].release(.toServer)
            try await wait(.seconds(2))
        case .terminate:
            try cluster.query(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            strike.returned = strike.began
        case .crash:
            try cluster.primary.crash()
            try await wait(.seconds(2))
            try cluster.primary.start()
            strike.returned = wallNow()
        case .full:
            try await fillDisk(of: cluster)
            strike.returned = wallNow()
        case .snapshot:
            let session = try cluster.primary.openSession(
                "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1; SELECT pg_sleep(3600)", in: cluster.database)
            try await wait(seconds(60, 8, isShort))
            Glibc.kill(session.id, SIGINT)
            _ = session.wait()
        case .upgrade: try await upgrade(cluster, to: StoreMigrations.shipped.newest + round, &strike)
        case .promote:
            try cluster.primary.crash()
            try cluster.standby.promote()
            cluster.promoted()
            strike.returned = wallNow()
        case .lag: try await promoteLagging(cluster, slot, restarts: round % 2 == 1, &strike)
        case .poison:
            let poison = Poison(round: round)
            try await poison.put(into: cluster)
            strike.victim = victim.name
            strike.began = wallNow()
            victim.signal(SIGKILL)
            try await wait(.seconds(6))
            try cluster.start(slot)
            try await cluster.waitUntilUp(slot)
            try await poison.waitUntilSetAside(in: cluster)
            try poison.remove(from: cluster)
        case .block: try await blockThreads(of: victim, in: cluster)
        }
        try await cluster.revive()
        strike.ended = wallNow()
        return strike
    }

    /// Replaces one of two nodes by a node that knows the new version, and then kills the third node.
    ///
    /// The versions alternate between the two nodes. The third node always has the first version, and its program joins
    /// again after the kill.
    private func upgrade(_ cluster: Cluster, to version: Int, _ strike: inout Strike) async throws {
        let inspection = PostgresInspection(
            try PostgresConfiguration(cluster.connection()), migrations: .upTo(version))
        defer { Task { await inspection.disconnect() } }
        try await inspection.migrate()
        let slot = 1 + version % 2
        cluster.node(slot)!.signal(SIGTERM)
        try await cluster.node(slot)!.waitForEnd(atMost: .seconds(30))
        try cluster.start(slot, schema: version)
        try await cluster.waitUntilUp(slot)
        try await cluster.waitForEvenShares()
        let old = cluster.node(0)!
        strike.victim = old.name
        strike.began = wallNow()
        old.signal(SIGKILL)
        try await wait(.seconds(6))
        try cluster.start(0)
    }

    /// Promotes a standby that lacks the primary's latest commits.
    ///
    /// With `restarts`, a node leaves and another one joins after the standby was cut off. The promoted database then
    /// does not know the new node, and its owners and epochs differ from those that the nodes know.
    private func promoteLagging(
        _ cluster: Cluster, _ slot: Int, restarts: Bool, _ strike: inout Strike
    ) async throws {
        let (old, new) = (cluster.primary, cluster.standby)
        let timeline = try old.timeline()
        let began = wallNow()
        let position = try await new.cutOff()
        if restarts {
            cluster.node(slot)!.signal(SIGTERM)
            try await cluster.node(slot)!.waitForEnd(atMost: .seconds(30))
            try cluster.start(slot)
            try await cluster.waitUntilUp(slot)
            try await wait(.seconds(2))
        } else {
            try await wait(.seconds(4))
        }
        try old.crash()
        strike.began = wallNow()
        try new.promote()
        cluster.promoted()
        let returned = wallNow()
        strike.returned = returned
        try await cluster.revive()
        let names = try old.namesOfJobs(submittedAfter: position, timeline: timeline, in: cluster.database)
        guard !names.isEmpty else { throw Failure("the standby did not lag") }
        strike.tail = LostTail(began: began, ended: returned, names: names)
    }

    /// Blocks the threads of the node, so that no run starts.
    ///
    /// The node is not declared dead, because heartbeats need no thread of the pool.
    private func blockThreads(of node: NodeProcess, in cluster: Cluster) async throws {
        node.signal(OwnServe.blockingSignal)
        try await wait(.seconds(1))
        let began = wallNow()
        try await wait(OwnServe.blockedTime - .seconds(2))
        let ended = wallNow()
        try await wait(.seconds(3))
        let effects = try Evidence.effects(of: cluster)
        guard !effects.contains(where: { $0.isStart && $0.node == node.name && began...ended ~= $0.instant }) else {
            throw Failure("the threads of \(node.name) were not blocked")
        }
        let isAlive = try cluster.query("SELECT ended IS NULL FROM apus.node WHERE name = '\(node.name)'")
        guard isAlive == [["t"]] else { throw Failure("\(node.name) was taken for dead while its handlers blocked") }
    }

    private func fillDisk(of cluster: Cluster) async throws {
        let ballast = "\(cluster.primary.folder)/ballast"
        // The program ends when there is no more space.
        _ = try? Shell.run(["dd", "if=/dev/zero", "of=\(ballast)", "bs=64k"])
        guard try Shell.run(["df", "--output=avail", cluster.primary.folder]).hasSuffix(" 0\n") else {
            throw Failure("the disk is not full")
        }
        try await wait(.seconds(4))
        // The next file of the log does not fit either, so the server stops.
        _ = try? cluster.query("SELECT pg_switch_wal()")
        try await wait(.seconds(4))
        try Shell.run(["rm", ballast])
        try await wait(.seconds(1))
        if !cluster.primary.isRunning { try cluster.primary.start() }
    }
}

/// One strike of a nemesis; instants are nanoseconds since 1970.
struct Strike: Sendable {
    /// The struck node; `nil` if all were struck.
    var victim: String?
    var began: UInt64
    /// The instant at which the database was available again, if it was unavailable.
    var returned: UInt64?
    /// The commits that a promotion has lost.
    var tail: LostTail?
    var ended: UInt64 = 0
}
