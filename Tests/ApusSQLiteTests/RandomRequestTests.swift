#if SQLite
    import ApusJobs
    import ApusJobsTesting
    import ApusSQLite
    import ApusTimers
    import ApusVirtualTime
    import Foundation
    import Testing

    /// Tests that an accepted request can be stored, read by the next process, changed and run, and that all others are
    /// refused as `invalid`.
    @Suite("Random and extreme requests")
    struct RandomRequestTests {
        /// The number of requests, which APUS_VALUES overrides.
        private static let count = ProcessInfo.processInfo.environment["APUS_VALUES"].flatMap(Int.init) ?? 2_000
        private static let batch = 250

        @Test("random and extreme requests are refused, or are kept and run", arguments: [true, false])
        func requests(inFile: Bool) throws {
            let directory = try Directory()
            let memory = MemoryStore()
            let time = VirtualTime()
            var requests = RandomRequests(seed: inFile ? 1 : 2)
            var accepted = 0
            for _ in 0..<max(1, Self.count / Self.batch) {
                let store: any JobStore = inFile ? SQLiteStore(path: directory.file()) : memory
                let scheduler = JobScheduler(
                    store: store, engine: time.engine, random: SeededRandom(seed: 1), executor: time.executor)
                scheduler.register("work") { _ in }
                try time.perform(waitingForForeignWork: .seconds(60)) { try await scheduler.start() }
                let jobs = try submit((0..<Self.batch).map { _ in requests.next() }, scheduler, time)
                accepted += jobs.count
                time.advance(by: .seconds(3))
                // The same jobs get other schedules and policies, where those are valid.
                let changed = try submit(
                    jobs.map { job in
                        var request = requests.next()
                        (request.id, request.idempotencyKey) = (job.id, nil)
                        return request
                    }, scheduler, time)
                time.advance(by: .seconds(3))
                try time.perform(waitingForForeignWork: .seconds(60)) {
                    for job in changed {
                        guard let stored = try await scheduler.job(job.id) else {
                            Issue.record("\(job.request) is gone")
                            continue
                        }
                        let coded = try JSONEncoder().encode(stored.request)
                        #expect(try JSONDecoder().decode(JobRequest.self, from: coded) == stored.request)
                        _ = try await scheduler.explain(job.id)
                    }
                    _ = try await scheduler.cancel(all: jobs.map(\.id))
                    await scheduler.stop(grace: .zero)
                }
            }
            #expect(accepted > Self.count / 10)
        }

        /// Submits each request by its own call, all at once.
        private func submit(_ requests: [JobRequest], _ scheduler: JobScheduler, _ time: VirtualTime) throws -> [Job] {
            try time.perform(waitingForForeignWork: .seconds(60)) {
                await withTaskGroup(of: Job?.self) { group in
                    for request in requests {
                        group.addTask {
                            do {
                                let job = try await scheduler.submit(request).job
                                #expect(job.request.id == request.id || request.uniqueness != .identifier)
                                _ = try? scheduler.upcoming(of: request.trigger, limit: 3)
                                return job
                            } catch {
                                let code = (error as? JobError)?.code
                                #expect([.invalid, .conflict, .alreadyExists].contains(code), "\(request): \(error)")
                                return nil
                            }
                        }
                    }
                    return await group.reduce(into: []) { jobs, job in if let job { jobs.append(job) } }
                }
            }
        }
    }
#endif
