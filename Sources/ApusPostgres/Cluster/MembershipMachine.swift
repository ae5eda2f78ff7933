package import ApusJobs
package import ApusTimers

/// The membership of one node in the cluster: whether it may act, which other nodes there are, and which shards it
/// should own.
///
/// ```
///            joined
///  joining ─────────► member
///                     │   ▲
///       no beat for   │   │ beat
///        the trust    ▼   │
///                    cut off
///
///  joining, member or cut off ─── stop ──────────────────────────► leaving
///  any state ──────────────────── declared dead by another node ─► fenced
/// ```
///
/// A node beats once a second: it increments a number in the database, and reads the numbers of the other nodes. The
/// clocks of two machines are never compared. A node considers another node dead if, by its own clock, the other node's
/// number has not changed for that node's ``Timing/patience``. The shorter ``Timing/sessionPatience`` is enough if the
/// other node's session has also been missing for that time. The database stores the patience of each node. A node
/// whose last beat began longer ago than ``Timing/trust`` stops acting until its next beat. The trust is not longer
/// than any patience, and is counted from an earlier instant. So the node has cancelled its handlers before other nodes
/// may repeat its runs. In any case, the database fences what the node writes.
package struct MembershipMachine: Sendable {
    /// The durations of the membership, on the uptime clock.
    package struct Timing: Sendable {
        package var beat: Duration = .seconds(1)
        /// The time for which the other nodes wait for a beat of this node.
        package var patience: Duration = .seconds(3)
        /// The time for which the other nodes wait for a beat of this node if its session is missing.
        package var sessionPatience: Duration = .seconds(2)
        package var trust: Duration = .seconds(2)
        /// The time after which any node takes a shard without an owner.
        package var orphanage: Duration = .seconds(2)
        /// The period after which all submissions are read again, and not only those after the last one that was taken.
        package var wholeRead: Duration = .seconds(1)
        package init() {}

        /// Creates a timing in which the other nodes wait for `patience`, which is at least 3 s.
        ///
        /// This node trusts its last beat for a second less.
        package init(patience: Duration) {
            self.patience = patience
            (sessionPatience, trust) = (patience - .seconds(1), patience - .seconds(1))
        }
    }

    package enum State: Hashable, Sendable {
        case joining
        case member
        /// The node's last beat began too long ago, so the node starts no runs, and has cancelled its handlers.
        case cutOff
        /// The node releases its shards.
        case leaving
        /// Another node has declared this one dead.
        case fenced
    }

    /// The state of the cluster that a beat has read.
    package struct View: Sendable {
        package struct Node: Sendable {
            package var id: Int64
            package var beat: Int64
            /// Whether the node's session holds the node's lock, which is released when the session ends.
            package var hasSession: Bool
            package var isLeaving: Bool
            /// The node's own ``Timing/patience``; if it is `nil`, the patience of the observer applies.
            package var patience: Duration?
            /// The jobs that the node can run; a node that can run none owns no shard.
            ///
            /// It is `nil` if the node has not reported these jobs; such a node owns its share.
            package var jobs: RunnableJobs?
            package init(
                id: Int64, beat: Int64, hasSession: Bool, isLeaving: Bool, patience: Duration? = nil,
                jobs: RunnableJobs? = nil
            ) {
                (self.id, self.beat, self.hasSession, self.isLeaving) = (id, beat, hasSession, isLeaving)
                (self.patience, self.jobs) = (patience, jobs)
            }

            fileprivate var takesShards: Bool { !(jobs?.isEmpty ?? false) }
        }
        /// The nodes that have not ended, including this one unless it was declared dead.
        package var nodes: [Node]
        /// The owner of each shard; `nil` for a free shard.
        package var owners: [ShardID: Int64?]
        package init(nodes: [Node], owners: [ShardID: Int64?]) { (self.nodes, self.owners) = (nodes, owners) }

        /// Returns the other nodes to which jobs may move.
        ///
        /// A leaving node is left out, because its shards will soon have other owners, and so is a node that has not
        /// reported what it can run.
        package func others(than id: Int64) -> OtherSchedulers {
            var shards: [Int64: [ShardID]] = [:]
            for (shard, owner) in owners { if let owner { shards[owner, default: []].append(shard) } }
            let members = nodes.filter { $0.id != id && !$0.isLeaving }.sorted { $0.id < $1.id }
            return OtherSchedulers(
                members: members.compactMap { node in
                    node.jobs.map { OtherSchedulers.Member(jobs: $0, shards: (shards[node.id] ?? []).sorted()) }
                }, shards: owners.keys.sorted())
        }
    }

    package enum Action: Hashable, Sendable {
        /// Start runs from now on.
        case act
        /// Start no runs, and cancel the active handlers.
        case ceaseToAct
        /// Take these shards, unless they have owners by now.
        case take([ShardID])
        /// Release this number of shards, idle ones first.
        case giveBack(Int)
        /// End the node in the database and free its shards, unless it has another beat by now.
        case declareDead(Int64, beat: Int64)
        /// Forget all shards, because the node owns none any more.
        case forgetShards
    }

    /// What this node has observed of another node.
    private struct Other: Sendable {
        var beat: Int64
        var changed: UptimeInstant
        /// The instant since which the session has been missing; `nil` if the node has its session.
        var sessionGone: UptimeInstant?
    }

    package let id: Int64
    package let timing: Timing
    package private(set) var state = State.joining
    private var others: [Int64: Other] = [:]
    /// The instant since which each free shard has been free.
    private var freeSince: [ShardID: UptimeInstant] = [:]
    /// The instant at which the last successful beat began.
    private var trusted: UptimeInstant?
    package private(set) var nextBeat: UptimeInstant

    package init(id: Int64, timing: Timing = Timing(), at now: UptimeInstant) {
        self.id = id
        self.timing = timing
        nextBeat = now
    }

    // MARK: Events

    /// Handles a successful beat that began at `began`.
    package mutating func beat(_ view: View, began: UptimeInstant, at now: UptimeInstant) -> [Action] {
        nextBeat = max(now, began.advanced(by: timing.beat))
        switch state {
        case .fenced: return []
        case .joining, .member, .cutOff, .leaving: break
        }
        // The node does not act on an outdated answer, unless the answer shows that the node was ended, which is
        // final.
        let isOutdated = began.duration(to: now) >= timing.trust
        guard view.nodes.contains(where: { $0.id == id }) else {
            let wasActing = state == .member || state == .leaving
            state = .fenced
            return (wasActing ? [.ceaseToAct] : []) + [.forgetShards]
        }
        if isOutdated { return beatFailed(began: began, at: now) }
        var actions: [Action] = []
        // A node that had no answer for a while restarts its observation, because the database may have been
        // unavailable to all nodes.
        if trusted.map({ $0.duration(to: began) >= timing.trust }) ?? false { others = [:] }
        trusted = began
        switch state {
        case .joining, .cutOff:
            state = .member
            actions.append(.act)
        case .member, .leaving, .fenced: break
        }
        let dead = observe(view, began, now)
        actions += dead.sorted().map { .declareDead($0, beat: others[$0]!.beat) }
        actions += shards(view, dead, now)
        let isSuspicious = others.values.contains {
            $0.sessionGone != nil || $0.changed.duration(to: now) >= timing.beat * 1.5
        }
        // A node that takes no shards does not wait for free ones.
        let awaitsShards = !freeSince.isEmpty && view.nodes.contains { $0.id == id && $0.takesShards }
        if isSuspicious || awaitsShards { nextBeat = max(now, began.advanced(by: timing.beat / 4)) }
        return actions
    }

    /// Checks whether the trust is over, after a failed beat or when time has passed.
    package mutating func look(at now: UptimeInstant) -> [Action] {
        switch state {
        case .joining, .cutOff, .fenced: return []
        case .member, .leaving: break
        }
        guard let trusted, trusted.duration(to: now) >= timing.trust else { return [] }
        if state == .member { state = .cutOff }
        return [.ceaseToAct]
    }

    package mutating func beatFailed(began: UptimeInstant, at now: UptimeInstant) -> [Action] {
        // The next beat comes sooner than usual, so that a beat may succeed before the trust ends.
        nextBeat = max(now, began.advanced(by: timing.beat / 4))
        return look(at: now)
    }

    /// Starts leaving: the node releases its shards, and takes no others.
    package mutating func leave() {
        switch state {
        case .joining, .member, .cutOff: state = .leaving
        case .leaving, .fenced: break
        }
    }

    /// The instant at which ``look(at:)`` must be called if no beat succeeds by then.
    package var endOfTrust: UptimeInstant? {
        switch state {
        case .member, .leaving: trusted?.advanced(by: timing.trust)
        case .joining, .cutOff, .fenced: nil
        }
    }

    // MARK: Rules

    /// Updates the observations of the other nodes.
    ///
    /// A change of a node's number is dated at the arrival of the answer that contains it. The silence that follows is
    /// measured only until the beginning of a later beat, so a slow answer does not count as silence.
    ///
    /// - Returns: the dead nodes.
    private mutating func observe(_ view: View, _ began: UptimeInstant, _ now: UptimeInstant) -> Set<Int64> {
        var known: [Int64: Other] = [:]
        var dead: Set<Int64> = []
        for node in view.nodes where node.id != id {
            var other = others[node.id] ?? Other(beat: node.beat, changed: now)
            if other.beat != node.beat { (other.beat, other.changed) = (node.beat, now) }
            other.sessionGone = node.hasSession ? nil : other.sessionGone ?? now
            known[node.id] = other
            // How long the other node trusts its last beat depends on its own patience, so this node waits accordingly.
            let more = (node.patience ?? timing.patience) - timing.patience
            let (patience, sessionPatience) = (timing.patience + more, timing.sessionPatience + more)
            let isSilent = other.changed.duration(to: began) >= patience
            // A live node restores a broken session with its next beat. So a node is gone only if, for this time, it
            // has neither had a session nor beaten.
            let isGone =
                other.changed.duration(to: began) >= sessionPatience
                && other.sessionGone.map { $0.duration(to: began) >= sessionPatience } ?? false
            if isSilent || isGone { dead.insert(node.id) }
        }
        others = known
        return dead
    }

    /// Returns the shards to take, or the number to release, so that this node owns its share.
    ///
    /// The shares of the members that can run jobs differ by at most one shard, and other nodes have none. If a node
    /// has no more than its share, it also takes any shards that have had no owner for ``Timing/orphanage``.
    private mutating func shards(_ view: View, _ dead: Set<Int64>, _ now: UptimeInstant) -> [Action] {
        let free = view.owners.filter { $0.value == nil }.map(\.key).sorted()
        freeSince = Dictionary(uniqueKeysWithValues: free.map { ($0, freeSince[$0] ?? now) })
        guard state == .member else { return [] }
        let members = view.nodes.filter { $0.takesShards && (!dead.contains($0.id) && !$0.isLeaving || $0.id == id) }
            .map(\.id).sorted()
        let owned = view.owners.values.count { $0 == id }
        guard let index = members.firstIndex(of: id) else { return owned > 0 ? [.giveBack(owned)] : [] }
        let (share, rest) = view.owners.count.quotientAndRemainder(dividingBy: members.count)
        let target = share + (index < rest ? 1 : 0)
        if owned > target { return [.giveBack(owned - target)] }
        var wanted: [ShardID] = []
        if owned < target {
            // Each member begins at a different shard, so that members that decide at the same time want different
            // shards.
            let start = free.count * index / members.count
            wanted = (free[start...] + free[..<start]).prefix(target - owned).map { $0 }
        }
        let orphans = free.filter { freeSince[$0]!.duration(to: now) >= timing.orphanage && !wanted.contains($0) }
        wanted += orphans
        return wanted.isEmpty ? [] : [.take(wanted.sorted())]
    }
}
