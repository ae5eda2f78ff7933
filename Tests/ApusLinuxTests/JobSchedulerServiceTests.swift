#if ServiceLifecycle
    import ApusJobs
    import ApusJobsTesting
    import ApusServiceLifecycle
    import ApusTestSupport
    import ApusTimers
    import ApusVirtualTime
    import ServiceLifecycle
    import Testing

    @Suite("The scheduler in a service group")
    @MainActor
    struct JobSchedulerServiceTests {
        private let time = VirtualTime()
        private let log = Log<String>()
        private let store: FaultyStore
        private let scheduler: JobScheduler

        init() {
            store = FaultyStore(MemoryStore())
            scheduler = JobScheduler(store: store, engine: time.engine, executor: time.executor, logger: .silent)
            scheduler.register("work") { [log, time] run in
                log.add("begins")
                do { try await TimerClock<UptimeInstant>(engine: time.engine).sleep(for: .seconds(10)) } catch {
                    log.add("cancelled: \(run.cancellationReason.map { "\($0)" } ?? "-")")
                    throw error
                }
                log.add("ends")
            }
        }

        /// The time after which a wait of a test fails, which is long enough for the slowest machine.
        private let patience: Duration = .seconds(300)

        /// Runs a group until a handler is active.
        private func run(grace: Duration?) throws -> (group: ServiceGroup, task: Task<Void, any Error>) {
            let group = ServiceGroup(services: [JobSchedulerService(scheduler, grace: grace)], logger: .silent)
            let task = time.start { try await group.run() }
            let scheduler = scheduler
            let isStarted = Log<Bool>()
            time.start {
                while (try? await scheduler.submit(JobRequest(id: JobID("work"), trigger: .after(.zero)))) == nil {
                    await Task.yield()
                }
                isStarted.add(true)
            }
            try time.settle(waitingForForeignWork: patience) { !isStarted.all.isEmpty }
            time.settle()
            #expect(log.all == ["begins"])
            return (group, task)
        }

        private func shutDown(_ group: ServiceGroup) {
            time.start { await group.triggerGracefulShutdown() }
            time.settle()
        }

        private func end(of task: Task<Void, any Error>) throws {
            try time.perform(waitingForForeignWork: patience) { try await task.value }
        }

        @Test("graceful shutdown stops the scheduler, whose handlers may run for the grace")
        func gracefulShutdown() throws {
            let (group, task) = try run(grace: .seconds(15))
            shutDown(group)
            time.advance(by: .seconds(9))
            #expect(log.all == ["begins"])
            time.advance(by: .seconds(1))
            try end(of: task)
            #expect(log.all == ["begins", "ends"])
        }

        @Test("after the grace, handlers are cancelled")
        func grace() throws {
            let (group, task) = try run(grace: .seconds(3))
            shutDown(group)
            time.advance(by: .milliseconds(2_900))
            #expect(log.all == ["begins"])
            time.advance(by: .milliseconds(100))
            try end(of: task)
            #expect(log.all == ["begins", "cancelled: shutdown"])
        }

        @Test("a group that is cancelled during its shutdown does not wait for the grace")
        func cancelled() throws {
            let (group, task) = try run(grace: nil)
            shutDown(group)
            task.cancel()
            try? end(of: task)
            #expect(log.all == ["begins", "cancelled: shutdown"])
        }

        @Test("an error of what is called after the start ends the group")
        func afterStarting() throws {
            struct Refused: Error {}
            let submitted = Log<String>()
            let service = JobSchedulerService(scheduler, grace: .zero) { [scheduler] in
                let job = try await scheduler.submit(JobRequest(id: "a", trigger: .after(.seconds(60)))).job
                submitted.add(job.id.rawValue)
                throw Refused()
            }
            let group = ServiceGroup(services: [service], logger: .silent)
            let task = time.start { try await group.run() }
            #expect(throws: Refused.self) { try end(of: task) }
            #expect(submitted.all == ["a"])
        }

        @Test("the loss of the store ends the group with the scheduler's error")
        func lostStore() throws {
            let (_, task) = try run(grace: .zero)
            try time.perform { [store] in _ = try await store.open(as: NodeID(rawValue: "other")) }
            time.advance(by: .seconds(10))
            let error = #expect(throws: JobError.self) { try end(of: task) }
            #expect(error?.code == .notOwner)
        }
    }
#endif
