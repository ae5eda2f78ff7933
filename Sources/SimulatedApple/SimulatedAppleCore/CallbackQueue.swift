public import ApusDevice
package import Dispatch
package import Foundation

/// A queue on which a framework calls the app: its own, or one that the app has chosen.
///
/// Which thread runs the app's code, and who waits for it:
///
/// | queue | in the test's own process | in a process of the app's own |
/// |---|---|---|
/// | the main one | the caller's, which is the main thread | the caller's |
/// | another | one of that queue; the main thread waits | one of that queue; nothing waits |
///
/// In the test's process the main thread is the device's. It waits so that nothing else runs at the same time, and a test
/// is the same each time. A process of the app's own is waited for by the device, which is in another one.
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

    /// Calls `work` on the queue.
    ///
    /// Work that waits for the main thread would wait for ever in the test's process, because that waits for the work:
    /// after ten seconds of the machine's time it is left alone, with the fault ``Fault/Rule/blockedCallOut``.
    ///
    /// - Parameters:
    ///   - name: What is called, for the fault.
    ///   - host: Where the fault is reported.
    ///   - work: The app's code. It is released before the call returns: what it holds does not outlive the app's process.
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
        // Real time, because a thread that is stuck does not move the device's.
        if hasReturned.wait(timeout: .now() + .seconds(10)) == .timedOut {
            host.fault(
                Fault(
                    .blockedCallOut,
                    "\(name) did not return within 10 s; it may wait for the main thread, which waits for it here: "
                        + "do not use DispatchQueue.main.sync there"))
        }
    }
}

/// Work that releases what it holds when it has run. Dispatch releases a block some time after it has returned.
private final class WorkItem {
    private var work: (() -> Void)?

    init(_ work: @escaping () -> Void) { self.work = work }

    func run() {
        let work = work.take()
        work?()
    }
}

extension Fault.Rule {
    /// The app's handler on another thread did not return.
    public static let blockedCallOut = Fault.Rule("blockedCallOut")
}

/// The thread of the main actor, which is not always the program's first one.
package enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether this is that thread.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Whether that is the main queue. On Linux the same queue is not always the same object.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}

/// A value that goes to another thread although the compiler cannot know that this is safe: the frameworks' types do not
/// say so.
///
/// For `@unchecked Sendable`: the thread that hands it over waits for the other one, or does not touch it any more.
package struct Handover<Value>: @unchecked Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}

// Dispatch has these on Apple's systems, and not on Linux; the names are Apple's.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
