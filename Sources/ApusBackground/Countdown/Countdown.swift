public import ApusTimers
import Logging

/// Counts down to an instant that outlives the process.
///
/// The record contains the stop instant, or the remaining time of a paused countdown, and never a count of ticks. A
/// countdown is therefore correct after a suspension, a sleep of the device, a termination and a restart of the
/// machine. Each requested change is stored before it takes effect, because a process may be killed at any moment; if
/// it cannot be stored, nothing has changed. A finish takes effect before it is stored, because it follows from the
/// stored stop instant.
///
/// Until the machine restarts, the continuous clock decides, and setting the wall clock moves no countdown. After a
/// restart, the remaining time is computed from the wall clock.
///
/// A countdown owns one notification request, with the identifier ``notificationIdentifier``. While the countdown runs,
/// the request is pending and due at the stop instant; a pause or a cancellation removes it. A notification center
/// follows the wall clock, so setting the wall clock while the app does not run moves the notification, but not the
/// countdown. A notification that was shown too early for this reason is not shown again.
///
/// All members may be used from any thread. Two countdowns must not share a key. The countdown holds a lock while it
/// calls the store, so the store must not use the countdown.
public final class Countdown: Sendable {
    /// The state of a countdown.
    public enum State: Sendable, Hashable {
        /// The countdown was not started, or was cancelled or acknowledged.
        case idle
        /// The countdown runs.
        case running
        /// The countdown is paused until it is resumed.
        case paused
        /// The countdown has finished, and stays in this state until it is acknowledged, cancelled or started again.
        ///
        /// `unseen` is true if no observer was called, because there was none, or because the app did not run.
        case finished(at: WallInstant, unseen: Bool)
    }

    /// The key of the record.
    public let key: String
    /// The identifier of the notification request.
    public let notificationIdentifier: String

    private typealias FinishObserver = @MainActor @Sendable (WallInstant) -> Void

    private struct Inner: Sendable {
        var machine: CountdownMachine
        var waiting: ScheduledTimer?
        var nextObserver = 0
        var observers: [(id: Int, observer: FinishObserver)] = []
    }

    private let host: any BackgroundHost
    private let keeper: RecordKeeper<CountdownRecord>
    private let notification: UserNotification?
    private let wishes: NotificationWishes?
    private let logger = Logger(label: "apus.background")
    private let states: Broadcast<State>
    private let ticker: SecondTicker
    /// The observation of changes to the wall clock; it ends when this object is released.
    private let wallClock = Locked<ObservationToken?>(nil)
    /// A lock that is held from the decision about a change until the change is stored and has taken effect; it is
    /// never taken under `inner`.
    private let gate = Locked(())
    private let inner: Locked<Inner>

    /// Restores the countdown of a key in its current state, which is idle if there is no record.
    ///
    /// - Parameters:
    ///   - host: The host whose clocks, engine and main loop are used.
    ///   - store: The store of the record.
    ///   - key: The key of the record.
    ///   - notification: The notification that is shown at the stop instant, if any.
    ///   - notificationScheduler: The scheduler of the notification.
    /// - Throws: ``BackgroundError`` with the code `storeFailed` if the record cannot be read, or the countdown's
    ///   current state cannot be stored.
    public init(
        host: any BackgroundHost, store: any RecordStore, key: String, notification: UserNotification? = nil,
        notificationScheduler: (any NotificationScheduler)? = nil
    ) throws(BackgroundError) {
        self.host = host
        self.key = key
        self.notification = notification
        notificationIdentifier = "apus.countdown.\(key)"
        keeper = RecordKeeper(store: store, key: key, kind: "countdown")
        wishes = notificationScheduler.map { [logger] in
            NotificationWishes(host: host, scheduler: $0, logger: logger)
        }
        let record = try keeper.load()
        let now = HostReading(host)
        let machine = CountdownMachine(record, now: now)
        let current = machine.record(boot: now.boot)
        if current != record { try keeper.save(current) }
        inner = Locked(Inner(machine: machine))
        states = Broadcast(machine.publicState, mainLoop: host.mainLoop)
        ticker = SecondTicker(host: host, display: machine.display)
        inner.withLock { arm(&$0) }
        updateNotification(machine, isNew: false)
        wishes?.carryOut()
        let observation = host.engine.observeWallClock { [weak self] in
            // This runs on the main loop, not on the engine's thread, because it writes to the store.
            self?.host.mainLoop.run { [weak self] in self?.wallClockChanged() }
        }
        wallClock.withLock { $0 = observation }
    }

    deinit { inner.withLock { $0.waiting.take() }?.cancel() }

    // MARK: Reading

    /// The current state.
    public var state: State { states.value }

    /// Returns a new sequence of the states from now on.
    public func stateChanges() -> Changes<State> { states.changes() }

