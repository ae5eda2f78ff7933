public import ApusTimers

/// One-shot and repeating timers whose work continues for a limited time after the app has left the foreground.
///
/// Pending timers are covered by background tasks of the host. These have no effect in the foreground. In the
/// background they delay the suspension of the app (on Linux, the end of a stopping process) for as long as the host
/// grants time: on a phone about 30 s in all, regardless of the number of background tasks (Apple DTS,
/// developer.apple.com/forums/thread/85066). When this time is over, the pending timers are reported as `expired`, and
/// stay pending. A suspended app runs no code; when it runs again, overdue timers fire immediately, and the others keep
/// their deadlines.
///
/// Work runs on the host's main loop. The work of a one-shot timer runs at most once, and never after
/// ``cancel(_:)->Bool`` has returned true for the timer. A repeating timer keeps its phase, does not overlap itself,
/// and coalesces missed ticks into one run. Deadlines are on the continuous clock, so the time in which the device
/// sleeps counts. There is no polling and no additional thread: the host's engine wakes at the deadlines.
///
/// All members may be used from any thread, also from the work. When the last reference is released, all timers are
/// cancelled.
public final class BackgroundTimers: Sendable {
    private let core: BackgroundTimersCore

    /// Creates an object without timers.
    ///
    /// - Parameters:
    ///   - host: The host that grants the time, and whose engine and main loop are used.
    ///   - name: The name of the background tasks, for logs and for the report of interrupted work.
    ///   - coverage: Whether one background task covers all timers, or each has its own.
    ///   - mode: Whether work also runs while the user scrolls.
    ///   - notificationScheduler: The scheduler of the notifications of ``Handover/notification(_:)``.
    ///   - delegate: Receives each event on the main loop. It is not retained.
    public init(
        host: any BackgroundHost, name: String = "timers", coverage: Coverage = .shared, mode: MainLoopMode = .common,
        notificationScheduler: (any NotificationScheduler)? = nil, delegate: (any BackgroundTimersDelegate)? = nil
    ) {
        core = BackgroundTimersCore(
            host: host, name: name, coverage: coverage, mode: mode, notificationScheduler: notificationScheduler,
            delegate: delegate)
        core.start()
    }

    deinit { core.stop() }

    /// The waiting timers, and the repeating timers whose work is running.
    ///
    /// May be read from any thread.
    public var pending: Set<ID> { core.pending }

    /// Returns the next deadline of a pending timer, on the continuous clock; `nil` if it is not pending.
    ///
    /// While the work of a repeating timer is running, this is the deadline after that run. May be called from any
    /// thread.
    public func deadline(of id: ID) -> ContinuousInstant? { core.deadline(of: id) }

    /// Returns a new sequence of the events from now on.
    ///
    /// The sequence has one consumer, and ends when this object is released, so the consuming task must not retain this
    /// object.
    public func events() -> AsyncStream<Event> { core.events() }

    /// Schedules work, and begins a background task for it if none covers it yet.
    ///
    /// If the host refuses the background task, the timer is reported as `expired` and stays pending.
    ///
    /// - Parameters:
    ///   - duration: The time from now to the deadline, on the continuous clock. Zero means immediately.
    ///   - interval: The time between the runs, from the first deadline on; `nil` for a single run.
    ///   - tolerance: The allowed delay after the deadline, so that wake-ups are shared; less than `interval` if the
    ///     timer repeats.
    ///   - handover: The substitute that takes over when the app enters the background with less time than the timer
    ///     needs, or when the app's time in the background is over.
    ///   - work: Runs on the main loop.
    /// - Returns: The identifier of the timer, for its cancellation.
    /// - Throws: ``BackgroundError`` with the code `invalidArgument` for an argument that is not accepted.
    @discardableResult
    public func schedule(
        after duration: Duration, every interval: Duration? = nil, tolerance: Duration = .zero,
        handover: Handover = .none, _ work: @escaping @MainActor @Sendable () -> Void
    ) throws(BackgroundError) -> ID {
        try validate(duration, every: interval, tolerance: tolerance, handover: handover)
        let id = core.nextID()
        core.schedule(
            id, after: duration, every: interval,
            BackgroundTimersCore.Item(work: work, handover: handover, tolerance: tolerance))
        return id
    }

