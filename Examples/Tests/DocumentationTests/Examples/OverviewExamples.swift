import Apus
import ApusCalendar
import ApusFoundation
import ApusTesting
import Foundation

/// The first example of each overview in the DocC catalogues, and the examples of the catalogues' articles.
enum OverviewExamples {
    static func timersAndJobs(engine: TimerEngine, scheduler: JobScheduler) async throws {
        // Shown: overview-apus
        engine.schedule(after: .seconds(3)) { print("three seconds later") }  // ends with the process

        scheduler.register("tea") { run in print("tea is ready, attempt \(run.attempt)") }
        try await scheduler.start()
        try await scheduler.submit(JobRequest(id: JobID("tea"), trigger: .after(.seconds(300))))  // is in the store
        // Shown: end
    }

    static func ticks(engine: TimerEngine) throws -> RepeatingTimer {
        // Shown: overview-timers
        let timer = try RepeatingTimer(every: .seconds(2), engine: engine) { tick in
            print("tick \(tick.number), \(tick.missedCount) missed before it")
        }
        timer.resume()
        // Shown: end
        return timer
    }

    static func jobs(scheduler: JobScheduler) async throws {
        // Shown: overview-jobs
        scheduler.register(SendInvoice.self) { invoice, run in
            print("invoice \(invoice.number) to \(invoice.recipient), attempt \(run.attempt)")
            if run.attempt == 1 { throw MailServerIsDown() }
        }
        try await scheduler.start()
        try await scheduler.submit(
            SendInvoice(number: 17, recipient: "ann@example.com"), trigger: .after(.seconds(3_600)),
            policies: .init(retry: .exponential(attempts: 5)))
        // Shown: end
    }

    static func calendar() throws {
        // Shown: overview-calendar
        let schedule = try CalendarSchedule(words: "every month on the last friday at 17:00")
        let berlin = try ZoneDatabase().zone("Europe/Berlin")
        if let next = schedule.next(after: 1_795_518_000, in: berlin.rules) {  // seconds since 1970
            print("\(next.local) in Berlin, \(next.instant)")
        }
        // Shown: end
    }

    static func virtualTime() {
        // Shown: overview-virtual
        let time = VirtualTime()
        time.engine.schedule(after: .seconds(30 * 86_400)) { print("thirty days later") }
        time.advance(by: .seconds(30 * 86_400))
        print("not ended: \(time.leaks)")
        // Shown: end
    }

    static func jobTester() throws {
        // Shown: overview-tester
        let jobs = try JobTester { scheduler in
            scheduler.register(SendInvoice.self) { invoice, _ in print("invoice \(invoice.number) is sent") }
        }
        jobs.fail(SendInvoice.self, attempts: 1...1, with: MailServerIsDown())

        let first = try jobs.perform(
            SendInvoice(number: 17, recipient: "ann@example.com"), policies: .init(retry: .exponential(attempts: 5)))
        print("the first attempt: \(first.state)")
        print("the outcome: \(try jobs.outcome(of: first).state)")
        try jobs.stop()
        // Shown: end
    }

    static func records(folder: String) throws {
        // Shown: overview-records
        let records = try FileRecordStore(path: folder)  // a file for each key, written whole or not at all
        try records.save(3, for: "cups")

        let later = try FileRecordStore(path: folder)  // in the next process
        print(try later.load(Int.self, for: "cups") ?? 0, "cups")
        // Shown: end
    }

    static func clocks(engine: TimerEngine) {
        // Shown: clocks-compared
        for clock in [ClockKind.uptime, .continuous, .wall] {
            engine.schedule(after: .seconds(60), clock: clock) { print("a minute of the clock \(clock)") }
        }
        // Shown: end
    }

    static func suspended(host: any BackgroundHost) throws -> RepeatingTimer {
        // Shown: ticks-suspended
        let timer = try RepeatingTimer(every: .seconds(10), engine: host.engine) { tick in
            print("tick \(tick.number), \(tick.missedCount) missed before it")
        }
        timer.resume()
        // Shown: end
        return timer
    }

    // MARK: Running the examples

    static func printTimersAndJobs() throws {
        try inVirtualTime(for: .seconds(300)) { time, scheduler in
            try await timersAndJobs(engine: time.engine, scheduler: scheduler)
        }
    }

    static func printTicks() throws {
        let time = VirtualTime()
        let timer = try ticks(engine: time.engine)
        time.advance(by: .seconds(5))
        time.sleepMachine(for: .seconds(7))
        timer.cancel()
    }

    static func printJobs() throws {
        try inVirtualTime(for: .seconds(4_000)) { try await jobs(scheduler: $1) }
    }

    static func printRecords() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-cups-\(getpid())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try records(folder: folder)
    }

    static func printClocks() {
        let time = VirtualTime()
        clocks(engine: time.engine)
        time.advance(by: .seconds(30))
        print("-- the machine sleeps for an hour")
        time.sleepMachine(for: .seconds(3_600))
        print("-- half a minute later")
        time.advance(by: .seconds(30))
    }

    @MainActor
    static func printSuspended() throws {
        try SimulatedDevice.run { device in
            device.install { host in Kept(try suspended(host: host)) }
            device.launch()
            device.advance(by: .seconds(25))
            device.pressHome()
            device.advance(by: .seconds(300))
            print("-- opened again")
            device.open()
            device.advance(by: .seconds(10))
        }
    }

    private static func inVirtualTime(
        for duration: Duration,
        _ body: @escaping @Sendable (VirtualTime, JobScheduler) async throws -> Void
    ) throws {
        let time = VirtualTime()
        let scheduler = JobScheduler(store: MemoryStore(), engine: time.engine, executor: time.executor)
        try time.perform { try await body(time, scheduler) }
        time.advance(by: duration)
        try time.perform { await scheduler.stop(grace: .zero) }
    }
}
