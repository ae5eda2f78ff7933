import ApusTimers
import BenchSupport
import Dispatch
import NIOCore
import NIOPosix

/// An implementation of actions at given instants of the monotonic clock.
enum OneShots: CaseIterable {
    case ours
    case handler
    case source
    case after
    case taskSleep
    case nioTask
    case nioCallback

    var name: String {
        switch self {
        case .ours: Name.ours
        case .handler: Name.handler
        case .source: Name.source
        case .after: Name.after
        case .taskSleep: Name.taskSleep
        case .nioTask: Name.nioTask
        case .nioCallback: Name.nioCallback
        }
    }

    /// Sets a timer for each instant, which calls `action` with the instant's index.
    ///
    /// - Returns: A closure that ends all timers, and keeps the necessary objects alive until then.
    func set(_ instants: [UInt64], _ action: @escaping @Sendable (Int) -> Void) throws -> () -> Void {
        switch self {
        case .ours: Self.setOurs(instants, action)
        case .handler: Self.setHandler(instants, action)
        case .source: Self.setSources(instants, action)
        case .after: Self.setItems(instants, action)
        case .taskSleep: Self.setTasks(instants, action)
        case .nioTask: try Self.setNIOTasks(instants, action)
        case .nioCallback: try Self.setNIOCallbacks(instants, action)
        }
    }

    private typealias Action = @Sendable (Int) -> Void

    private static func setOurs(_ instants: [UInt64], _ action: @escaping Action) -> () -> Void {
        let engine = TimerEngine()
        for (index, instant) in instants.enumerated() {
            engine.schedule(at: UptimeInstant(nanoseconds: instant)) { action(index) }
        }
        return { engine.stop() }
    }

    private static func setHandler(_ instants: [UInt64], _ action: @escaping Action) -> () -> Void {
        let engine = TimerEngine()
        let handler = TimerHandler { token in action(Int(truncatingIfNeeded: token)) }
        for (index, instant) in instants.enumerated() {
            engine.schedule(
                at: UptimeInstant(nanoseconds: instant), handler: handler, token: UInt64(truncatingIfNeeded: index))
        }
        return { engine.stop() }
    }

    private static func setSources(_ instants: [UInt64], _ action: @escaping Action) -> () -> Void {
        let queue = DispatchQueue(label: "timer-bench.one-shots")
        let sources = instants.enumerated().map { index, instant in
            let source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
            source.setEventHandler { action(index) }
            source.schedule(deadline: DispatchTime(uptimeNanoseconds: instant), leeway: .nanoseconds(0))
            source.activate()
            return source
        }
        return { for source in sources { source.cancel() } }
    }

    private static func setItems(_ instants: [UInt64], _ action: @escaping Action) -> () -> Void {
        let queue = DispatchQueue(label: "timer-bench.one-shots")
        let items = instants.enumerated().map { index, instant in
            let item = DispatchWorkItem { action(index) }
            queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: instant), execute: item)
            return item
        }
        return { for item in items { item.cancel() } }
    }

    private static func setTasks(_ instants: [UInt64], _ action: @escaping Action) -> () -> Void {
        // The clock's instants cannot be created from numbers of nanoseconds, because their origin is not known.
        // Therefore, the deadlines are counted from the present on both clocks.
        let clock = SuspendingClock()
        let origin = clock.now
        let now = monotonicNanoseconds()
        let tasks = instants.enumerated().map { index, instant in
            let deadline = origin.advanced(by: .nanoseconds(Int64(instant) - Int64(now)))
            return Task {
                if (try? await Task.sleep(until: deadline, tolerance: .zero, clock: clock)) != nil { action(index) }
            }
        }
        return { for task in tasks { task.cancel() } }
    }

    private static func setNIOTasks(_ instants: [UInt64], _ action: @escaping Action) throws -> () -> Void {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        try loop.submit {
            for (index, instant) in instants.enumerated() {
                loop.scheduleTask(deadline: .uptimeNanoseconds(instant)) { action(index) }
            }
        }.wait()
        return { try? group.syncShutdownGracefully() }
    }

    private struct Handler: NIOScheduledCallbackHandler, Sendable {
        let index: Int
        let action: Action
        func handleScheduledCallback(eventLoop: some EventLoop) { action(index) }
    }

    private static func setNIOCallbacks(_ instants: [UInt64], _ action: @escaping Action) throws -> () -> Void {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        try loop.submit {
            for (index, instant) in instants.enumerated() {
                _ = try loop.scheduleCallback(
                    at: .uptimeNanoseconds(instant), handler: Handler(index: index, action: action))
            }
        }.wait()
        return { try? group.syncShutdownGracefully() }
    }
}