    /// The remaining time, computed at each access; zero if the countdown is idle or has finished.
    public var remaining: Duration {
        let now = host.engine.time.continuous()
        return inner.withLock { $0.machine.remaining(at: now) }
    }

    /// The instant of the wall clock at which the countdown ends or has ended; `nil` if the countdown is idle or
    /// paused.
    ///
    /// If the wall clock is set while the countdown runs, the instant is adapted. After the finish, it does not change.
    public var stopInstant: WallInstant? {
        switch inner.withLock({ $0.machine.state }) {
        case .running(_, let shown): shown
        case .finished(let instant, _): instant
        case .idle, .paused: nil
        }
    }

    /// Calls `observer` on the main loop once for each finish of the countdown, with the instant of the finish.
    ///
    /// A finish while the process did not run is not reported; it is visible in ``state``.
    public func observeFinish(_ observer: @escaping @MainActor @Sendable (WallInstant) -> Void) -> ObservationToken {
        let id = inner.withLock { inner in
            inner.nextObserver += 1
            inner.observers.append((inner.nextObserver, observer))
            return inner.nextObserver
        }
        return ObservationToken { [weak self] in
            let removed = self?.inner.withLock { inner in
                inner.observers.firstIndex { $0.id == id }.map { inner.observers.remove(at: $0) }
            }
            // The observer is released outside the lock.
            withExtendedLifetime(removed) {}
        }
    }

    /// Calls `observer` on the main loop with the remaining time in whole seconds, rounded up.
    ///
    /// The first call comes soon, and another one whenever the displayed time changes. The calls are aligned with the
    /// stop instant, without drift. If the main loop was busy, the observer gets one call, with the current value.
    public func observeDisplay(_ observer: @escaping @MainActor @Sendable (Duration) -> Void) -> ObservationToken {
        ticker.observe(observer)
    }

    // MARK: Changing

    /// Starts the countdown for `duration` from now, regardless of its state.
    ///
    /// - Throws: ``BackgroundError`` with the code `invalidArgument` if the duration is not positive, or `storeFailed`
    ///   if the change could not be stored. In both cases the countdown is unchanged.
    public func start(for duration: Duration) throws(BackgroundError) {
        guard duration.wholeNanoseconds > 0 else {
            throw BackgroundError(
                code: .invalidArgument,
                message: "`for` is \(duration); pass a duration of at least 1 ns, for example .seconds(60)")
        }
        try change { machine, now throws(BackgroundError) in
            machine.start(for: duration.clamped, now: now)
            return true
        }
    }

    /// Starts the countdown to an instant of the wall clock, regardless of the countdown's state.
    ///
    /// The duration is the time from now to the instant, according to the present setting of the wall clock.
    ///
    /// - Throws: ``BackgroundError`` with the code `invalidArgument` if the instant has passed, or `storeFailed` if the
    ///   change could not be stored. In both cases the countdown is unchanged.
    public func start(until instant: WallInstant) throws(BackgroundError) {
        try change { machine, now throws(BackgroundError) in
            let duration = now.wall.duration(to: instant)
            guard duration > .zero else {
                throw BackgroundError(
                    code: .invalidArgument,
                    message: "`until` is \(.zero - duration) in the past; pass an instant that is still to come")
            }
            machine.start(for: duration, now: now)
            return true
        }
    }

    /// Pauses the countdown and keeps the remaining time.
    ///
    /// It has no effect unless the countdown runs.
    ///
    /// - Returns: Whether the state changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; nothing has then changed.
    @discardableResult
    public func pause() throws(BackgroundError) -> Bool { try change { machine, now in machine.pause(now: now) } }

    /// Resumes the countdown with the remaining time.
    ///
    /// It has no effect unless the countdown is paused.
    ///
    /// - Returns: Whether the state changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; nothing has then changed.
    @discardableResult
    public func resume() throws(BackgroundError) -> Bool { try change { machine, now in machine.resume(now: now) } }

    /// Extends the countdown, or shortens it if the duration is negative.
    ///
    /// It has no effect unless the countdown runs or is paused.
    ///
    /// - Returns: Whether the countdown changed.
    /// - Throws: ``BackgroundError`` with the code `invalidArgument` if no time would remain, or `storeFailed` if the
    ///   change could not be stored. In both cases the countdown is unchanged.
    @discardableResult
    public func extend(by duration: Duration) throws(BackgroundError) -> Bool {
        try change { machine, now throws(BackgroundError) in
            switch machine.extend(by: duration, now: now) {
            case .changed: return true
            case .ignored: return false
            case .refused:
                throw BackgroundError(
                    code: .invalidArgument,
                    message: "`duration` is \(duration), which leaves nothing to count down; cancel() ends a countdown")
            }
        }
    }

    /// Ends the countdown without a finish.
    ///
    /// It has no effect if the countdown is idle.
    ///
    /// - Returns: Whether the state changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; nothing has then changed.
    @discardableResult
    public func cancel() throws(BackgroundError) -> Bool { try change { machine, _ in machine.cancel() } }

