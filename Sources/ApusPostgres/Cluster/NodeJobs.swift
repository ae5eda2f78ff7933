#if Postgres
    import ApusJobs

    extension StoreSchema {
        /// What a node can run (``NodeJobs``). Null: it has not said.
        static let version4NodeJobs: [String] = ["ALTER TABLE apus.node ADD COLUMN jobs text"]
    }

    /// What a node can run, as its row has it: the kinds, and the queues unless it serves all.
    ///
    /// A text and no `jsonb`, which has no U+0000: a handler's kind must not end the beats.
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

        /// `nil` for a text of another version of the program, too: nothing is known of the node then.
        static func jobs(of text: String?) -> RunnableJobs? {
            guard let text, let coded = try? JobJSON.decode(NodeJobs.self, from: Array(text.utf8)) else { return nil }
            return RunnableJobs(kinds: Set(coded.kinds), queues: coded.queues.map { .only(Set($0)) } ?? .all)
        }
    }
#endif
