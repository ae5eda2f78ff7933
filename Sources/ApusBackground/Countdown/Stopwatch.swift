public import ApusTimers
import Logging

/// Counts up from an instant that outlives the process.
///
/// The record contains the elapsed time at an instant, so a stopwatch is correct after a suspension, a sleep of the
/// device, a termination and a restart of the machine. Each requested change is stored before it takes effect; if it
/// cannot be stored, nothing has changed. Until the machine restarts, the continuous clock decides, regardless of
/// changes to the wall clock.
///
/// All members may be used from any thread. Two stopwatches must not share a key. The stopwatch holds a lock while it
/// calls the store, so the store must not use the stopwatch.
public final class Stopwatch: Sendable {
    /// The state of a stopwatch.
    public enum State: Sendable, Hashable, CaseIterable {
        /// The stopwatch is at zero.
        case idle
        /// The stopwatch runs.
        case running
        /// The stopwatch is paused until it is resumed.
        case paused
    }

    /// The key of the record.
    public let key: String

    private let host: any BackgroundHost
    private let keeper: RecordKeeper<StopwatchRecord>
    private let states: Broadcast<State>
    private let ticker: SecondTicker
    /// The observation of changes to the wall clock; it ends when this object is released.
    private let wallClock = Locked<ObservationToken?>(nil)
    /// A lock that is held from the decision about a change until the change is stored and has taken effect; it is
    /// never taken under `machine`.
    private let gate = Locked(())
    private let machine: Locked<StopwatchMachine>

    /// Restores the stopwatch of a key in its current state, which is idle if there is no record.
    ///
    /// - Parameters:
    ///   - host: The host whose clocks, engine and main loop are used.
    ///   - store: The store of the record.
    ///   - key: The key of the record.
    /// - Throws: ``BackgroundError`` with the code `storeFailed` if the record cannot be read or stored.
    public init(host: any BackgroundHost, store: any RecordStore, key: String) throws(BackgroundError) {
        self.host = host
        self.key = key
        keeper = RecordKeeper(store: store, key: key, kind: "stopwatch")
        let now = HostReading(host)
        let machine = StopwatchMachine(try keeper.load(), now: now)
        // The record is stored anew, so that from now on the continuous clock of this boot decides.
        if case .running = machine.state { try keeper.save(machine.record(now: now)) }
        self.machine = Locked(machine)
        states = Broadcast(machine.publicState, mainLoop: host.mainLoop)
        ticker = SecondTicker(host: host, display: machine.display)
        let observation = host.engine.observeWallClock { [weak self] in
            // This runs on the main loop, not on the engine's thread, because it writes to the store.
            self?.host.mainLoop.run { [weak self] in self?.wallClockChanged() }
        }
        wallClock.withLock { $0 = observation }
    }

    // MARK: Reading

    /// The current state.
    public var state: State { states.value }

    /// Returns a new sequence of the states from now on.
    public func stateChanges() -> Changes<State> { states.changes() }

    /// The time for which the stopwatch has run, computed at each access.
    public var elapsed: Duration {
        let now = host.engine.time.continuous()
        return machine.withLock { $0.elapsed(at: now) }
    }

    /// The elapsed time at each ``lap()``, the earliest first.
    public var laps: [Duration] { machine.withLock { $0.laps } }

    /// Calls `observer` on the main loop with the elapsed time in whole seconds, rounded down.
    ///
    /// The first call comes soon, and another one whenever the displayed time changes. The calls are aligned with the
    /// start instant, without drift. If the main loop was busy, the observer gets one call, with the current value.
    public func observeDisplay(_ observer: @escaping @MainActor @Sendable (Duration) -> Void) -> ObservationToken {
        ticker.observe(observer)
    }

    // MARK: Changing

    /// Starts the stopwatch from zero, without laps, regardless of its state.
    ///
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; nothing has then changed.
    public func start() throws(BackgroundError) {
        try change { machine, now in
            machine.start(now: now)
            return true
        }
    }

