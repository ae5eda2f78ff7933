#if Postgres
    public import ApusJobs

    /// Lists and counts.
    extension PostgresStore {
        /// Jobs that match, at most 10,000 in one page.
        public func jobs(_ query: JobQuery) async throws -> JobPage {
            try checkOpen()
            return try await mapErrors { try await self.queries.jobs(query) }
        }

        /// See `JobStore.count(_:)`.
        public func count(_ query: JobQuery) async throws -> Int {
            try checkOpen()
            return try await mapErrors { try await self.queries.count(query) }
        }

        /// See `JobStore.soonest(limit:)`.
        public func soonest(limit: Int) async throws -> [Job] {
            try checkOpen()
            return try await mapErrors { try await self.queries.soonest(limit: max(0, limit)) }
        }

        /// Runs that match, newest first, at most 10,000 in one page.
        public func runs(_ query: RunQuery) async throws -> RunPage {
            try checkOpen()
            return try await mapErrors { try await self.queries.runs(query) }
        }
    }
#endif
