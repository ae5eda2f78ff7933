import ApusTestTraits
import ApusTimers
import ApusVirtualTime
import CWaitingCalls
import Foundation
import Testing

/// Retries work after pauses that grow up to an hour, as code that does not know Apus does.
func retrying<Value: Sendable>(
    attempts: Int, firstPause: TimeInterval = 1, _ work: @Sendable () async throws -> Value
) async throws -> Value {
    var pause = firstPause
    for _ in 1..<attempts {
        if let value = try? await work() { return value }
        try await Task.sleep(nanoseconds: UInt64(pause * 1e9))
        pause = min(pause * 2, 3600)
    }
    return try await work()
}

private struct Unreachable: Error {}

@Suite("Time that advances by itself")
struct AutomaticClockTests {
    @Test("a retry loop with back-off waits for hours, in no time", .virtualClock)
    func retryLoop() async throws {
        let calls = Locked<[Date]>([])
        let start = Date()
        let answer = try await retrying(attempts: 30) {
            calls.withLock { $0.append(Date()) }
            guard Date().timeIntervalSince(start) > 10 * 3600 else { throw Unreachable() }
            return "it is back"
        }
        #expect(answer == "it is back")
        let pauses = calls.withLock { zip($0, $0.dropFirst()).map { $1.timeIntervalSince($0).rounded() } }
        #expect(pauses.prefix(12) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048])
        #expect(Set(pauses.dropFirst(12)) == [3600])
        #expect(Date().timeIntervalSince(start) > 10 * 3600)
    }

    @Test("waits of different kinds meet in one order of time", .virtualClock)
    func oneOrder() async throws {
        let order = Locked<[Int]>([])
        await withCheckedContinuation { continuation in
            for (index, call) in WaitingCall.all.enumerated() {
                call.begin(index + 1) {
                    let count = order.withLock {
                        $0.append(index)
                        return $0.count
                    }
                    if count == WaitingCall.all.count { continuation.resume() }
                }
            }
        }
        #expect(order.withLock { $0 } == Array(WaitingCall.all.indices))
    }

    @Test("a synchronous test on the main thread may sleep for a day", .virtualClock)
    @MainActor
    func synchronousSleep() {
        let start = Date()
        Thread.sleep(forTimeInterval: 86400)
        #expect((86400...86400.001).contains(Date().timeIntervalSince(start)))
    }

    @Test("queues whose workers all sleep get more workers", .virtualClock)
    func manySleepers() async {
        let start = ContinuousClock.now
        await withCheckedContinuation { continuation in
            let group = DispatchGroup()
            for _ in 0..<200 {
                DispatchQueue.global().async(group: group) { Thread.sleep(forTimeInterval: 10) }
            }
            group.notify(queue: .global()) { continuation.resume() }
        }
        #expect(ContinuousClock.now - start < .seconds(500), "\(ContinuousClock.now - start)")
    }

    @Test("the report names what waits, and until when", .virtualClock(.stepped))
    func report() throws {
        WaitingCall.libc[0].begin(3600) {}
        try ProcessClock.settle()
        let wait = try #require(ProcessClock.waits.first { $0.call == "nanosleep" })
        #expect(wait.left == .seconds(3600))
        #expect(wait.clock == .uptime)
        #expect(ProcessClock.report.contains("nanosleep in thread"))
        #expect(ProcessClock.stuckFor() == nil)
    }

    @Test("a thread that waits without sleeping is named when its time is over", .virtualClock(.stepped))
    func busyThread() throws {
        let isDone = Locked(false)
        let isNamed = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            name_this_thread("spinner")
            isNamed.signal()
            while !isDone.withLock({ $0 }) {}
        }
        isNamed.wait()
        let error = #expect(throws: ProcessClockError.self) {
            try ProcessClock.advance(by: .seconds(1), limit: .milliseconds(500))
        }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("spinner") == true, "\(error?.message ?? "no error")")
        isDone.withLock { $0 = true }
        try ProcessClock.advance(by: .seconds(1))
    }

    @Test("time is virtual once and for all", .virtualClock(.stepped))
    func beginsOnce() {
        let error = #expect(throws: ProcessClockError.self) { try ProcessClock.begin() }
        #expect(error?.code == .alreadyVirtual)
    }

    @Test("steps say what to do when time is real")
    func realTime() {
        let error = #expect(throws: ProcessClockError.self) { try ProcessClock.advance(by: .seconds(1)) }
        #expect(error?.code == .notVirtual)
    }
}
