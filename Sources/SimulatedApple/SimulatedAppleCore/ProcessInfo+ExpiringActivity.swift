import Dispatch
public import Foundation

extension ProcessInfo {
    /// Calls `block` on a concurrent queue with `false`, and keeps the app from being suspended until it returns. If the time
    /// is nearly over before that, `block` is called a second time, beside the first call, with `true`: the first call has
    /// to return then, before the time is over. If the system gives no time, `block` is called with `true` only.
    ///
    /// What `block` starts and does not wait for is not covered.
    ///
    /// Apple, documentation/foundation/processinfo/performexpiringactivity(withreason:using:); DTS,
    /// developer.apple.com/forums/thread/729335
    ///
    /// - Parameters:
    ///   - reason: What is done, for the log. It must not be empty.
    ///   - block: The work, whose argument is whether to end it.
    @preconcurrency
    public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (_ expired: Bool) -> Void
    ) {
        let host = SimulatedPhone.process.host
        if reason.isEmpty { host.warn("performExpiringActivity has an empty reason; give it a text") }
        let queue = DispatchQueue(label: "performExpiringActivity", attributes: .concurrent)
        let activity = host.beginActivity(reason) { queue.async { block(true) } }
        queue.async {
            guard let activity else { return block(true) }
            block(false)
            host.endBackgroundTask(activity)
        }
    }
}
