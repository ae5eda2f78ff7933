public import ApusDevice
package import Dispatch
package import Foundation

/// A queue on which a framework calls the app: the framework's own, or one that the app has chosen.
///
/// A call on the main queue is made at once, on the main thread. A call on another queue is made on a thread of that
/// queue. Whether the main thread then waits for it depends on the process in which the app runs:
///
/// - In the test's process, the main thread waits until the call has returned. It is the thread that drives the device,
///   so nothing else runs at the same time, which makes the test repeatable.
/// - In a process of the app's own, the main thread does not wait. The device, in the test's process, waits until the
///   app's process is at rest.
package struct CallbackQueue: Sendable {
    private let isMain: Bool
    private let add: @Sendable (@escaping @Sendable () -> Void) -> Void

    package init(_ queue: DispatchQueue) {
        isMain = MainThread.isMain(queue)
        add = { queue.async(execute: $0) }
    }

    package init(_ queue: OperationQueue) {
        isMain = queue === OperationQueue.main
        add = { queue.addOperation($0) }
    }

    /// Calls `work` on the queue, within the call named `name`.
    ///
    /// In the test's process, the main thread waits for the work. Work that itself waits for the main thread would
    /// never return; after ten seconds of real time the main thread stops waiting, with the fault
    /// ``Fault/Rule/blockedCallOut``.
    ///
    /// - Parameters:
    ///   - name: The name of the call, for the fault.
    ///   - host: The host to which the fault is reported.
    ///   - work: The app's code. It is released before the call returns, so that what it retains does not outlive the
    ///     app's process.
    @MainActor
    package func call(_ name: String, on host: any PhoneHost, _ work: @escaping () -> Void) {
        if isMain { return CallOut.run(name, work) }
        let work = Handover(WorkItem { CallOut.run(name, work) })
        if AppLink.current != nil { return add { work.value.run() } }
        let hasReturned = DispatchSemaphore(value: 0)
        add {
            work.value.run()
            hasReturned.signal()
        }
        // The limit is in real time, because the device's time does not advance while the main thread waits.
        if hasReturned.wait(timeout: .now() + .seconds(10)) == .timedOut {
            host.fault(
                Fault(
                    .blockedCallOut,
                    "\(name) did not return within 10 s; it may be waiting for the main thread, which waits for it "
                        + "here; do not call DispatchQueue.main.sync in it"))
        }
    }
}

/// A closure that is released as soon as it has run, whereas Dispatch releases a block some time after its return.
private final class WorkItem {
    private var work: (() -> Void)?

    init(_ work: @escaping () -> Void) { self.work = work }

    func run() {
        let work = work.take()
        work?()
    }
}

extension Fault.Rule {
    /// The app's code on another thread did not return.
    public static let blockedCallOut = Fault.Rule("blockedCallOut")
}

/// The thread of the main actor, which is not always the program's first thread.
package enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the calling thread is the main actor's.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Returns whether the queue is the main queue, which on Linux is not always the same object.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}

/// A value that is passed to another thread, although the compiler cannot prove that this is safe.
///
/// For `@unchecked Sendable`: the passing thread waits for the other one, or no longer uses the value.
package struct Handover<Value>: @unchecked Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}

// Dispatch has these constants on Apple's systems, but not on Linux.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The number of nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The number of nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The number of milliseconds in a second.
public let MSEC_PER_SEC: UInt64 = 1_000
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The number of nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The number of microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
