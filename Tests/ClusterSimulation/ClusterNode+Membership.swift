import ApusJobs
import ApusPostgres
import ApusTimers

/// The membership in the cluster, which `ClusterMember` implements in the product.
extension ClusterNode {
    /// The time for which a new node waits for shards.
    private static let patience: Duration = .seconds(15)

    func join() {
        let jobs = process.role.jobs
        world.send(self, .session) { [self] database in
            (database.join(jobs, hasSession: !isGone), database.timeline)
        } done: { [self] answer in
            guard case .success(let (id, timeline)) = answer else { return giveUp() }
            (self.id, self.timeline) = (id, timeline)
            world.trace("\(name) joins")
            var timing = MembershipMachine.Timing()
            if world.mutant == .trustTooLong { timing.trust = .seconds(5) }
            membership = MembershipMachine(id: id, timing: timing, at: uptime)
            joinBeat(until: uptime.advanced(by: Self.patience))
        }
    }

    private func giveUp() {
        isClosed = true
        process.node = nil
        if process.isWanted { world.join(process, after: .ms(500)) }
    }

    private func joinBeat(until end: UptimeInstant) {
        beat { [self] in
            if process.role.jobs.isEmpty ? membership!.state == .member : !owned.isEmpty { return readClock() }
            guard uptime < end, membership!.state != .fenced else {
                let node = id
                return world.send(self, .writer) { database in
                    database.end(node)
                } done: { [self] _ in
                    giveUp()
                }
            }
            world.deliver(to: self, at: world.now + .ms(200), .timer) { [self] in joinBeat(until: end) }
        }
    }

    private func readClock() {
        let session = StoreSession(
            node: NodeID(rawValue: "node\(id)"), shards: owned, clock: nil, isShared: true, others: others)
        world.send(self, .queries) { database in
            (database.tables.clock, database.tables.queues.values.sorted { $0.id < $1.id })
        } done: { [self] answer in
            guard case .success(let (clock, queues)) = answer else {
                let node = id
                return world.send(self, .writer) { database in
                    database.end(node)
                } done: { [self] _ in
                    giveUp()
                }
            }
            var session = session
            (session.clock, session.queues) = (clock, queues)
            open(session)
            watchTrust()
            beatLater()
        }
    }

    private func beatLater() {
        let delay = uptime.duration(to: membership!.nextBeat).wholeNanoseconds
        world.deliver(to: self, at: world.now + max(0, delay), .timer) { [self] in
            if isClosed { return }
            beat { [self] in beatLater() }
        }
    }

    /// Schedules a check at the end of the trust, because the answer to a beat may come later than that.
    private func watchTrust() {
        guard let end = membership!.endOfTrust, !isClosed else { return }
        let delay = uptime.duration(to: end).wholeNanoseconds
        world.deliver(to: self, at: world.now + max(0, delay), .timer) { [self] in
            guard !isClosed, membership!.endOfTrust == end else { return }
            perform(membership!.look(at: uptime)) {}
        }
    }

    private func beat(_ done: @escaping () -> Void) {
        let began = uptime
        let node = id
        let said = unsaid
        world.send(self, .session) { [self] database in
            if let said, database.tables.nodes[node]?.ended == false { database.tables.nodes[node]!.jobs = said }
            return (database.beat(node, hasSession: !isGone), world.wall)
        } done: { [self] answer in
            guard !isClosed else { return }
            switch answer {
            case .success(let (found, wall)):
                learn(wall, asked: began)
                if unsaid == said { unsaid = nil }
                hearAgain()
                for queue in found.queues where world.mutant != .placesBelieved {
                    post(.signal(.queue(queue, places: found.places[queue.id] ?? 0)))
                }
                for reply in found.replies { post(.signal(.reply(call: reply.call, reply.reply))) }
                if found.hasSubmissions { post(.signal(.submissions)) }
                if timeline != found.timeline, world.mutant != .promotionUnseen {
                    return forgetLostHistory(began, done)
                }
                adopt(found.mine, found.view.owners)
                let others = found.view.others(than: node)
                if others != self.others {
                    self.others = others
                    post(.signal(.others(others)))
                }
                let actions = membership!.beat(found.view, began: began, at: uptime)
                watchTrust()
                perform(actions[...], done)
            case .failure: perform(membership!.beatFailed(began: began, at: uptime)[...], done)
            }
        }
    }

