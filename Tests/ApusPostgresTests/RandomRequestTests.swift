#if Postgres
    import ApusJobs
    import ApusJobsTesting
    import ApusPostgres
    import ApusTimers
    import Foundation
    import Testing

    @Suite("Random and extreme requests, in PostgreSQL")
    struct RandomRequestTests {
        /// The number of requests, which APUS_VALUES overrides.
        private static let count = ProcessInfo.processInfo.environment["APUS_VALUES"].flatMap(Int.init) ?? 2_000
        private static let batch = 250

        @Test("the SQL function refuses what the library refuses, and an accepted request is read back unchanged")
        func requests() async throws {
            try await withDatabase { configuration in
                let store = PostgresStore(patient: configuration)
                let session = try await store.open(as: NodeID(rawValue: "node"))
                let database = Database(configuration: configuration)
                try await database.run(Self.attempts)
                var requests = RandomRequests(seed: 3)
                let now = SystemTime().wall()
                for _ in 0..<max(1, Self.count / Self.batch) {
                    var (batch, texts): ([JobRequest], [String]) = ([], [])
                    for request in (0..<Self.batch).map({ _ in requests.next() }) {
                        // The library also refuses a request without a JSON form.
                        guard let json = try? JSONEncoder().encode(request) else {
                            #expect(throws: JobError.self) { try request.validate(submittedAt: now) }
                            continue
                        }
                        batch.append(request)
                        texts.append(String(decoding: json, as: UTF8.self))
                    }
                    let refusals = try await withConnection(configuration) { connection in
                        try await connection.query("SELECT public.attempts($1)", [.array(texts)])
                            .map { try $0.decodeIfPresent(String.self, at: 0) }
                    }
                    var accepted: [JobRequest] = []
                    for (request, refusal) in zip(batch, refusals) {
                        do {
                            // An instant that has passed is valid, because only the owner of the job decides about it.
                            try request.validate(submittedAt: min(now, request.trigger.instant ?? now))
                            #expect(refusal == nil, "\(request)")
                            accepted.append(request)
                        } catch {
                            #expect(refusal != nil, "\(error)")
                        }
                    }
                    let found = try await store.submissions(limit: Self.batch, in: session)
                    let submitted = found.map { submission -> JobRequest? in
                        if case .submit(let requests)? = submission.command { requests.first } else { nil }
                    }
                    #expect(submitted == accepted)
                    try await Self.take(found, accepted, store, session)
                }
                try await store.close(session)
            }
        }

        /// Makes jobs of the requests in one turn and expects the store to return them unchanged.
        private static func take(
            _ found: [StoreSubmission], _ requests: [JobRequest], _ store: PostgresStore, _ session: StoreSession
        ) async throws {
            var turn = StoreTurn(
                parts: [], clock: StoreClock(bootID: nil, wallOffset: .zero, elapsedOffset: .zero))
            for (submission, request) in zip(found, requests) {
                turn.taken.append(TakenSubmission(submission.sequence, shard: submission.shard, part: turn.parts.count))
                let machine = try? JobMachine.submitted(
                    request.normalized, now: submission.submitted, in: SystemTimeZones())
                turn.parts.append(machine.map { [JobChange(expected: .absent, job: $0.job)] } ?? [])
            }
            var refused = StoreTurn(parts: [], clock: turn.clock)
            for (index, result) in try await store.commit(turn, in: session).enumerated() {
                let request = requests[index]
                switch result {
                case .success(let jobs):
                    guard let job = jobs.first else { continue }
                    let loaded = try await store.load([.key(job.key)])[0]
                    #expect(loaded?.job == job, "\(request)")
                case .failure(let error):
                    // Another request has the same identifier, key or payload.
                    #expect(error.code == .conflict, "\(request): \(error)")
                    var taken = turn.taken[index]
                    taken.part = refused.parts.count
                    refused.taken.append(taken)
                    refused.parts.append([])
                }
            }
            for result in try await store.commit(refused, in: session) { _ = try result.get() }
        }

        /// The statement that creates a function, which submits each request and returns the reason of its refusal, or
        /// NULL.
        private static let attempts = """
            CREATE FUNCTION public.attempts(requests text[]) RETURNS SETOF text LANGUAGE plpgsql AS $body$
            DECLARE
                request text;
            BEGIN
                FOREACH request IN ARRAY requests LOOP
                    BEGIN
                        PERFORM apus.submit(request::jsonb);
                        RETURN NEXT NULL;
                    EXCEPTION WHEN OTHERS THEN
                        RETURN NEXT SQLERRM;
                    END;
                END LOOP;
            END
            $body$
            """
    }
#endif
