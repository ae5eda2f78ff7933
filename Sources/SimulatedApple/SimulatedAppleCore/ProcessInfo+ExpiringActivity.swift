import Dispatch
public import Foundation

extension ProcessInfo {
    /// Keeps the app from being suspended while `block` runs.
    ///
    /// `block` is called with `false` on a concurrent queue. If the time is nearly over before `block` has returned,
    /// `block` is also called with `true`, while the first call is still in progress. The first call must then return
    /// before the time is over. If the system grants no time, `block` is called only with `true`.
    ///
    /// Work that `block` starts and does not wait for is not covered.
    ///
    /// Sources: Apple, documentation/foundation/processinfo/performexpiringactivity(withreason:using:); DTS,
    /// developer.apple.com/forums/thread/729335
    ///
    /// - Parameters:
    ///   - reason: The reason, for the log; it must not be empty.
    ///   - block: The work; its argument says whether to end it.
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
