import Apus
import ApusTesting
import Synchronization
import Testing

// Shown: retry-loop
/// Repeats the work after a failure, with pauses that double.
func retrying<Value: Sendable>(
    attempts: Int, clock: some Clock<Duration>, _ work: @Sendable () async throws -> Value
) async throws -> Value {
    var pause = Duration.seconds(1)
    for _ in 1..<attempts {
        if let value = try? await work() { return value }
        try await clock.sleep(for: pause)
        pause *= 2
    }
    return try await work()
}
// Shown: end

// Shown: retry-loop-test
@Test("five attempts are made within 15 seconds")
func fiveAttempts() throws {
    let time = VirtualTime()
    let start = time.continuous()
    let attempts = Mutex<[Duration]>([])
    let task = time.start {
        try await retrying(attempts: 5, clock: time.clock) {
            attempts.withLock { $0.append(start.duration(to: time.continuous())) }
            throw MailServerIsDown()
        }
    }

    time.advance(by: .seconds(15))
    #expect(attempts.withLock { $0 } == [0, 1, 3, 7, 15].map(Duration.seconds))
    #expect(throws: MailServerIsDown.self) { try time.perform { try await task.value } }
    #expect(time.leaks == [])
}
// Shown: end

// Shown: retry-loop-immediate
@Test("the third attempt succeeds")
func thirdAttempt() async throws {
    let attempts = Mutex(0)
    let answer = try await retrying(attempts: 5, clock: ImmediateClock()) {
        let attempt = attempts.withLock {
            $0 += 1
            return $0
        }
        guard attempt == 3 else { throw MailServerIsDown() }
        return "sent"
    }
    #expect(answer == "sent")
}
// Shown: end
