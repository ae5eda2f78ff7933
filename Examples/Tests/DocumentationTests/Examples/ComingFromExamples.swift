import Apus
import ApusCalendar

/// The program that docs/coming-from.md compares with those of other libraries.
enum ComingFromExamples {
    // Shown: coming-from-kind
    struct SendInvoice: JobPayload {
        static let kind = "invoice.send"
        static let defaults = JobDefaults(
            policies: .init(retry: .exponential(attempts: 5), timeLimit: .seconds(60)), queue: "mail")
        var number: Int
    }
    // Shown: end

    static func makeReport() async throws {}

    static func program(_ scheduler: JobScheduler, _ mailer: Mailer) async throws {
        // Shown: coming-from
        scheduler.register(SendInvoice.self) { invoice, _ in
            try await mailer.send(invoice: invoice.number, to: "ann@example.com")
        }
        scheduler.register("report.make") { _ in try await makeReport() }
        try await scheduler.start()

        try await scheduler.submit(SendInvoice(number: 17))
        try await scheduler.submit(SendInvoice(number: 18), trigger: .after(.seconds(3_600)))
        try await scheduler.submit(SendInvoice(number: 19), uniqueness: .payload(within: .seconds(86_400)))
        try await scheduler.submit(
            JobRequest(
                id: "report.nightly", kind: "report.make",
                trigger: .calendar(CalendarSchedule(cron: "0 3 * * *"), timeZone: "Europe/Berlin")))
        // Shown: end
    }
}
