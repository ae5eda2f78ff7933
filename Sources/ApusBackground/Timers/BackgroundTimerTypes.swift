public import ApusTimers
import Synchronization

extension BackgroundTimer {
    /// Names a scheduled timer, uniquely within the process.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        let number: UInt64

        private static let last = Atomic<UInt64>(0)

        static func next() -> ID { ID(number: last.wrappingAdd(1, ordering: .relaxed).newValue) }

        /// The earlier one was scheduled earlier, if one thread scheduled both.
        public static func < (lhs: ID, rhs: ID) -> Bool { lhs.number < rhs.number }

        /// The number, for logs.
        public var description: String { "\(number)" }
    }

    /// How pending timers are covered by background tasks.
    public enum Coverage: Sendable, Hashable, CaseIterable {
        /// One claim, while at least one timer needs it.
        case shared
        /// A claim for each timer, so that reports of what had to be cut name a number and each ends on its own.
        case each
    }

    /// What stands in for a timer that is due when the app may not run any more.
    ///
    /// The timer itself stays pending. When the app comes back before the deadline, it goes on as if nothing had
    /// happened; when it comes back later, the work runs then.
    public enum Handover: Sendable {
        /// Nothing: the timer waits until the app runs again.
        case none
        /// A notification at the deadline. It is removed when the app comes back to the foreground earlier.
        case notification(UserNotification)
        /// Something of the app's own, on the main loop: to submit a job, for example. It gets the timer and the
        /// instant at which it is due. Work and job may both run, so let the later one see that the earlier did.
        case custom(@MainActor @Sendable (ID, WallInstant) -> Void)
    }

    /// What happened to a timer.
    public enum Event: Sendable, Hashable {
        /// The work has run. The last event of the timer unless it repeats. A repeating timer that was cancelled while
        /// its work ran ends with this, and `willRepeat` is false.
        case executed(ID, willRepeat: Bool)
        /// Somebody cancelled the timer, or the ``BackgroundTimer`` went away. Its last event.
        case cancelled(ID)
        /// The host grants no more time, so the app may be suspended before these timers fire. They stay pending.
        case expired([ID])
        /// Something else stands in for these timers while the app is in the background. They stay pending.
        case handedOver([ID])
    }
}

/// Hears what happens to the timers of a ``BackgroundTimer``.
public protocol BackgroundTimerDelegate: AnyObject, Sendable {
    /// An event, soon after it happened, on the main loop in `common` mode; in the order of the events.
    ///
    /// - Parameters:
    ///   - name: The name of the ``BackgroundTimer``.
    ///   - event: What happened.
    @MainActor func backgroundTimer(named name: String, did event: BackgroundTimer.Event)
}
