#if Postgres
    public import ApusJobs
    import ApusTimers

    /// The functions in which several nodes take part.
    extension PostgresStore {
        /// Requests places in queues and releases those not needed; see `JobStore.places(_:in:)`.
        public func places(_ uses: [QueueUse], in session: StoreSession) async throws -> [QueuePlaces] {
            let owner = try owner(of: session)
            return try await mapErrors {
                let rows = try await self.writer.execute(
                    PostgresBatch(
                        uses.map {
                            PostgresStatement(
                                "SELECT apus.take_places($1, $2, $3, $4)",
                                [
                                    .int64(owner.member.node), .text($0.queue.rawValue), .int64(Int64($0.running)),
                                    .int64(Int64($0.wanted)),
                                ])
                        } + [StoreQueries.selectClock, StoreQueries.selectQueues]))
                let axis = ElapsedAxis(try StoreQueries.clock(of: rows[uses.count]))
                let queues = try StoreQueries.queues(of: rows[uses.count + 1], axis)
                return try uses.enumerated().map { index, use in
                    QueuePlaces(
                        queue: queues.first { $0.id == use.queue } ?? JobQueue(id: use.queue),
                        places: try rows[index][0].decodeIfPresent(Int64.self, at: 0).map(Int.init))
                }
            }
        }

        /// Sets the jobs that this node can run; the next beat reports them to the other nodes; see
        /// `JobStore.serve(_:in:)`.
        public func serve(_ jobs: RunnableJobs, in session: StoreSession) {
            guard case .open(let owner) = phase.withLock({ $0 }), owner.isOwner(session) else { return }
            owner.member.serve(jobs)
        }

        /// Returns whether another node wants events; see `JobStore.isPublishing(in:)`.
        public func isPublishing(in session: StoreSession) -> Bool {
            if case .open(let owner) = phase.withLock({ $0 }) { owner.member.events.isSending } else { false }
        }

        /// Sends an event to the other nodes; see `JobStore.publish(_:in:)`.
        public func publish(_ event: JobEvent, in session: StoreSession) {
            if case .open(let owner) = phase.withLock({ $0 }) { owner.member.events.publish(event) }
        }

        /// Asks the other nodes for their events; see `JobStore.requestEvents(in:)`.
        public func requestEvents(in session: StoreSession) {
            if case .open(let owner) = phase.withLock({ $0 }) { owner.member.events.subscribe() }
        }

        /// Returns the events of the other nodes; see `JobStore.events(in:isWanted:)`.
        public func events(
            in session: StoreSession, isWanted: @escaping @Sendable () -> Bool
        ) -> AsyncStream<JobEvent> {
            guard case .open(let owner) = phase.withLock({ $0 }), owner.isOwner(session) else {
                return AsyncStream { $0.finish() }
            }
            return owner.member.events.stream(while: isWanted)
        }
    }
#endif
