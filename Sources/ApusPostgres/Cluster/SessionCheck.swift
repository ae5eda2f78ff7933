#if Postgres
    import ApusJobs
    import ApusTimers

    /// Whether a connection's session stays with one process of the server, as a node's lock and its settings need.
    ///
    /// A pooler in transaction mode gives each transaction any session. Two connections that are used in turn then see
    /// each other's settings, or not their own.
    enum SessionCheck {
        /// - Throws: ``JobError`` with `unavailable` if it does not stay; ``PostgresError``.
        static func check(_ first: ServerLink, _ second: ServerLink) async throws {
            let links = [first, second]
            let names = ["apus.first_of_two", "apus.second_of_two"]
            let marks = links.map { _ in "\(SystemRandom().next())" }
            var processes: [Int32?] = [nil, nil]
            // Each order of the two, so that a pooler that takes its sessions in turn is found too.
            for index in [0, 1, 0, 0, 1, 1, 0, 1] {
                let rows = try await links[index].execute(
                    PostgresBatch([
                        PostgresStatement(
                            """
                            SELECT pg_backend_pid(), coalesce(current_setting($1, true), '') = $2,
                                coalesce(current_setting($3, true), '') = $4
                            """,
                            [
                                .text(names[index]), .text(marks[index]), .text(names[1 - index]),
                                .text(marks[1 - index]),
                            ],
                            isPrepared: false),
                        PostgresStatement(
                            "SELECT set_config($1, $2, false)", [.text(names[index]), .text(marks[index])],
                            isPrepared: false),
                    ]))[0]
                let process = try rows[0].decode(Int32.self, at: 0)
                let (hasOwn, hasOther): (Bool, Bool) = (try rows[0].decode(at: 1), try rows[0].decode(at: 2))
                guard !hasOther, processes[index].map({ $0 == process && hasOwn }) ?? true else { throw pooled }
                processes[index] = process
            }
        }

        private static let pooled = JobError(
            code: .unavailable,
            message:
                "the connection does not keep its session: there is a pooler in transaction mode in between; connect to the "
                + "server itself, or to a port of the pooler in session mode")
    }
#endif
