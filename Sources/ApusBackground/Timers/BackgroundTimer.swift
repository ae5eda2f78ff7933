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
public final class BackgroundTimer: Sendable {
    private let core: BackgroundTimerCore

    /// Timers without any timer yet.
    ///
    /// - Parameters:
    ///   - host: Who grants the time, and whose engine and main loop are used.
    ///   - name: Names the background tasks, for logs and for the report of what had to be cut.
    ///   - coverage: Whether one background task covers all timers, or each has its own.
    ///   - mode: Whether work runs while the user scrolls, too.
    ///   - notifications: Where timers are handed over to with ``Handover/notification(_:)``.
    ///   - delegate: Gets each event on the main loop. Not retained.
    public init(
        host: any BackgroundHost, name: String = "timers", coverage: Coverage = .shared, mode: MainLoopMode = .common,
        notifications: (any NotificationScheduler)? = nil, delegate: (any BackgroundTimerDelegate)? = nil
    ) {
        core = BackgroundTimerCore(
            host: host, name: name, coverage: coverage, mode: mode, notifications: notifications, delegate: delegate)
        core.start()
    }

    deinit { core.shutdown() }

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
            BackgroundTimerCore.Item(work: work, handover: handover, tolerance: tolerance))
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
                .invalidArgument, "`every` is \(interval); pass at least 1 ns, for example .seconds(5), or nothing")
        }
        if duration < .zero {
            throw BackgroundError(.invalidArgument, "`after` is \(duration); pass .zero or more")
        }
        if tolerance < .zero || interval.map({ tolerance >= $0 }) == true {
            throw BackgroundError(
                .invalidArgument,
                "`tolerance` is \(tolerance); pass .zero or more, and less than `every` if the timer repeats")
        }
        if case .notification = handover, !core.canNotify {
            throw BackgroundError(
                .invalidArgument,
                "`handover` is a notification, but this BackgroundTimer has nowhere to schedule it; "
                    + "give it `notifications` when you make it")
        }
    }
}
