package import ApusJobs
package import ApusTimers

/// One node's part in the cluster: whether it may act, who else is there, and which shards it should own.
///
/// ```
///            joined               stop
///  joining ─────────► member ─────────────► leaving
///                     │   ▲                    │
///       no beat for   │   │ beat               │ no beat for the trust
///        the trust    ▼   │                    ▼
///                    cut off ──────────────► fenced      declared dead by another node
/// ```
///
/// A node beats once a second: it raises a number in the database, and reads what the others are. Nothing compares
/// clocks of two machines. A node is dead for another one whose own clock has seen no new number for
/// ``Timing/patience``, or has found its session gone for ``Timing/sessionPatience``; the times are those of the node
/// that is observed, which the database has. A node whose last beat began
/// longer ago than ``Timing/trust`` acts no more until the next one: the trust is no longer than any patience,
/// and begins earlier, so that its handlers have been cancelled before other nodes may repeat their runs. What it
/// writes is fenced by the database in any case.
package struct MembershipMachine: Sendable {
    /// How long things take, on the clock that stops while the machine sleeps.
    package struct Timing: Sendable {
        package var beat: Duration = .seconds(1)
        /// How long the others wait for a beat of this node.
        package var patience: Duration = .seconds(3)
        package var sessionPatience: Duration = .seconds(2)
        package var trust: Duration = .seconds(2)
        /// After how long a shard without an owner is taken by any node.
        package var orphanage: Duration = .seconds(2)
        /// How often all submissions are read, and not only those above the last that was taken.
        package var wholeRead: Duration = .seconds(1)
        package init() {}

        /// The others wait so long for a beat of this node, 3 s or more, and it trusts its last one a second less.
        package init(patience: Duration) {
            self.patience = patience
            (sessionPatience, trust) = (patience - .seconds(1), patience - .seconds(1))
        }
    }

    package enum State: Hashable, Sendable {
        case joining
        case member
        /// Its last beat is too long ago: nothing is started, and running handlers were cancelled.
        case cutOff
        /// It gives its shards back.
        case leaving
        /// Another node has declared it dead.
        case fenced
    }

    /// What a beat has found.
    package struct View: Sendable {
        package struct Node: Sendable {
            package var id: Int64
            package var beat: Int64
            /// Its session holds the lock that the end of its process releases.
            package var hasSession: Bool
            package var isLeaving: Bool
            /// Its own ``Timing/patience``; that of the observer if it is not known.
            package var patience: Duration?
            /// The jobs that it can run. A node that can run none owns no shard. `nil`: it has not said, and owns its share.
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
        /// The nodes that have not ended, this one included unless it was declared dead.
        package var nodes: [Node]
        /// The owner of each shard; nil for a free one.
        package var owners: [ShardID: Int64?]
        package init(nodes: [Node], owners: [ShardID: Int64?]) { (self.nodes, self.owners) = (nodes, owners) }

        /// The nodes but this one that jobs may move to. Of one that leaves, the shards are others' soon; of one that has
        /// not said what it can run, nothing is known.
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
        /// Let runs begin from now on.
        case act
        /// Begin no runs, and cancel the handlers that run.
        case ceaseToAct
        /// Take these shards, as far as they are free.
        case take([ShardID])
        /// Give so many shards back, idle ones first.
        case giveBack(Int)
        /// End the node in the database, and free its shards, unless it has another beat by now.
        case declareDead(Int64, beat: Int64)
        /// Nothing of the ownership is left.
        case forgetShards
    }

    /// What is known of another node.
    private struct Other: Sendable {
        var beat: Int64
        var changed: UptimeInstant
        /// Since when its session is missing.
        var sessionGone: UptimeInstant?
    }

    package let id: Int64
    package let timing: Timing
    package private(set) var state = State.joining
    private var others: [Int64: Other] = [:]
    /// Since when a shard is free.
    private var freeSince: [ShardID: UptimeInstant] = [:]
    /// When the last beat that succeeded began.
    private var trusted: UptimeInstant?
    /// When the next one is due.
    package private(set) var nextBeat: UptimeInstant

    package init(id: Int64, timing: Timing = Timing(), at now: UptimeInstant) {
        self.id = id
        self.timing = timing
        nextBeat = now
    }

    // MARK: Events

    /// A beat that began at `began` has succeeded.
    package mutating func beat(_ view: View, began: UptimeInstant, at now: UptimeInstant) -> [Action] {
        nextBeat = max(now, began.advanced(by: timing.beat))
        switch state {
        case .fenced: return []
        case .joining, .member, .cutOff, .leaving: break
        }
        // The answer is too old to act on, unless it reports the end of this node's own session, which is final.
        let isOutdated = began.duration(to: now) >= timing.trust
        guard view.nodes.contains(where: { $0.id == id }) else {
            let wasActing = state == .member || state == .leaving
            state = .fenced
            return (wasActing ? [.ceaseToAct] : []) + [.forgetShards]
        }
        if isOutdated { return beatFailed(began: began, at: now) }
        var actions: [Action] = []
        // A node that had no answer for a while begins to observe anew: the database may have been away for all.
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

    /// A beat has failed, or time has passed.
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
        // Sooner than usual: the trust is short.
        nextBeat = max(now, began.advanced(by: timing.beat / 4))
        return look(at: now)
    }

    /// The node gives its shards back, and takes no others.
    package mutating func leave() {
        switch state {
        case .joining, .member, .cutOff: state = .leaving
        case .leaving, .fenced: break
        }
    }

    /// When ``look(at:)`` has to be called, if no beat succeeds before.
    package var endOfTrust: UptimeInstant? {
        switch state {
        case .member, .leaving: trusted?.advanced(by: timing.trust)
        case .joining, .cutOff, .fenced: nil
        }
    }

    // MARK: Rules

    /// What was seen for the first time may be as young as the answer, and what is seen still, as old as the question.
    /// - Returns: the nodes that are dead.
    private mutating func observe(_ view: View, _ began: UptimeInstant, _ now: UptimeInstant) -> Set<Int64> {
        var known: [Int64: Other] = [:]
        var dead: Set<Int64> = []
        for node in view.nodes where node.id != id {
            var other = others[node.id] ?? Other(beat: node.beat, changed: now)
            if other.beat != node.beat { (other.beat, other.changed) = (node.beat, now) }
            other.sessionGone = node.hasSession ? nil : other.sessionGone ?? now
            known[node.id] = other
            // Its own trust goes by its own patience.
            let more = (node.patience ?? timing.patience) - timing.patience
            let (patience, sessionPatience) = (timing.patience + more, timing.sessionPatience + more)
            let isSilent = other.changed.duration(to: began) >= patience
            // A session that broke is made anew by the next beat.
            let isGone =
                other.changed.duration(to: began) >= sessionPatience
                && other.sessionGone.map { $0.duration(to: began) >= sessionPatience } ?? false
            if isSilent || isGone { dead.insert(node.id) }
        }
        others = known
        return dead
    }

    /// Which shards to take or to give, so that each member that can run jobs has as many as the others, give or take
    /// one, and no other node has any.
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
            // Each begins elsewhere, so that nodes that look at the same time do not want the same ones.
            let start = free.count * index / members.count
            wanted = (free[start...] + free[..<start]).prefix(target - owned).map { $0 }
        }
        let orphans = free.filter { freeSince[$0]!.duration(to: now) >= timing.orphanage && !wanted.contains($0) }
        wanted += orphans
        return wanted.isEmpty ? [] : [.take(wanted.sorted())]
    }
}
