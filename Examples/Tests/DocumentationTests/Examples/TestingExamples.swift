import Apus
import ApusTesting
import Synchronization
import Testing

// Shown: part-audio
@MainActor
@Test("music keeps the app running, and its end gets the app suspended")
func logsTheMode() throws {
    try SimulatedDevice.run { device in
        device.install(AppManifest(backgroundModes: [.audio]), trackDurations: ["song": .seconds(240)]) { host in
            host.start {
                await host.audio.setQueue([AudioItem(id: "song", title: "Song", source: "song.m4a")])
                try? await host.audio.play()
            }
            return Player()
        }
        device.launch()
        device.pressHome()
        device.advance(by: .seconds(600))
        for event in device.log.suffix(5) { print(event) }
    }
}
// Shown: end

@MainActor
final class Player {}

struct MailServerIsDown: Error {}

// Shown: job-tester
@Test("an invoice whose first attempt fails is sent a second later")
func invoiceIsRetried() throws {
    let mailer = RecordingMailer()
    let jobs = try JobTester { scheduler in
        scheduler.register(SendInvoice.self) { invoice, _ in mailer.send(invoice) }
    }
    jobs.fail(SendInvoice.self, attempts: 1...1, with: MailServerIsDown())

    let first = try jobs.perform(
        SendInvoice(number: 17, recipient: "ann@example.com"), policies: .init(retry: .exponential(attempts: 5)))
    #expect(first.state == .failed)
    #expect(mailer.sent == [])

    let second = try jobs.outcome(of: first)
    #expect(second.state == .succeeded && second.attempt == 2)
    #expect(second.notBefore == first.finished?.advanced(by: .seconds(1)))
    #expect(mailer.sent == [17])
    #expect(try jobs.stop() == [])
}
// Shown: end

// Shown: job-tester-submissions
struct Shop {
    var scheduler: JobScheduler

    func checkOut(_ order: Int) async throws {
        try await scheduler.submit(
            SendInvoice(number: order, recipient: "ann@example.com"), trigger: .after(.seconds(3_600)))
    }
}

@Test("who checks out gets one invoice, an hour later")
func checkOutSubmits() throws {
    let jobs = try JobTester { $0.register(SendInvoice.self) { _, _ in } }
    let invoices = try jobs.submitted(SendInvoice.self) { scheduler in
        try await Shop(scheduler: scheduler).checkOut(17)
    }
    #expect(invoices.map(\.number) == [17])
    #expect(jobs.runAllDue().isEmpty)
    #expect(jobs.runAllDue(within: .seconds(3_600)).map(\.state) == [.succeeded])
    try jobs.stop()
}
// Shown: end

final class RecordingMailer: Sendable {
    private let numbers = Mutex<[Int]>([])
    var sent: [Int] { numbers.withLock { $0 } }
    func send(_ invoice: SendInvoice) { numbers.withLock { $0.append(invoice.number) } }
}

// Shown: virtual-sleep
@Test("the second step comes a minute after the first")
func stepsWait() throws {
    let time = VirtualTime()
    let attempts = Mutex(0)
    time.start {
        attempts.withLock { $0 += 1 }
        try await time.engine.sleep(for: .seconds(60))
        attempts.withLock { $0 += 1 }
    }
    time.advance(by: .seconds(59))
    #expect(attempts.withLock { $0 } == 1)
    time.advance(by: .seconds(1))
    #expect(attempts.withLock { $0 } == 2)
    #expect(time.leaks == [])
}
// Shown: end

// Shown: main-actor-app
@MainActor
final class Seconds {
    private(set) var ticks = 0

    init(host: any BackgroundHost) {
        Task { @MainActor [weak self] in
            for _ in 1...3 {
                try? await host.engine.sleep(for: .seconds(1))
                self?.ticks += 1
            }
        }
    }
}

@MainActor
@Test("a clock that is a task of the main actor ticks in virtual time")
func mainActorTasks() async throws {
    try await SimulatedDevice.run { device in
        device.install { host in Seconds(host: host) }
        device.launch()
        await device.advance(by: .seconds(3))
        #expect((device.app as? Seconds)?.ticks == 3)
    }
}
// Shown: end

func parse(_ text: String, time: any TimeSource) -> Int? { Int(text) }

// Shown: unimplemented-time
@Test("parsing reads no clock")
func parsingReadsNoClock() {
    let time = UnimplementedTime { Issue.record("\($0)") }
    #expect(parse("17", time: time) == 17)
}
// Shown: end

// Shown: expected-fault
@MainActor
@Test("an app that takes too long to start is ended")
func slowStart() throws {
    try SimulatedDevice.run { device in
        device.expect(.slowLaunch)
        device.install { host in
            host.work(for: .seconds(21))
            return Player()
        }
        device.launch()
        #expect(device.host == nil)
    }
}
// Shown: end

// Shown: fresh-feed
@MainActor
@Test("the feed is fresh when the user opens the app in the morning")
func freshFeed() throws {
    try SimulatedDevice.run { device in
        let manifest = AppManifest(backgroundModes: [.fetch], permittedTaskIdentifiers: ["feed"])
        device.install(manifest) { host in
            try host.jobs.register("feed") { run in
                try await host.engine.sleep(for: .seconds(5))  // loads the feed
                try await host.jobs.submit(BackgroundJobRequest("feed", .refresh))
            }
            host.start { try? await host.jobs.submit(BackgroundJobRequest("feed", .refresh)) }
            return Player()
        }
        device.launch()
        device.pressHome()
        // The next day, at the same time.
        device.advance(by: .seconds(86_400))
        let last = try #require(device.jobs.history.last)
        #expect(last.launched.duration(to: device.time.wall()) <= .seconds(1_800))
        print(device.jobs.report)
    }
}
// Shown: end
