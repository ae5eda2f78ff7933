import ApusTestTraits
import ApusTesting
import Foundation
import Synchronization
import Testing

// Shown: trait-retry
/// Code that knows nothing of virtual time.
func withRetries(_ attempt: () throws -> Void) async throws {
    var pause = 1
    while true {
        do {
            return try attempt()
        } catch {
            if pause > 4000 { throw error }
        }
        try await Task.sleep(for: .seconds(pause))
        pause *= 2
    }
}

@Test("after an hour of failures the call succeeds", .virtualClock)
func retriesForAnHour() async throws {
    let start = Date()
    try await withRetries {
        if Date().timeIntervalSince(start) < 3600 { throw URLError(.timedOut) }
    }
    #expect(Date().timeIntervalSince(start) >= 3600)
}
// Shown: end

// Shown: trait-stepped
@Test("the reminder comes after ten minutes", .virtualClock(.stepped, limit: .seconds(10)))
func reminder() async throws {
    let reminders = Mutex(0)
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + .seconds(600))
    timer.setEventHandler { reminders.withLock { $0 += 1 } }
    timer.activate()

    try await ProcessClock.advance(by: .seconds(599))
    #expect(reminders.withLock { $0 } == 0)
    try await ProcessClock.advance(by: .seconds(1))
    #expect(reminders.withLock { $0 } == 1)
}
// Shown: end
