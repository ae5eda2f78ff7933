public import ApusTimers
import Logging

/// Counts down to an instant that outlives the process.
///
/// What is stored is the stop instant, or what was left when it was paused; never a count of ticks. So it is right after
/// a suspension, a sleep of the device, a termination, and a restart of the machine. Every change that is asked for is
/// stored before it takes effect: a process may be killed at any moment, and when the change could not be stored,
/// nothing has changed. A finish needs no storing: it follows from the stop instant.
///
/// While the process runs, and after it as long as the machine does, the continuous clock decides: setting the wall
/// clock moves no countdown. Only after a restart of the machine the wall clock has to be believed.
///
/// A countdown owns one notification request, whose identifier is ``notificationIdentifier``: pending while the
/// countdown runs, at its stop instant, and removed when it is paused or cancelled. A notification center follows the
/// wall clock: while the app does not run, setting that moves the notification, though not the countdown. One that came
/// too early by that does not come again.
///
/// All members may be used from any thread. Two countdowns must not share a key. The store is called with other changes
/// of the same countdown held back, so it must not use the countdown itself.
public final class Countdown: Sendable {
    /// What a countdown does.
    public enum State: Sendable, Hashable {
        /// Nothing is counted down.
        case idle
        /// It runs.
        case running
        /// It stands still until it is resumed.
        case paused
        /// It has ended at an instant; `unseen` when no observer was called: it ended without observers, or while the
        /// app did not run. So it stays until it is acknowledged, cancelled or started again.
        case finished(at: WallInstant, unseen: Bool)
    }

    /// Names the record.
    public let key: String
    /// Names the notification request.
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
    /// Ends with this object.
    private let wallClock = Locked<ObservationToken?>(nil)
    /// Held from the decision on a change until it is stored and has taken effect. Never taken under `inner`.
    private let gate = Locked(())
    private let inner: Locked<Inner>

    /// The countdown under a key, as it is by now: idle when there is no record.
    ///
    /// - Parameters:
    ///   - host: Whose clocks, engine and main loop are used.
    ///   - store: Where the record is kept.
    ///   - key: Names the record.
    ///   - notification: What is shown at the stop instant, if the app is to show something.
    ///   - notificationScheduler: Where it is scheduled.
    /// - Throws: ``BackgroundError`` with the code `storeFailed` when the record cannot be read, or what has changed
    ///   since cannot be stored.
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
            // Not on the engine's thread: it writes to the store.
            self?.host.mainLoop.run { [weak self] in self?.wallClockChanged() }
        }
        wallClock.withLock { $0 = observation }
    }

    deinit { inner.withLock { $0.waiting.take() }?.cancel() }

    // MARK: Reading

    /// What the countdown does.
    public var state: State { states.value }

    /// A new sequence of the states from now on.
    public func stateChanges() -> Changes<State> { states.changes() }

    /// What is left; computed anew each time. Zero when it has finished, and when nothing is counted down.
    public var remaining: Duration {
        let now = host.engine.time.continuous()
        return inner.withLock { $0.machine.remaining(at: now) }
    }

    /// When it ends, or has ended, on the wall clock as it is set now; `nil` when it is idle or paused.
    public var stopInstant: WallInstant? {
        switch inner.withLock({ $0.machine.state }) {
        case .running(_, let shown): shown
        case .finished(let instant, _): instant
        case .idle, .paused: nil
        }
    }

    /// Calls `observer` on the main loop each time the countdown finishes, once, with the instant at which it did.
    ///
    /// A finish while the process did not run is not reported here; ``state`` says so.
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
            // Released outside the lock.
            withExtendedLifetime(removed) {}
        }
    }

    /// Calls `observer` on the main loop with what a display shows, in whole seconds rounded up: soon, and again each
    /// time when that changes. It changes in step with the stop instant, without drift, and not at all while nothing is
    /// counted down. A main loop that was busy gets one call, with the present value.
    public func observeDisplay(_ observer: @escaping @MainActor @Sendable (Duration) -> Void) -> ObservationToken {
        ticker.observe(observer)
    }

    // MARK: Changing

    /// Counts down `duration` from now, whatever the countdown did before.
    ///
    /// - Throws: ``BackgroundError`` with the code `invalidArgument` when the duration is not positive, `storeFailed`
    ///   when the change could not be stored; then nothing has changed.
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

    /// Counts down to an instant of the wall clock as it is set now, whatever the countdown did before.
    ///
    /// - Throws: ``BackgroundError`` with the code `invalidArgument` when the instant has passed, `storeFailed` when the
    ///   change could not be stored; then nothing has changed.
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

    /// Stops for a while and keeps what is left. Does nothing unless the countdown runs.
    ///
    /// - Returns: Whether anything changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; then nothing has changed.
    @discardableResult
    public func pause() throws(BackgroundError) -> Bool { try change { machine, now in machine.pause(now: now) } }

    /// Resumes with the remaining time. Does nothing unless the countdown is paused.
    ///
    /// - Returns: Whether anything changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; then nothing has changed.
    @discardableResult
    public func resume() throws(BackgroundError) -> Bool { try change { machine, now in machine.resume(now: now) } }

    /// Lengthens the countdown, or shortens it by a negative duration. Does nothing unless it runs or is paused.
    ///
    /// - Returns: Whether anything changed.
    /// - Throws: ``BackgroundError`` with the code `invalidArgument` when nothing would be left, `storeFailed` when the
    ///   change could not be stored; then nothing has changed.
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

    /// Ends the countdown without a finish. Does nothing when it is idle.
    ///
    /// - Returns: Whether anything changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; then nothing has changed.
    @discardableResult
    public func cancel() throws(BackgroundError) -> Bool { try change { machine, _ in machine.cancel() } }

    /// Says that the user has seen the finish: the countdown is idle again. Does nothing unless it has finished.
    ///
    /// - Returns: Whether anything changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; then nothing has changed.
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
        // Outside the gate: it calls the host.
        wishes?.carryOut()
        return hasChanged
    }

    /// Under the gate.
    private func takeEffect(_ machine: CountdownMachine) {
        inner.withLock { inner in
            inner.machine = machine
            arm(&inner)
            // These put calls in queues only, and here their order is that of the changes.
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

    /// `isNew` says whether the countdown has another stop instant than before, and not only another name for it.
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
            // Looked up one by one: what was cancelled meanwhile is not called.
            let observer = inner.withLock { inner in inner.observers.first { $0.id == id }?.observer }
            observer?(instant)
        }
        // Only now: had the process been killed before, the stored stop instant would say that it was not seen.
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

    /// Stores what the countdown did by itself, under the gate. A failure loses nothing as long as the machine is not
    /// restarted: the earlier record has the same stop instant on the continuous clock.
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
