import ApusTimers
import ApusVirtualTime
import CWaitingCalls
import Dispatch
import Foundation
import Testing

/// A way in which code that does not know Apus can wait for time: a call of Foundation, Dispatch, the concurrency
/// runtime or libc.
struct WaitingCall: Sendable, CustomTestStringConvertible {
    let name: String
    /// Begins to wait for this number of seconds, and calls the closure each time the wait is over.
    let begin: @Sendable (Int, @escaping @Sendable () -> Void) -> Void

    var testDescription: String { name }

    static let all: [WaitingCall] = libc + dispatch + foundation + tasks + [apus]

    /// The calls of libc, from `Tests/CWaitingCalls`.
    static let libc: [WaitingCall] = (0...).lazy.map { waiting_call_at($0) }.prefix { $0 != nil }.map { row in
        guard let name = row?.pointee.name, let wait = row?.pointee.wait else { preconditionFailure("an empty row") }
        return onThread(String(cString: name)) { seconds in
            precondition(wait(Int64(seconds) * 1_000_000_000) == 0, "the call did not wait to its end")
        }
    }

    static let dispatch: [WaitingCall] = [
        WaitingCall(name: "asyncAfter(deadline:)") { seconds, done in
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: done)
        },
        WaitingCall(name: "asyncAfter(wallDeadline:)") { seconds, done in
            DispatchQueue(label: "wall").asyncAfter(wallDeadline: .now() + .seconds(seconds), execute: done)
        },
        WaitingCall(name: "DispatchSourceTimer") { seconds, done in
            let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "source"))
            source.schedule(deadline: .now() + .seconds(seconds), repeating: .never)
            source.setEventHandler {
                done()
                source.cancel()
            }
            source.resume()
        },
        onThread("DispatchSemaphore.wait(timeout:)") { seconds in
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(seconds))
        },
        onThread("DispatchSemaphore.wait(wallTimeout:)") { seconds in
            _ = DispatchSemaphore(value: 0).wait(wallTimeout: .now() + .seconds(seconds))
        },
        onThread("DispatchGroup.wait(timeout:)") { seconds in
            let group = DispatchGroup()
            group.enter()
            _ = group.wait(timeout: .now() + .seconds(seconds))
            group.leave()
        },
        onThread("DispatchWorkItem.wait(timeout:)") { seconds in
            _ = DispatchWorkItem {}.wait(timeout: .now() + .seconds(seconds))
        },
    ]

    static let foundation: [WaitingCall] = [
        onThread("Thread.sleep(forTimeInterval:)") { Thread.sleep(forTimeInterval: Double($0)) },
        onThread("Thread.sleep(until:)") { Thread.sleep(until: Date(timeIntervalSinceNow: Double($0))) },
        onThread("RunLoop.run(until:)") { seconds in
            // A run loop without a source or a timer would return at once.
            let timer = Timer.scheduledTimer(withTimeInterval: 1e6, repeats: false) { _ in }
            RunLoop.current.run(until: Date(timeIntervalSinceNow: Double(seconds)))
            timer.invalidate()
        },
        WaitingCall(name: "Timer in a run loop") { seconds, done in
            Thread.detachNewThread {
                let timer = Timer.scheduledTimer(withTimeInterval: Double(seconds), repeats: false) { _ in done() }
                RunLoop.current.run()
                timer.invalidate()
            }
        },
        onThread("NSCondition.wait(until:)") { seconds in
            let condition = NSCondition()
            condition.lock()
            _ = condition.wait(until: Date(timeIntervalSinceNow: Double(seconds)))
            condition.unlock()
        },
        onThread("NSLock.lock(before:)") { seconds in
            let lock = NSLock()
            lock.lock()
            _ = lock.lock(before: Date(timeIntervalSinceNow: Double(seconds)))
        },
        onThread("NSConditionLock.lock(whenCondition:before:)") { seconds in
            _ = NSConditionLock(condition: 0).lock(
                whenCondition: 1, before: Date(timeIntervalSinceNow: Double(seconds)))
        },
    ]

    static let tasks: [WaitingCall] = [
        inTask("Task.sleep(for:)") { try await Task.sleep(for: .seconds($0)) },
        inTask("Task.sleep(nanoseconds:)") { try await Task.sleep(nanoseconds: UInt64($0) * 1_000_000_000) },
        inTask("ContinuousClock.sleep(until:)") { seconds in
            try await ContinuousClock().sleep(until: .now.advanced(by: .seconds(seconds)))
        },
        inTask("SuspendingClock.sleep(until:)") { seconds in
            try await SuspendingClock().sleep(until: .now.advanced(by: .seconds(seconds)))
        },
    ]

    /// A sleep on an engine that uses the system's clocks, like the engine of an app.
    static let apus = inTask("TimerEngine.sleep(for:)") { try await TimerEngine.shared.sleep(for: .seconds($0)) }

    /// Returns a call that blocks a thread of its own.
    private static func onThread(_ name: String, _ wait: @escaping @Sendable (Int) -> Void) -> WaitingCall {
        WaitingCall(name: name) { seconds, done in
            Thread.detachNewThread {
                wait(seconds)
                done()
            }
        }
    }

    private static func inTask(_ name: String, _ wait: @escaping @Sendable (Int) async throws -> Void) -> WaitingCall {
        WaitingCall(name: name) { seconds, done in
            Task {
                try await wait(seconds)
                done()
            }
        }
    }
}
