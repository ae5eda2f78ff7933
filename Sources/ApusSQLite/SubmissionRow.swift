#if SQLite
    import ApusJobs

    /// The submissions that no turn has taken. Called on a connection's queue only.
    enum SubmissionRow {
        /// For an application's connection: the instant of the submission, and the request.
        static let insert = "INSERT INTO submission (submitted, request) VALUES (?, ?)"

        private static let any = SQLText("SELECT EXISTS (SELECT 1 FROM submission)")

        /// The request in its coded form.
        static func encode(_ request: JobRequest) throws(JobError) -> String {
            do { return String(decoding: try JobJSON.encode(request), as: UTF8.self) } catch {
                throw JobError(code: .invalid, message: "the request cannot be written: \(error)", cause: error.cause)
            }
        }

        static func page(limit: Int, on connection: Connection) throws -> [StoreSubmission] {
            var found: [StoreSubmission] = []
            try connection.statement("SELECT sequence, submitted, request FROM submission ORDER BY sequence LIMIT ?")
                .bind(Int64(limit)).forEachRow { row in
                    let (sequence, submitted) = (row.integer(), StoreInstant.decode(row.integer()))
                    do {
                        let request = try JobJSON.decode(JobRequest.self, from: Array(row.text().utf8))
                        found.append(
                            StoreSubmission(sequence: sequence, submitted: submitted, command: .submit([request])))
                    } catch {
                        found.append(StoreSubmission(sequence: sequence, submitted: submitted, problem: "\(error)"))
                    }
                }
            return found
        }

        static func areThere(on connection: Connection) throws -> Bool {
            try connection.statement(any).firstRow { $0.integer() } == 1
        }

        /// - Throws: ``JobError`` with `conflict` if it is not there.
        static func remove(_ sequence: Int64, on connection: Connection) throws {
            guard try connection.statement("DELETE FROM submission WHERE sequence = ?").bind(sequence).run() == 1 else {
                throw JobError(code: .conflict, message: "there is no submission \(sequence) any more")
            }
        }
    }
#endif
