public import ApusTimers

/// Timers whose work continues for a while after the app has left the foreground: one-shot or repeating, any number.
///
/// While timers are pending they are covered by background tasks of the host, which are dormant in the foreground and
/// keep the app from being suspended in the background (or, on Linux, from ending after a request to stop), as long as
/// its time there lasts (Apple DTS, developer.apple.com/forums/thread/85066: about 30 s in all, whatever the number of
/// background tasks). When that is over, the pending timers are reported as `expired`; they stay pending. An app that
/// is suspended runs nothing; when it runs again, what fell due meanwhile runs at once, and a timer continues from its
/// deadline.
///
/// Work runs on the host's main loop; a one-shot's at most once, and never after ``cancel(_:)->Bool`` returned true for
/// it. A repeating timer keeps its phase, does not overlap itself, and makes one run of the ticks that it missed.
/// Deadlines are on the continuous clock: time that the device sleeps counts. There is no polling and no thread: the
/// host's engine wakes.
///
/// All members may be used from any thread, also from the work. When the last reference goes, everything is cancelled.
public final class BackgroundTimers: Sendable {
    private let core: BackgroundTimersCore

    /// Timers without any timer yet.
    ///
    /// - Parameters:
    ///   - host: Who grants the time, and whose engine and main loop are used.
    ///   - name: Names the background tasks, for logs and for the report of what had to be cut.
    ///   - coverage: Whether one background task covers all timers, or each has its own.
    ///   - mode: Whether work runs while the user scrolls, too.
    ///   - notificationScheduler: Where timers are handed over to with ``Handover/notification(_:)``.
    ///   - delegate: Gets each event on the main loop. Not retained.
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

    /// The timers that wait, and the repeating ones whose work is at it. From any thread.
    public var pending: Set<ID> { core.pending }

    /// When a pending timer is due next, on the continuous clock: of a repeating one whose work is at it, the deadline
    /// after that. `nil` when it is not pending. From any thread.
    public func deadline(of id: ID) -> ContinuousInstant? { core.deadline(of: id) }

    /// A new sequence of the events from now on. It has one consumer, and ends when this object has gone; so let the
    /// task that consumes it hold the sequence only.
    public func events() -> AsyncStream<Event> { core.events() }

    /// Schedules work, and asks for time in the background for it.
    ///
    /// If the background task is refused, the event `expired` says so; the timer stays pending.
    ///
    /// - Parameters:
    ///   - duration: How long from now on the continuous clock. Zero is at once.
    ///   - interval: How long between its runs, from the first deadline on; `nil` for a single run.
    ///   - tolerance: How much later than its deadline it may fire, to share a wake-up with others; if it repeats, less
    ///     than `interval`.
    ///   - handover: What stands in for the timer when the app enters the background with less time than it needs, or
    ///     when its time is over.
    ///   - work: Runs on the main loop.
    /// - Returns: What to cancel it with.
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

    /// Cancels a timer; its work does not start any more. Work that runs is completed.
    ///
    /// - Returns: Whether it was pending. False when it has fired, or was cancelled before; then nothing happens.
    @discardableResult
    public func cancel(_ id: ID) -> Bool { !core.cancel([id]).isEmpty }

    /// Cancels several timers in one step; otherwise like ``cancel(_:)->Bool``.
    ///
    /// - Returns: Those that were pending.
    @discardableResult
    public func cancel(_ ids: some Sequence<ID>) -> Set<ID> { core.cancel(Array(ids)) }

    /// Cancels all timers in one step; otherwise like ``cancel(_:)->Bool``.
    ///
    /// - Returns: Those that were pending.
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
                    + "give them a `notificationScheduler` when you make it")
        }
    }
}

/// The parts of its interface.
extension BackgroundTimers {
    /// Names a scheduled timer, uniquely among all those whose hosts share an engine.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        let number: UInt64

        /// The earlier one was scheduled earlier, if one thread scheduled both.
        public static func < (lhs: ID, rhs: ID) -> Bool { lhs.number < rhs.number }

        /// The number, for logs.
        public var description: String { "\(number)" }
    }

    /// How pending timers are covered by background tasks.
    public enum Coverage: Sendable, Hashable, CaseIterable {
        /// One background task, while at least one timer needs it.
        case shared
        /// A background task for each timer, so that reports of what had to be cut name a number and each ends on its
        /// own.
        case each
    }

    /// What happened to a timer.
    public enum Event: Sendable, Hashable {
        /// The work has run. The last event of the timer unless it repeats. A repeating timer that was cancelled while
        /// its work ran ends with this, and `willRepeat` is false.
        case executed(ID, willRepeat: Bool)
        /// The timer was cancelled, or the ``BackgroundTimers`` was released. Its last event.
        case cancelled(ID)
        /// The host grants no more time, so the app may be suspended before these timers fire. They stay pending.
        case expired([ID])
        /// Something else stands in for these timers while the app is in the background. They stay pending.
        case handedOver([ID])
    }

    /// What stands in for a timer that is due when the app may not run any more.
    ///
    /// The timer itself stays pending. When the app comes back before the deadline, it continues as if nothing had
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
}

/// Gets the events of the timers of a ``BackgroundTimers``.
public protocol BackgroundTimersDelegate: AnyObject, Sendable {
    /// An event, soon after it happened, on the main loop in `common` mode; in the order of the events.
    ///
    /// - Parameters:
    ///   - name: The name of the ``BackgroundTimers``.
    ///   - event: What happened.
    @MainActor func backgroundTimers(named name: String, did event: BackgroundTimers.Event)
}
