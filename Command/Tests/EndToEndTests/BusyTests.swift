import ApusCalendar
import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import LoopbackWebTestSupport
import Testing

@Suite("A busy daemon", .timeLimit(.minutes(10)))
struct BusyTests {
    /// The number of expensive requests.
    private static let expensive = 12

    /// The requests that were answered.
    private final class Answered: Sendable {
        private let paths = Locked<[String]>([])
        var all: [String] { paths.withLock { $0 } }
        func add(_ path: String) { paths.withLock { $0.append(path) } }
    }

    /// Returns the processor time of a process in ticks (proc(5): the fields after the program's name).
    private func ticks(of process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = try #require(text.split(separator: ") ").last).split(separator: " ")
        return try #require(Int(fields[11])) + #require(Int(fields[12]))
    }

    @Test("health is answered while the limit of expensive requests run and more wait")
    func health() async throws {
        try await ApusUnderTest.with { apus in
            let process = try await apus.startDaemon()
            // Two occurrences are 28 years apart, and every month in between is examined.
            let rare = WireCalendar(
                schedule: "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", form: .rrule, zone: "UTC")
            let jobs = (0..<3_000).map { number in
                WireExportedJob(
                    WireSubmission(
                        name: "job\(number)", trigger: WireTrigger(calendar: rare), action: Action(notify: "x")))
            }
            _ = try await apus.client.imported(WireImport(jobs: jobs))
            let before = try ticks(of: process)
            let answered = Answered()
            let socket = TestRequest.Listener.socket(apus.home.socketPath)
            let upcoming = "/v1/upcoming?until=2199-12-31T00:00:00Z&limit=1000"
            // Four requests run at once, and the others wait for a place.
            let many = Array(repeating: upcoming, count: Self.expensive) + ["/v1/stats", "/v1/export"]
            let expensive = many.map { path in
                Task {
                    let answer = try await TestRequest(path, to: socket).open()
                    if path == upcoming { answered.add("\(path): \(answer.status)") }
                }
            }
            defer { for task in expensive { task.cancel() } }
            try await until("the work") { try ticks(of: process) > before + 50 }
            // A busy event loop would still answer in the gaps between two expensive requests. So there must be
            // more answers than there are such gaps.
            var health = 0
            while answered.all.count < Self.expensive, health < Self.expensive + 8 {
                _ = try await apus.client.health()
                health += 1
            }
            #expect(health == Self.expensive + 8, "\(health) answers before \(answered.all)")
        }
    }
}
