import Dispatch
import Foundation
import Synchronization

/// A timer source of Dispatch for each timer.
final class DispatchSources: Contestant {
    private let queue = DispatchQueue(label: "timer-bench.sources")

    func delay(_ nanoseconds: Int64) -> DispatchTimeInterval { .nanoseconds(Int(nanoseconds)) }
    func schedule(after delay: DispatchTimeInterval, number: Int) -> any DispatchSourceTimer {
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { Fired.note(number) }
        source.schedule(deadline: .now() + delay)
        source.activate()
        return source
    }
    func cancel(_ handle: any DispatchSourceTimer) { handle.cancel() }
    func reset(_ handle: inout any DispatchSourceTimer, after delay: DispatchTimeInterval, number: Int) {
        handle.schedule(deadline: .now() + delay)
    }
}

/// A work item of Dispatch for each timer; a cancelled item stays in its queue until its deadline.
final class DispatchWorkItems: Contestant {
    private let queue = DispatchQueue(label: "timer-bench.items")

    func delay(_ nanoseconds: Int64) -> DispatchTimeInterval { .nanoseconds(Int(nanoseconds)) }
    func schedule(after delay: DispatchTimeInterval, number: Int) -> DispatchWorkItem {
        let item = DispatchWorkItem { Fired.note(number) }
        queue.asyncAfter(deadline: .now() + delay, execute: item)
        return item
    }
    func cancel(_ handle: DispatchWorkItem) { handle.cancel() }
}

/// Foundation's timers on the run loop of this thread.
final class FoundationTimers: Contestant {
    private let loop = RunLoop.current

    func delay(_ nanoseconds: Int64) -> TimeInterval { Double(nanoseconds) / 1e9 }
    func schedule(after delay: TimeInterval, number: Int) -> Timer {
        // `init(timeInterval:repeats:block:)` fires at once on Linux.
        let date = Date(timeIntervalSinceNow: delay)
        let timer = Timer(fire: date, interval: 0, repeats: false) { _ in Fired.note(number) }
        loop.add(timer, forMode: .default)
        return timer
    }
    func cancel(_ handle: Timer) { handle.invalidate() }
}

/// A sleeping task for each timer; the timer counts as set once the task runs, and as cancelled once it has ended.
final class SleepingTasks: Contestant {
    private final class Begun: Sendable { let count = Atomic<Int>(0) }
    private let begun = Begun()
    private var expected = 0
    private var cancelled: [Task<Void, Never>] = []

    func delay(_ nanoseconds: Int64) -> Duration { .nanoseconds(nanoseconds) }
    func schedule(after delay: Duration, number: Int) -> Task<Void, Never> {
        expected += 1
        return Task { [begun] in
            begun.count.wrappingAdd(1, ordering: .relaxed)
            if (try? await Task.sleep(for: delay)) != nil { Fired.note(number) }
        }
    }
    func cancel(_ handle: Task<Void, Never>) {
        handle.cancel()
        cancelled.append(handle)
    }
    func settle() {
        while begun.count.load(ordering: .relaxed) < expected { usleep(20) }
        guard !cancelled.isEmpty else { return }
        let tasks = cancelled
        cancelled.removeAll(keepingCapacity: true)
        try? waitForTask { for task in tasks { await task.value } }
    }
}