    /// Records that the user has seen the finish, after which the countdown is idle.
    ///
    /// It has no effect unless the countdown has finished.
    ///
    /// - Returns: Whether the state changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; nothing has then changed.
    @discardableResult
    public func acknowledge() throws(BackgroundError) -> Bool { try change { machine, _ in machine.acknowledge() } }

    // MARK: Carrying out

    @discardableResult
    private func change(
        _ event: @Sendable (inout CountdownMachine, HostReading) throws(BackgroundError) -> Bool
    ) throws(BackgroundError) -> Bool {
        let hasChanged = try gate.withLock { _ throws(BackgroundError) in
            let now = HostReading(host)
            var machine = inner.withLock { $0.machine }
            guard try event(&machine, now) else { return false }
            try keeper.save(machine.record(boot: now.boot))
            takeEffect(machine)
            updateNotification(machine, isNew: true)
            return true
        }
        // This call is made outside the gate, because it calls the host.
        wishes?.carryOut()
        return hasChanged
    }

    /// Makes a changed machine the current one; the caller holds the gate.
    private func takeEffect(_ machine: CountdownMachine) {
        inner.withLock { inner in
            inner.machine = machine
            arm(&inner)
            // These calls only enqueue work. They are made under the lock, so that the work has the order of the
            // changes.
            states.set(machine.publicState)
            ticker.show(machine.display)
        }
    }

    private func arm(_ inner: inout Inner) {
        inner.waiting.take()?.cancel()
        guard case .running(let stop, _) = inner.machine.state else { return }
        let epoch = inner.machine.epoch
        inner.waiting = host.engine.schedule(at: stop) { [weak self] in
            self?.host.mainLoop.run { [weak self] in self?.stopReached(epoch: epoch) }
        }
    }

    /// Schedules or removes the notification request.
    ///
    /// `isNew` is false if only the wall-clock reading of the same stop instant has changed.
    private func updateNotification(_ machine: CountdownMachine, isNew: Bool) {
        guard let wishes, let notification else { return }
        guard case .running(_, let shown) = machine.state else { return wishes.remove(notificationIdentifier) }
        let request = NotificationRequest(
            identifier: notificationIdentifier, notification: notification, trigger: .at(shown))
        if isNew { wishes.want(request) } else { wishes.keep(request) }
    }

    @MainActor private func stopReached(epoch: Int) {
        let finish = gate.withLock { _ -> (WallInstant, CountdownMachine, [Int])? in
            let now = HostReading(host)
            var (machine, observers) = inner.withLock { ($0.machine, $0.observers.map(\.id)) }
            guard let instant = machine.stopReached(epoch: epoch, now: now, isWatched: !observers.isEmpty)
            else { return nil }
            takeEffect(machine)
            return (instant, machine, observers)
        }
        guard let (instant, machine, observers) = finish else { return }
        for id in observers {
            // Each observer is looked up immediately before its call, so that an observer that was cancelled in the
            // meantime is not called.
            let observer = inner.withLock { inner in inner.observers.first { $0.id == id }?.observer }
            observer?(instant)
        }
        // The finish is stored only after the observers were called. If the process is killed before that, the stored
        // record still has the stop instant, and the finish is restored as unseen.
        gate.withLock { _ in
            if inner.withLock({ $0.machine.epoch }) == machine.epoch { saveWhatHappened(machine) }
        }
    }

    @MainActor private func wallClockChanged() {
        gate.withLock { _ in
            var machine = inner.withLock { $0.machine }
            guard machine.wallClockChanged(now: HostReading(host)) else { return }
            saveWhatHappened(machine)
            inner.withLock { $0.machine = machine }
            updateNotification(machine, isNew: false)
        }
        wishes?.carryOut()
    }

    /// Stores a change that was not requested; the caller holds the gate.
    ///
    /// If a change of the wall clock cannot be stored, this has no consequences until the machine restarts, because the
    /// previous record has the same stop instant on the continuous clock. If a finish cannot be stored, it is unseen
    /// again in the next process.
    private func saveWhatHappened(_ machine: CountdownMachine) {
        do {
            try keeper.save(machine.record(boot: host.bootID))
        } catch {
            logger.error("a countdown could not be stored", metadata: ["key": "\(key)", "error": "\(error)"])
        }
    }
}

extension CountdownMachine {
    fileprivate var publicState: Countdown.State {
        switch state {
        case .idle: .idle
        case .running: .running
        case .paused: .paused
        case .finished(let instant, let unseen): .finished(at: instant, unseen: unseen)
        }
    }

    fileprivate var display: SecondDisplay {
        switch state {
        case .idle, .finished: .still(seconds: 0)
        case .running(let stop, _): .down(to: stop)
        case .paused(let remaining): .still(seconds: WholeSeconds.up(remaining))
        }
    }
}