    /// Pauses the stopwatch.
    ///
    /// It has no effect unless the stopwatch runs.
    ///
    /// - Returns: Whether the state changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; nothing has then changed.
    @discardableResult
    public func pause() throws(BackgroundError) -> Bool { try change { machine, now in machine.pause(now: now) } }

    /// Resumes the stopwatch from the elapsed time.
    ///
    /// It has no effect unless the stopwatch is paused.
    ///
    /// - Returns: Whether the state changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; nothing has then changed.
    @discardableResult
    public func resume() throws(BackgroundError) -> Bool { try change { machine, now in machine.resume(now: now) } }

    /// Adds the elapsed time to ``laps``.
    ///
    /// It has no effect unless the stopwatch runs.
    ///
    /// - Returns: Whether a lap was added.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; nothing has then changed.
    @discardableResult
    public func lap() throws(BackgroundError) -> Bool { try change { machine, now in machine.lap(now: now) } }

    /// Resets the stopwatch to zero, without laps.
    ///
    /// It has no effect if the stopwatch is idle.
    ///
    /// - Returns: Whether the state changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; nothing has then changed.
    @discardableResult
    public func reset() throws(BackgroundError) -> Bool { try change { machine, _ in machine.reset() } }

    // MARK: Carrying out

    @discardableResult
    private func change(
        _ event: @Sendable (inout StopwatchMachine, HostReading) -> Bool
    ) throws(BackgroundError) -> Bool {
        try gate.withLock { _ throws(BackgroundError) in
            let now = HostReading(host)
            var changed = machine.withLock { $0 }
            guard event(&changed, now) else { return false }
            try keeper.save(changed.record(now: now))
            machine.withLock { [changed] machine in
                machine = changed
                // These calls only enqueue work. They are made under the lock, so that the work has the order of the
                // changes.
                states.set(changed.publicState)
                ticker.show(changed.display)
            }
            return true
        }
    }

    @MainActor private func wallClockChanged() {
        gate.withLock { _ in
            let machine = machine.withLock { $0 }
            guard case .running = machine.state else { return }
            do {
                try keeper.save(machine.record(now: HostReading(host)))
            } catch {
                // The failure has no consequence until the machine restarts, because the previous record yields the
                // same elapsed time.
                Logger(label: "apus.background").error(
                    "a stopwatch could not be stored", metadata: ["key": "\(key)", "error": "\(error)"])
            }
        }
    }
}

extension StopwatchMachine {
    fileprivate var publicState: Stopwatch.State {
        switch state {
        case .idle: .idle
        case .running: .running
        case .paused: .paused
        }
    }

    fileprivate var display: SecondDisplay {
        switch state {
        case .idle: .still(seconds: 0)
        case .running(let elapsed, let since): .up(elapsed: elapsed, since: since)
        case .paused(let elapsed): .still(seconds: WholeSeconds.down(elapsed))
        }
    }
}

/// The rules of a stopwatch as a pure state machine, without clock, lock or store.
struct StopwatchMachine: Sendable {
    enum State: Sendable, Hashable {
        case idle
        /// `elapsed` is the elapsed time at the instant `since`.
        case running(elapsed: Duration, since: ContinuousInstant)
        case paused(elapsed: Duration)
    }

    private(set) var state = State.idle
    private(set) var laps: [Duration] = []

    init() {}

    init(_ record: StopwatchRecord?, now: HostReading) {
        guard let record else { return }
        laps = record.laps
        switch record.state {
        case .running(let elapsed, let instant):
            // If the wall clock was set back during a restart of the machine, the recorded elapsed time must not
            // decrease.
            let since = max(.zero, .zero - instant.duration(from: now))
            state = .running(elapsed: (elapsed + since).clamped, since: now.continuous)
        case .paused(let elapsed):
            state = .paused(elapsed: elapsed)
        }
    }

