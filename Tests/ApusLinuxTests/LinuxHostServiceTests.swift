#if ServiceLifecycle
    import ApusBackground
    import ApusLinux
    import ApusServiceLifecycle
    import ApusTestSupport
    import ApusTimers
    import ApusVirtualTime
    import Logging
    import ServiceLifecycle
    import Testing

    /// Runs until the group shuts it down, and logs the request to shut down.
    private struct Server: Service {
        let log: Log<String>

        func run() async throws {
            log.add("server runs")
            await withGracefulShutdownHandler {
                try? await gracefulShutdown()
            } onGracefulShutdown: {
                log.add("server asked to end")
            }
        }
    }

    @Suite("The host in a service group")
    @MainActor
    struct LinuxHostServiceTests {
        private let time = VirtualTime()
        private let log = Log<String>()
        private let host: LinuxHost
        private let group: ServiceGroup

        init() {
            host = LinuxHost(
                engine: time.engine, mainLoop: EngineMainLoop(engine: time.engine),
                serviceManager: ServiceManager(notifySocket: nil), logger: .silent)
            group = ServiceGroup(services: [Server(log: log), LinuxHostService(host)], logger: .silent)
        }

        /// Runs the group until all services wait for something.
        ///
        /// The group sets up its signals on a queue of Dispatch, for which virtual time must wait.
        private func run() throws -> Task<Void, any Error> {
            let group = group
            let run = time.start { try await group.run() }
            try time.settle(waitingForForeignWork: patience) { log.all == ["server runs"] }
            time.settle()
            log.clear()
            return run
        }

        private func end(of run: Task<Void, any Error>) throws {
            try time.perform(waitingForForeignWork: patience) { try await run.value }
        }

        /// The time after which a wait of a test fails, which is long enough for the slowest machine.
        private let patience: Duration = .seconds(300)

        private func shutDown() {
            let group = group
            time.start { await group.triggerGracefulShutdown() }
            time.settle()
        }

        @Test("graceful shutdown is the request to stop, and the other services run until the tasks have ended")
        func gracefulShutdown() throws {
            let task = try host.beginBackgroundTask(named: "upload")
            let run = try run()
            #expect(host.phase == .active)
            shutDown()
            #expect(host.phase == .background)
            #expect(host.backgroundTimeRemaining == .seconds(30))
            time.advance(by: .seconds(20))
            #expect(log.all == [])
            task.end()
            try end(of: run)
            #expect(log.all == ["server asked to end"])
            #expect(host.phase == .terminated)
        }

        @Test("the tasks that were cut are in the error of the service and of the group")
        func cut() throws {
            var request = BackgroundTaskRequest(name: "deaf")
            request.endsOnExpiration = false
            let task = try host.beginBackgroundTask(request)
            let run = try run()
            shutDown()
            time.advance(by: .seconds(30))
            let error = #expect(throws: WorkWasCut.self) { try end(of: run) }
            #expect(error?.names == ["deaf"])
            #expect(error?.exitCode == 75)
            task.end()
        }

        @Test("a group that is cancelled ends the host at once")
        func cancellation() throws {
            let expired = Log<Bool>()
            let task = try host.beginBackgroundTask(named: "upload") { expired.add(true) }
            let run = try run()
            run.cancel()
            #expect(throws: WorkWasCut.self) { try end(of: run) }
            time.settle()
            #expect(expired.all == [true])
            task.end()
        }
    }
#endif
