import ApusJobs
import ApusPostgres
import ApusTimers

/// The nodes, their beats and their shards.
extension ModelDatabase {
    /// Adds a node, whose session has the lock at once if `hasSession` is set.
    func join(_ jobs: RunnableJobs? = nil, hasSession: Bool = false) -> Int64 {
        adoptTimeline()
        sequences.node += 1
        tables.nodes[sequences.node] = Node(hasSession: hasSession, jobs: jobs)
        return sequences.node
    }

    struct Beat {
        var view: MembershipMachine.View
        var mine: [ShardID: StoreEpoch]
        var replies: [Reply]
        var hasSubmissions: Bool
        var queues: [JobQueue]
        var places: [QueueID: Int]
        var timeline: Int
    }

    /// Performs the transaction of a node's beat.
    func beat(_ node: Int64, hasSession: Bool) -> Beat {
        if tables.nodes[node]?.ended == false { tables.nodes[node]!.beat += 1 }
        if hasSession { tables.nodes[node]?.hasSession = true }
        let nodes = tables.nodes.filter { !$0.value.ended }.sorted { $0.key < $1.key }.map {
            MembershipMachine.View.Node(
                id: $0.key, beat: $0.value.beat, hasSession: $0.value.hasSession, isLeaving: $0.value.isLeaving,
                patience: patience, jobs: $0.value.jobs)
        }
        var owners: [ShardID: Int64?] = [:]
        var mine: [ShardID: StoreEpoch] = [:]
        for (number, shard) in tables.shards.enumerated() {
            owners[ShardID(rawValue: number)] = .some(shard.owner)
            if shard.owner == node { mine[ShardID(rawValue: number)] = StoreEpoch(rawValue: shard.epoch) }
        }
        let view = MembershipMachine.View(nodes: nodes, owners: owners)
        return Beat(
            view: view, mine: mine, replies: takeReplies(node), hasSubmissions: hasSubmissions(node),
            queues: tables.queues.values.sorted { $0.id < $1.id },
            places: tables.places.reduce(into: [:]) { if $1.key.node == node { $0[$1.key.queue] = $1.value.places } },
            timeline: timeline)
    }

    func hasSubmissions(_ node: Int64) -> Bool {
        tables.submissions.contains { tables.shards[$0.shard.rawValue].owner == node }
    }

    func takeReplies(_ node: Int64) -> [Reply] {
        let found = tables.replies.filter { $0.node == node }
        if !found.isEmpty { tables.replies.removeAll { $0.node == node } }
        return found
    }

    func take(
        _ wanted: [ShardID], for node: Int64, timeline: Int? = nil
    ) throws(JobError) -> [(ShardID, StoreEpoch)] {
        try fence(node, [], nil, timeline: timeline)
        var taken: [(ShardID, StoreEpoch)] = []
        for shard in wanted where tables.shards[shard.rawValue].owner == nil {
            tables.shards[shard.rawValue].owner = node
            if mutant != .epochStays { tables.shards[shard.rawValue].epoch += 1 }
            self.taken?(shard, StoreEpoch(rawValue: tables.shards[shard.rawValue].epoch))
            taken.append((shard, StoreEpoch(rawValue: tables.shards[shard.rawValue].epoch)))
        }
        giveBack(wanted, to: node)
        return taken
    }

    /// Ends a node, unless `beat` is given and is not the number of the node's last beat.
    func end(_ node: Int64, ifBeat beat: Int64? = nil) {
        // The last beat of a node that has sent none is unknown.
        if let beat, let last = tables.nodes[node]?.beat, last > 0, last != beat { return }
        tables.nodes[node]?.ended = true
        tables.nodes[node]?.hasSession = false
        for shard in tables.shards.indices where tables.shards[shard].owner == node { tables.shards[shard].owner = nil }
        tables.replies.removeAll { $0.node == node }
        tables.places = tables.places.filter { $0.key.node != node }
    }

    // MARK: Promotion

    /// The state of a standby, which may be promoted later.
    struct Copy {
        var tables: Tables
        var sequences: Sequences
    }

    var copy: Copy { Copy(tables: tables, sequences: sequences) }

    /// Continues from a copy, on another timeline.
    ///
    /// The sequences of jobs and nodes skip some numbers, for which there are no rows, as in a real database.
    func promote(_ copy: Copy, skipping numbers: Int64) {
        (tables, sequences) = (copy.tables, copy.sequences)
        timeline += 1
        sequences.job += numbers
        sequences.node += numbers
        for node in tables.nodes.keys { tables.nodes[node]!.hasSession = false }
    }

    /// Skips all numbers and epochs that the lost part of the former database may have used.
    func adoptTimeline() {
        guard tables.timeline != timeline else { return }
        tables.timeline = timeline
        // Each timeline skips more numbers than the one before it, because a promotion may lose the adoption of the
        // previous timeline.
        let skipped = Int64(mutant == .sameNumbers ? 1 : timeline) * 1_000
        sequences.job += skipped
        sequences.run += skipped
        sequences.submission += skipped
        sequences.node += skipped
        for shard in tables.shards.indices { tables.shards[shard].epoch += skipped }
    }

    // MARK: Places

    /// Returns the node's places in queues; all nodes together have at most as many places as the queue's limit.
    ///
    /// Nodes that want places have equal shares; the remainder rotates with the seconds, as does the only place of a
    /// queue with a rate.
    func places(_ uses: [QueueUse], of node: Int64, second: Int64) throws(JobError) -> [QueuePlaces] {
        try transaction { () throws(JobError) in
            var found: [QueuePlaces] = []
            for use in uses {
                try fence(node, [], nil)
                let queue = tables.queues[use.queue] ?? JobQueue(id: use.queue)
                found.append(QueuePlaces(queue: queue, places: places(use, queue, node, second)))
            }
            return found
        }
    }

    private func places(_ use: QueueUse, _ queue: JobQueue, _ node: Int64, _ second: Int64) -> Int? {
        let id = PlaceID(queue: use.queue, node: node)
        guard queue.concurrency != nil || queue.rate != nil else {
            tables.places[id] = nil
            return nil
        }
        let capacity = queue.rate == nil ? queue.concurrency! : 1
        let running = queue.rate == nil ? use.running : min(use.running, 1)
        let wanted = min(use.wanted, capacity)
        let others = tables.places.filter { $0.key.queue == use.queue && $0.key.node != node }
        let rivals = others.filter { $0.value.wanted > 0 }
        let nodes = rivals.count + 1
        let number = rivals.count { $0.key.node < node }
        let (equal, rest) = capacity.quotientAndRemainder(dividingBy: nodes)
        let share = equal + ((number + Int(second)) % nodes < rest ? 1 : 0)
        let spare = capacity - rivals.values.reduce(0) { $0 + min($1.wanted, equal + 1) }
        let free = mutant == .morePlaces ? capacity : capacity - others.values.reduce(0) { $0 + $1.places }
        let given = max(running, min(wanted, max(share, spare), free), 0)
        tables.places[id] = Place(places: given, wanted: wanted)
        return queue.rate != nil && given > 0 ? queue.concurrency ?? 1_000_000_000 : given
    }
}
