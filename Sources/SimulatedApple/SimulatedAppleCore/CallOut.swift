public import ApusTesting
package import Dispatch

/// Calls the app on a thread that is not the main one, as the frameworks do.
///
/// In the test's own process the device's thread waits meanwhile: so nothing runs at the same time, and a run is the same
/// each time. In a process of the app's own nothing waits, because the device waits until that process has come to rest.
package struct CallOut: Sendable {
    private let queue: DispatchQueue

    /// Calls on `queue`; on the main queue that is the device's own thread.
    package init(on queue: DispatchQueue) { self.queue = queue }

    /// Calls `work`, and comes back when it has returned, if this is the test's own process.
    ///
    /// Work that waits for the main thread would wait for ever, because that waits for the work: after ten seconds it
    /// is left alone, with a fault.
    @MainActor
    package func call(_ name: String, on host: any PhoneHost, _ work: @escaping () -> Void) {
        if MainThread.isMain(queue) { return work() }
        let errand = Errand(work)
        if AppLink.current != nil { return queue.async { errand.run() } }
        let done = DispatchSemaphore(value: 0)
        queue.async {
            errand.run()
            done.signal()
        }
        // Real time, because a thread that is stuck does not move the device's.
        if done.wait(timeout: .now() + .seconds(10)) == .timedOut {
            host.fault(
                Fault(
                    .blockedCallOut,
                    "\(name) did not return within 10 s; it may wait for the main thread, which waits for it here: "
                        + "do not use DispatchQueue.main.sync there"))
        }
    }
}

/// Work for another thread, which is let go of before that says that it is done: what it holds must not outlive the
/// app's process by the time that a queue takes to clean up.
///
/// `@unchecked Sendable`: it is given to the queue before it runs there, and used nowhere else.
private final class Errand: @unchecked Sendable {
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

/// Something that goes to another thread although the compiler cannot know that this is safe: the frameworks' types do
/// not say so.
///
/// For `@unchecked Sendable`: who hands it over waits for the other thread, or does not touch it any more.
package struct Handover<Value>: @unchecked Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}
