import ApusBackground
import ApusTestSupport
import Foundation
import Testing

@testable import ApusTimers

/// A main loop that records the thread that hands over each piece of work, and the number of the engine's wake-ups so
/// far.
private final class NotingLoop: MainLoop {
    let handovers = Log<(thread: pthread_t, wakeUps: Int)>()
    private let engine: TimerEngine

    init(engine: TimerEngine) { self.engine = engine }

    func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        handovers.add((pthread_self(), engine.statistics.wakeUps))
        SystemMainLoop().run(in: mode, work)
    }
}

@Suite("Background timers on real threads")
struct BackgroundTimerThreadTests {
    @Test("cancelled from several threads while they fire, each timer runs or is cancelled, never both")
    func cancelWhileFiring() async throws {
        let host = TestHost(engine: TimerEngine(), mainLoop: SystemMainLoop())
        let timers = BackgroundTimers(host: host)
        let events = timers.events()
        let count = 4_000
        let runs = Log<Int>()
        let cancelled = Log<Int>()
        let ids = try (0..<count).map { number in
            // Real threads race here, so the deadlines are real; no expectation depends on them.
            try timers.schedule(after: .microseconds(number)) { runs.add(number) }
        }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    // The threads form two pairs, and both threads of a pair cancel the same timers.
                    for index in stride(from: thread / 2, to: count, by: 3) where timers.cancel(ids[index]) {
                        cancelled.add(index)
                    }
                }
            }
        }
        var executions: [BackgroundTimers.ID: Int] = [:]
        var cancellations: [BackgroundTimers.ID: Int] = [:]
        for await event in events {
            switch event {
            case .executed(let id, let willRepeat):
                #expect(!willRepeat)
                executions[id, default: 0] += 1
            case .cancelled(let id): cancellations[id, default: 0] += 1
            case .expired, .handedOver: Issue.record("unexpected: \(event)")
            }
            if executions.count + cancellations.count == count { break }
        }
        #expect(executions.values.allSatisfy { $0 == 1 } && cancellations.values.allSatisfy { $0 == 1 })
        #expect(Set(executions.keys).isDisjoint(with: cancellations.keys))
        #expect(executions.count == runs.all.count)
        #expect(cancellations.count == cancelled.all.count)
        #expect(timers.pending.isEmpty)
        // The background task of the last work ends on the main actor, after the work's event.
        await MainActor.run {}
        #expect(host.openTasks.isEmpty)
    }

    // The lateness is not tested here, because other tests share the machine and this process; timer-bench measures it.
    @Test("one timer of 1 s among 10,000 of 10 s costs two wake-ups, and all are handed over by one thread")
    func amongManyOthers() async throws {
        let engine = TimerEngine()
        let loop = NotingLoop(engine: engine)
        let timers = BackgroundTimers(host: TestHost(engine: engine, mainLoop: loop))
        for _ in 0..<10_000 { try timers.schedule(after: .seconds(10)) {} }
        let events = timers.events()
        let wakeUps = engine.statistics.wakeUps
        let id = try timers.schedule(after: .seconds(1)) {}
        for await event in events where event == .executed(id, willRepeat: false) { break }
        #expect(try #require(loop.handovers.all.first).wakeUps - wakeUps <= 2)
        var soon = Set(try (1...50).map { try timers.schedule(after: .milliseconds($0)) {} })
        for await case .executed(let id, _) in events {
            soon.remove(id)
            if soon.isEmpty { break }
        }
        #expect(Set(loop.handovers.all.map(\.thread)).count == 1)
        timers.cancelAll()
    }
}