    /// Returns the record to store; `nil` for an idle stopwatch.
    func record(now: HostReading) -> StopwatchRecord? {
        switch state {
        case .idle: nil
        case .running:
            StopwatchRecord(.running(elapsed: elapsed(at: now.continuous), at: now.stored(in: .zero)), laps: laps)
        case .paused(let elapsed): StopwatchRecord(.paused(elapsed: elapsed), laps: laps)
        }
    }

    func elapsed(at now: ContinuousInstant) -> Duration {
        switch state {
        case .idle: .zero
        case .running(let elapsed, let since): (elapsed + since.duration(to: now)).clamped
        case .paused(let elapsed): elapsed
        }
    }

    // MARK: Events

    /// Starts from zero, without laps, regardless of the state.
    mutating func start(now: HostReading) {
        state = .running(elapsed: .zero, since: now.continuous)
        laps = []
    }

    mutating func pause(now: HostReading) -> Bool {
        guard case .running = state else { return false }
        state = .paused(elapsed: elapsed(at: now.continuous))
        return true
    }

    mutating func resume(now: HostReading) -> Bool {
        guard case .paused(let elapsed) = state else { return false }
        state = .running(elapsed: elapsed, since: now.continuous)
        return true
    }

    mutating func lap(now: HostReading) -> Bool {
        guard case .running = state else { return false }
        laps.append(elapsed(at: now.continuous))
        return true
    }

    mutating func reset() -> Bool {
        if case .idle = state { return false }
        self = StopwatchMachine()
        return true
    }
}

/// The stored record of a stopwatch; an idle stopwatch has none.
public struct StopwatchRecord: Codable, Sendable, Hashable {
    /// The state of the stopwatch.
    public enum State: Sendable, Hashable {
        /// The stopwatch runs, and its elapsed time was `elapsed` at the instant `at`.
        case running(elapsed: Duration, at: StoredInstant)
        /// The stopwatch is paused.
        case paused(elapsed: Duration)
    }

    /// The state of the stopwatch.
    public var state: State
    /// The elapsed time at each lap, the earliest first.
    public var laps: [Duration]

    /// Creates a record.
    public init(_ state: State, laps: [Duration] = []) {
        self.state = state
        self.laps = laps
    }

    private enum Name: String, Codable { case running, paused }
    private enum Key: String, CodingKey { case version, state, elapsed, wall, continuous, boot, laps }

    /// Decodes a record.
    ///
    /// - Throws: `DecodingError` if the record is incomplete, has another version or is invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        try RecordCoding.checkVersion(container, .version, of: "stopwatch")
        let elapsed = try container.decode(Duration.self, forKey: .elapsed)
        laps = try container.decode([Int64].self, forKey: .laps).map { .nanoseconds($0) }
        switch try container.decode(Name.self, forKey: .state) {
        case .running:
            state = .running(
                elapsed: elapsed,
                at: StoredInstant(
                    wall: try container.decode(WallInstant.self, forKey: .wall),
                    boot: try container.decodeIfPresent(String.self, forKey: .boot),
                    continuous: try container.decode(ContinuousInstant.self, forKey: .continuous)))
        case .paused:
            state = .paused(elapsed: elapsed)
        }
    }

    /// Encodes the record, with instants and durations in nanoseconds, under stable names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(RecordCoding.version, forKey: .version)
        try container.encode(laps.map(\.wholeNanoseconds), forKey: .laps)
        switch state {
        case .running(let elapsed, let instant):
            try container.encode(Name.running, forKey: .state)
            try container.encode(elapsed, forKey: .elapsed)
            try container.encode(instant.wall, forKey: .wall)
            try container.encodeIfPresent(instant.boot, forKey: .boot)
            try container.encode(instant.continuous, forKey: .continuous)
        case .paused(let elapsed):
            try container.encode(Name.paused, forKey: .state)
            try container.encode(elapsed, forKey: .elapsed)
        }
    }
}
