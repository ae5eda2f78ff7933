import Apus
import ApusCalendar
import ApusSQLite
import ApusServiceLifecycle
import ApusTracing
import Logging
import ServiceLifecycle
import UnixSignals

// Shown: typed-payload
struct SendInvoice: JobPayload {
    static let kind = "invoice.send"  // in the store: it stays as it is
    var number: Int
    var recipient: String
}

struct Receipt: Codable {
    var message: String
}
// Shown: end

// Shown: typed-defaults
struct SendReminder: JobPayload {
    static let kind = "reminder.send"
    static let defaults = JobDefaults(
        policies: .init(retry: .exponential(attempts: 20), timeLimit: .seconds(60)), queue: "mail",
        uniqueness: .payload(), conflict: .keep)
    var number: Int
}
// Shown: end

struct MakeReport: JobPayload {
    static let kind = "report.make"
}

struct Fetch: JobPayload {
    static let kind = "fetch"
    static let defaults = JobDefaults(policies: .init(retry: .exponential(attempts: 8)))
    static let delays: [Duration] = [.seconds(10), .seconds(60), .seconds(600)]

    // Shown: retry-delay
    static func retryDelay(afterFailures failures: Int) -> Duration? {
        delays[min(failures, delays.count) - 1]  // 10 s, 60 s, then always 600 s
    }
    // Shown: end
}

struct Mailer {
    @discardableResult
    func send(invoice: Int, to recipient: String) async throws -> String { "\(invoice)@\(recipient)" }
}

/// The documents' examples of typed jobs, and of schedulers in larger programs.
enum TypedJobExamples {
    static func queues(_ scheduler: JobScheduler) async throws {
        // Shown: queue-limits
        try await scheduler.configure(queue: "mail", .concurrency(10), .rate(QueueRate(runs: 100, per: .seconds(60))))
        try await scheduler.configure(queue: "mail", .concurrencyPerKey(2))
        try await scheduler.configure(queue: "mail", .paused(true))
        // Shown: end
    }

    static func many(_ scheduler: JobScheduler) async throws {
        // Shown: many-jobs
        let failed = JobQuery(kind: SendInvoice.kind, lastEnded: [.failed, .lost])
        print(try await scheduler.count(failed), "jobs have failed")
        for try await page in scheduler.pages(of: failed) {
            for job in page.jobs { print(job.id, job.state) }
        }
        let retried = try await scheduler.retry(all: failed)

        let cancelled = try await scheduler.cancel(all: JobQuery(queues: ["mail"], fairnessKeys: ["acme"]))
        let deleted = try await scheduler.delete(all: JobQuery(labels: ["batch": "42"])) { count in
            print("\(count) jobs are deleted so far")  // after each 1,000 that match
        }

        let yesterday = TimerEngine.shared.time.wall().advanced(by: .seconds(-86_400))
        for try await page in scheduler.pages(of: RunQuery(queues: ["mail"], states: [.failed], since: yesterday)) {
            for run in page.runs { print(run.jobID, run.finished?.iso8601 ?? "", run.reason ?? "") }
        }
        // Shown: end
        print(retried, cancelled, deleted)
    }

    // Shown: unique-by-fields
    struct ChargeInvoice: JobPayload {
        static let kind = "invoice.charge"
        static let defaults = JobDefaults(uniqueness: .payload(within: .seconds(86_400)), conflict: .keep)
        var number: Int
        var requestedBy: String
        var uniquenessKey: String? { "\(number)" }  // regardless of who asks for it
    }
    // Shown: end

    static func declared(_ scheduler: JobScheduler) async throws {
        // Shown: declared-set
        try await scheduler.start()
        let weekdays = try CalendarSchedule(words: "every weekday at 9:00")
        try await scheduler.declare(
            [
                JobRequest(MakeReport(), id: "report", trigger: .calendar(weekdays, timeZone: "Europe/Berlin")),
                JobRequest(id: "cleanup", kind: "cleanup", trigger: .every(.seconds(3_600))),
            ], as: "reports")
        // Shown: end
    }

    static func typed(_ scheduler: JobScheduler, _ mailer: Mailer) async throws {
        // Shown: typed-handle
        scheduler.register(SendInvoice.self, returning: Receipt.self) { invoice, run in
            let message = try await mailer.send(invoice: invoice.number, to: invoice.recipient)
            return Receipt(message: message)  // kept with the run
        }
        try await scheduler.start()

        let job = try await scheduler.submit(
            SendInvoice(number: 17, recipient: "ann@example.com"), policies: .init(retry: .exponential(attempts: 5)))
        let outcome = try await scheduler.outcome(of: job.id)
        if let receipt = try outcome?.result(as: Receipt.self) { print("sent as \(receipt.message)") }
        // Shown: end
    }

    static func unique(_ scheduler: JobScheduler, at instant: WallInstant) async throws {
        // Shown: typed-unique
        try await scheduler.submit(
            SendInvoice(number: 17, recipient: "ann@example.com"), trigger: .at(instant), queue: "mail",
            uniqueness: .payload(), conflict: .keep)
        // Shown: end
    }

    static func submitWithDefaults(_ scheduler: JobScheduler) async throws {
        // Shown: typed-override
        try await scheduler.submit(SendReminder(number: 17))
        var policies = SendReminder.defaults.policies
        policies.retry = .never
        try await scheduler.submit(SendReminder(number: 18), policies: policies)
        // Shown: end
    }

    static func run(_ scheduler: JobScheduler, cleanup: JobRequest) async throws {
        // Shown: scheduler-run
        try await scheduler.run(
            grace: .seconds(30),  // it runs until the task is cancelled
            afterStarting: { try await scheduler.declare([cleanup], as: "reports") })
        // Shown: end
    }

    static func serve(
        server: any Service, _ scheduler: JobScheduler, cleanup: JobRequest, logger: Logger
    ) async throws {
        // Shown: scheduler-service
        let jobs = JobSchedulerService(scheduler, grace: .seconds(30)) {
            try await scheduler.declare([cleanup], as: "reports")
        }
        let group = ServiceGroup(
            services: [jobs, server],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger)
        try await group.run()
        // Shown: end
    }

    static func observe(path: String) {
        // Shown: job-observability
        let scheduler = JobScheduler(
            store: SQLiteStore(path: path), configuration: .init(middleware: [TracingMiddleware()]))
        scheduler.reportMetrics()
        // Shown: end
    }

    // Shown: job-middleware
    /// Logs what each attempt comes to.
    struct LogAttempts: JobMiddleware {
        let logger: Logger

        func handle(_ run: RunContext, next: () async throws -> Void) async throws {
            do { try await next() } catch {
                logger.error("\(run.job.id), attempt \(run.attempt): \(error)")
                throw error
            }
            logger.info("\(run.job.id), attempt \(run.attempt): succeeded")
        }
    }
    // Shown: end
}