    /// Cancels a timer, so that its work does not start any more.
    ///
    /// Work that is running is completed. If this method is called on another thread while the main loop is about to
    /// start the work of a repeating timer, that work still runs.
    ///
    /// - Returns: Whether the timer was pending. If it was not, because it was cancelled before or is a one-shot timer
    ///   that has fired, the call has no effect.
    @discardableResult
    public func cancel(_ id: ID) -> Bool { !core.cancel([id]).isEmpty }

    /// Cancels several timers in one step, each as ``cancel(_:)->Bool`` does.
    ///
    /// - Returns: The timers that were pending.
    @discardableResult
    public func cancel(_ ids: some Sequence<ID>) -> Set<ID> { core.cancel(Array(ids)) }

    /// Cancels all timers in one step, each as ``cancel(_:)->Bool`` does.
    ///
    /// - Returns: The timers that were pending.
    @discardableResult
    public func cancelAll() -> Set<ID> { core.cancelAll() }

    private func validate(
        _ duration: Duration, every interval: Duration?, tolerance: Duration, handover: Handover
    ) throws(BackgroundError) {
        if let interval, interval.wholeNanoseconds <= 0 {
            throw BackgroundError(
                code: .invalidArgument,
                message: "`every` is \(interval); pass at least 1 ns, for example .seconds(5), or nothing")
        }
        if duration < .zero {
            throw BackgroundError(code: .invalidArgument, message: "`after` is \(duration); pass .zero or more")
        }
        if tolerance < .zero || interval.map({ tolerance >= $0 }) == true {
            throw BackgroundError(
                code: .invalidArgument,
                message: "`tolerance` is \(tolerance); pass .zero or more, and less than `every` if the timer repeats")
        }
        if case .notification = handover, !core.canNotify {
            throw BackgroundError(
                code: .invalidArgument,
                message: "`handover` is a notification, but these BackgroundTimers have nowhere to schedule it; "
                    + "give them a `notificationScheduler` when you create them")
        }
    }
}

extension BackgroundTimers {
    /// The identifier of a timer, unique among all objects whose hosts share an engine.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        let number: UInt64

        /// Returns whether `lhs` was scheduled before `rhs`, if one thread scheduled both.
        public static func < (lhs: ID, rhs: ID) -> Bool { lhs.number < rhs.number }

        /// The number, for logs.
        public var description: String { "\(number)" }
    }

    /// The coverage of pending timers by background tasks.
    public enum Coverage: Sendable, Hashable, CaseIterable {
        /// One background task, open while at least one timer needs it.
        case shared
        /// A background task for each timer, so that a report of interrupted work names the timer.
        case each
    }

    /// An event of a timer.
    public enum Event: Sendable, Hashable {
        /// The work has run.
        ///
        /// If `willRepeat` is false, this is the timer's last event, because the timer fires only once, or was
        /// cancelled while its work ran.
        case executed(ID, willRepeat: Bool)
        /// The timer was cancelled, or the ``BackgroundTimers`` was released; this is the timer's last event.
        case cancelled(ID)
        /// The host grants no more time, so the app may be suspended before these timers fire; they stay pending.
        case expired([ID])
        /// A substitute has taken over these timers while the app is in the background; they stay pending.
        case handedOver([ID])
    }

    /// The substitute for a timer that is due when the app may no longer run.
    ///
    /// The timer itself stays pending. If the app returns before the deadline, the timer continues unchanged; if it
    /// returns later, the work runs then.
    public enum Handover: Sendable {
        /// No substitute: the timer waits until the app runs again.
        case none
        /// A notification at the deadline; it is removed if the app returns to the foreground earlier.
        case notification(UserNotification)
        /// A closure that is called on the main loop with the timer and the instant at which it is due, for example to
        /// submit a job.
        ///
        /// Both the timer's work and the job may run, so the later one should check whether the earlier one has run.
        case custom(@MainActor @Sendable (ID, WallInstant) -> Void)
    }
}

/// Receives the events of a ``BackgroundTimers``.
public protocol BackgroundTimersDelegate: AnyObject, Sendable {
    /// Receives an event on the main loop in `common` mode, soon after it happened and in the order of the events.
    ///
    /// - Parameters:
    ///   - name: The name of the ``BackgroundTimers``.
    ///   - event: The event.
    @MainActor func backgroundTimers(named name: String, did event: BackgroundTimers.Event)
}