    /// Wakes the scheduler after the node has got a new session, which did not receive the earlier notifications.
    ///
    /// If all nodes have the same role, nothing depends on these notifications.
    private func hearAgain() {
        let breaks = process.links[ClusterWorld.Link.session.rawValue].breaks
        if breaks != self.breaks, world.history.roles != nil { post(.signal(.wake)) }
        self.breaks = breaks
    }

    /// Forgets everything about the jobs, because the database continues from a standby's copy.
    private func forgetLostHistory(_ began: UptimeInstant, _ done: @escaping () -> Void) {
        world.trace("\(name) reads the promoted database anew")
        readAnew = world.now
        let old = owned.keys.sorted()
        (owned, given) = ([:], [:])
        unsaid = runnable
        for shard in old { post(.signal(.revoked(shard))) }
        world.send(self, .writer) { database in
            database.adoptTimeline()
            return database.timeline
        } done: { [self] answer in
            guard !isClosed else { return }
            guard case .success(let timeline) = answer else {
                return perform(membership!.beatFailed(began: began, at: uptime)[...], done)
            }
            self.timeline = timeline
            beat(done)
        }
    }

    /// Adopts the shards that this node owns according to the database.
    private func adopt(_ found: [ShardID: StoreEpoch], _ owners: [ShardID: Int64?]) {
        let mine = found.filter { shard, epoch in given[shard].map { $0 < epoch } ?? true }
        let old = owned
        owned = mine
        // A shard that now has no owner was just given back by this node, so it is not revoked.
        for shard in old.keys.sorted() where mine[shard] == nil && owners[shard].flatMap({ $0 }) != nil {
            post(.signal(.revoked(shard)))
        }
        for (shard, epoch) in mine.sorted(by: { $0.key < $1.key }) where old[shard] != epoch {
            post(.signal(.granted(shard, epoch)))
        }
    }

    func notified(_ payload: String) {
        if payload == "submissions" || payload == "burst" { return post(.signal(.submissions)) }
        if payload == "jobs" { return post(.signal(.wake)) }
        let node = id
        world.send(self, .session) { database in
            database.takeReplies(node)
        } done: { [self] answer in
            guard case .success(let replies) = answer else { return }
            for reply in replies { post(.signal(.reply(call: reply.call, reply.reply))) }
        }
    }

    // MARK: Actions

    private func perform(_ actions: [MembershipMachine.Action], _ done: @escaping () -> Void) {
        perform(actions[...], done)
    }

    private func perform(_ actions: ArraySlice<MembershipMachine.Action>, _ done: @escaping () -> Void) {
        guard let action = actions.first else { return done() }
        let next = { [self] in perform(actions.dropFirst(), done) }
        let node = id
        if action != .act { world.trace("\(name): \(action)") }
        switch action {
        case .act: post(.signal(.connected))
        case .ceaseToAct: post(.signal(.cutOff))
        case .take(let wanted):
            let known = timeline
            return world.send(self, .writer) { database throws(JobError) in
                try database.take(wanted, for: node, timeline: known)
            } done: { [self] answer in
                if case .success(let taken) = answer {
                    for (shard, epoch) in taken {
                        owned[shard] = epoch
                        post(.signal(.granted(shard, epoch)))
                    }
                }
                next()
            }
        case .giveBack(let count): post(.signal(.share(max(0, owned.count - count))))
        case .declareDead(let other, let beat):
            return world.send(self, .writer) { database in
                database.end(other, ifBeat: beat)
            } done: { _ in
                next()
            }
        case .forgetShards:
            let lost = owned.keys.sorted()
            owned = [:]
            for shard in lost { post(.signal(.revoked(shard))) }
            post(.signal(.ended))
        }
        next()
    }

    func forget(_ shards: [ShardID]) { for shard in shards { owned[shard] = nil } }

    func released(_ shards: [ShardID]) {
        for shard in shards { if let epoch = owned.removeValue(forKey: shard) { given[shard] = epoch } }
    }
}
