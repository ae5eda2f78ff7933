import ApusJobs
import ApusPostgres
import ApusTimers
import BenchSupport
import Foundation
import Synchronization

/// One node in a separate process, which carries out the commands of its input, one in each line.
///
/// - `prepare FIRST COUNT DUE` submits jobs for one instant (nanoseconds since 1970) and prints `prepared SECONDS`.
///   When all of these jobs have ended, it prints `done NANOSECONDS CPU`: the instant of the end, and the CPU time of
///   this process from the due instant to the last call of a handler.
/// - `submit COUNT BATCH` submits jobs for tomorrow in batches of this size, one after another, and prints `submitted
///   SECONDS`.
/// - `tick SECONDS` runs a job once a second for this time, and prints `ticked MEDIAN P99`: the lateness of the handler
///   in milliseconds.
/// - `show NAME TIMES` searches for the job with this name repeatedly, and prints `shown MEDIAN` in milliseconds.
/// - The end of the input ends the process.
enum Node {
    static func run(_ name: String, _ connection: String) async throws {
        let store = PostgresStore(try PostgresConfiguration(connection))
        let scheduler = JobScheduler(
            store: store, configuration: .init(maximumLoaded: 200_000, node: NodeID(rawValue: name)))
        let called = Counter()
        scheduler.register("no-op") { _ in called.increment() }
        try await scheduler.start()
        say("up")
        for await line in lines() {
            let words = line.split(separator: " ").compactMap { UInt64($0) }
            switch line.prefix(while: { $0 != " " }) {
            case "prepare": try await runNoOps(scheduler, Int(words[0]), Int(words[1]), due: words[2], called)
            case "submit": try await submit(scheduler, Int(words[0]), batch: Int(words[1]))
            case "tick": try await tick(scheduler, seconds: Int(words[0]))
            case "show": try await show(scheduler, String(line.split(separator: " ")[1]), times: Int(words[0]))
            default: throw Failure(description: "the node does not understand the line “\(line)”")
            }
        }
        await scheduler.stop(grace: .zero)
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    private static func runNoOps(
        _ scheduler: JobScheduler, _ first: Int, _ jobs: Int, due: UInt64, _ called: Counter
    ) async throws {
        let before = called.value
        let began = monotonicNanoseconds()
        for start in stride(from: first, to: first + jobs, by: 1_000) {
            _ = try await scheduler.submit(
                (start..<min(start + 1_000, first + jobs)).map {
                    JobRequest(
                        id: JobID("job\($0)"), kind: "no-op", trigger: .at(WallInstant(nanoseconds: due)))
                })
        }
        say("prepared \(Double(monotonicNanoseconds() - began) / 1e9)")
        let margin = Double(due) - Double(wallNow())
        guard margin > 1e8 else { throw Failure(description: "\(jobs) jobs were not submitted in time") }
        try await Task.sleep(for: .nanoseconds(margin - 5e7))
        let cpu = processCPUNanoseconds()
        try await wait(for: "the calls of \(jobs) handlers") { called.value - before >= jobs }
        let own = processCPUNanoseconds() - cpu
        try await wait(for: "the end of \(jobs) runs") {
            scheduler.queues().allSatisfy { $0.runningCount == 0 && $0.waitingCount == 0 }
        }
        // Turns are committed one after another, so the answer to this submission follows the last outcome. A query for
        // the remaining jobs would read all dead rows, which a node does not do.
        _ = try await scheduler.submit(
            JobRequest(id: JobID("after\(first)"), kind: "later", trigger: .after(.seconds(86_400))))
        say("done \(wallNow()) \(own)")
    }

    private static func tick(_ scheduler: JobScheduler, seconds: Int) async throws {
        let late = Mutex<[Double]>([])
        scheduler.register("tick") { context in
            let lateness = Double(wallNow()) - Double(context.due.nanoseconds)
            late.withLock { $0.append(lateness / 1e6) }
        }
        _ = try await scheduler.submit(
            JobRequest(id: "tick", kind: "tick", trigger: .every(.seconds(1), count: seconds)))
        try await wait(for: "\(seconds) ticks") { late.withLock { $0.count } >= seconds }
        let found = late.withLock { $0 }
        say("ticked \(median(found)) \(quantile(found, 0.99))")
    }

    private static func show(_ scheduler: JobScheduler, _ name: String, times: Int) async throws {
        var times = (0..<times).map { _ in 0.0 }
        for index in times.indices {
            times[index] = try await BenchSupport.seconds {
                guard try await scheduler.jobs(JobQuery(idPrefixOrName: name)).jobs.count == 1 else {
                    throw Failure(description: "there is not exactly one job named \(name)")
                }
            }
        }
        say("shown \(median(times) * 1_000)")
    }

    private static func submit(_ scheduler: JobScheduler, _ jobs: Int, batch: Int) async throws {
        let began = monotonicNanoseconds()
        for start in stride(from: 0, to: jobs, by: batch) {
            _ = try await scheduler.submit(
                (start..<min(start + batch, jobs)).map {
                    JobRequest(id: JobID("later\(batch)-\($0)"), kind: "later", trigger: .after(.seconds(86_400)))
                })
        }
        say("submitted \(Double(monotonicNanoseconds() - began) / 1e9)")
    }
}

final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    func increment() { count.wrappingAdd(1, ordering: .relaxed) }
}

/// The failure of a benchmark that did not do what it should measure.
struct Failure: Error, CustomStringConvertible {
    var description: String
}

/// Waits until a condition holds, which it checks every 2 ms for two minutes.
func wait(for what: @autoclosure () -> String, until holds: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(120))
    while try await !holds() {
        guard ContinuousClock.now < deadline else { throw Failure(description: "120 s were too short for \(what())") }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Returns the wall clock in nanoseconds since 1970.
func wallNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
