#if Postgres
    import ApusJobs

    extension StoreSchema {
        /// Adds the column of the jobs that a node can run (``NodeJobs``); it is null for a node that has not reported
        /// them.
        static let version4NodeJobs: [String] = ["ALTER TABLE apus.node ADD COLUMN jobs text"]
    }

    /// The jobs that a node can run, as stored in its row: the kinds, and the queues unless it serves all.
    ///
    /// The column is `text`, because `jsonb` cannot contain U+0000, and the name of a handler's kind must not make
    /// beats fail.
    struct NodeJobs: Codable {
        var kinds: [String]
        var queues: [QueueID]?

        static func text(of jobs: RunnableJobs?) -> String? {
            guard let jobs else { return nil }
            let queues: [QueueID]? =
                switch jobs.queues {
                case .all: nil
                case .only(let queues): queues.sorted()
                }
            return JobJSON.text(of: NodeJobs(kinds: jobs.kinds.sorted(), queues: queues))
        }

        /// Returns the jobs of a stored text; `nil` if there is no text, or if another version has written it in a form
        /// that this version cannot read.
        static func jobs(of text: String?) -> RunnableJobs? {
            guard let text, let coded = try? JobJSON.decode(NodeJobs.self, from: Array(text.utf8)) else { return nil }
            return RunnableJobs(kinds: Set(coded.kinds), queues: coded.queues.map { .only(Set($0)) } ?? .all)
        }
    }
#endif
