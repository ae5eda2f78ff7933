public import ApusTimers
import Logging

/// Counts up from an instant that outlives the process: a ``Countdown`` the other way round.
///
/// What is stored is when it was started and what had passed by then, so it is right after a suspension, a sleep of the
/// device, a termination, and a restart of the machine. Every change is stored before it takes effect; when it could not
/// be stored, nothing has changed. Within one start of the machine the continuous clock decides, whatever
/// the wall clock is set to.
///
/// All members may be used from any thread. Two stopwatches must not share a key. The store is called with other changes
/// of the same stopwatch held back, so it must not use the stopwatch itself.
public final class Stopwatch: Sendable {
    /// What a stopwatch does.
    public enum State: Sendable, Hashable, CaseIterable {
        /// It stands at zero.
        case idle
        /// It runs.
        case running
        /// It stands still until it is resumed.
        case paused
    }

    /// Names the record.
    public let key: String

    private let host: any BackgroundHost
    private let keeper: RecordKeeper<StopwatchRecord>
    private let states: Broadcast<State>
    private let ticker: SecondTicker
    /// Ends with this object.
    private let wallClock = Locked<ObservationToken?>(nil)
    /// Held from the decision on a change until it is stored and has taken effect. Never taken under `machine`.
    private let gate = Locked(())
    private let machine: Locked<StopwatchMachine>

    /// The stopwatch under a key, as it is by now: idle when there is no record.
    ///
    /// - Parameters:
    ///   - host: Whose clocks, engine and main loop are used.
    ///   - store: Where the record is kept.
    ///   - key: Names the record.
    /// - Throws: ``BackgroundError`` with the code `storeFailed` when the record cannot be read or stored.
    public init(host: any BackgroundHost, store: any RecordStore, key: String) throws(BackgroundError) {
        self.host = host
        self.key = key
        keeper = RecordKeeper(store: store, key: key, kind: "stopwatch")
        let now = HostReading(host)
        let machine = StopwatchMachine(try keeper.load(), now: now)
        // From now on this start of the machine counts.
        if case .running = machine.state { try keeper.save(machine.record(now: now)) }
        self.machine = Locked(machine)
        states = Broadcast(machine.publicState, mainLoop: host.mainLoop)
        ticker = SecondTicker(host: host, display: machine.display)
        let observation = host.engine.observeWallClock { [weak self] in
            // Not on the engine's thread: it writes to the store.
            self?.host.mainLoop.run { [weak self] in self?.wallClockChanged() }
        }
        wallClock.withLock { $0 = observation }
    }

    // MARK: Reading

    /// What the stopwatch does.
    public var state: State { states.value }

    /// A new sequence of the states from now on.
    public func stateChanges() -> Changes<State> { states.changes() }

    /// What has passed while it ran; computed anew each time.
    public var elapsed: Duration {
        let now = host.engine.time.continuous()
        return machine.withLock { $0.elapsed(at: now) }
    }

    /// What had passed at each ``lap()``, the earliest first.
    public var laps: [Duration] { machine.withLock { $0.laps } }

    /// Calls `observer` on the main loop with what a display shows, in whole seconds rounded down: soon, and again each
    /// time when that changes. It changes in step with the start instant, without drift, and not at all while the
    /// stopwatch stands still. A main loop that was busy gets one call, with the present value.
    public func observeDisplay(_ observer: @escaping @MainActor @Sendable (Duration) -> Void) -> ObservationToken {
        ticker.observe(observer)
    }

    // MARK: Changing

    /// Starts from zero, without laps, whatever the stopwatch did before.
    ///
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; then nothing has changed.
    public func start() throws(BackgroundError) {
        try change { machine, now in
            machine.start(now: now)
            return true
        }
    }

    /// Stops for a while. Does nothing unless the stopwatch runs.
    ///
    /// - Returns: Whether anything changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; then nothing has changed.
    @discardableResult
    public func pause() throws(BackgroundError) -> Bool { try change { machine, now in machine.pause(now: now) } }

    /// Resumes from where it was paused. Does nothing unless the stopwatch is paused.
    ///
    /// - Returns: Whether anything changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; then nothing has changed.
    @discardableResult
    public func resume() throws(BackgroundError) -> Bool { try change { machine, now in machine.resume(now: now) } }

    /// Notes what has passed by now in ``laps``. Does nothing unless the stopwatch runs.
    ///
    /// - Returns: Whether anything changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; then nothing has changed.
    @discardableResult
    public func lap() throws(BackgroundError) -> Bool { try change { machine, now in machine.lap(now: now) } }

    /// Back to zero, without laps. Does nothing when it is idle.
    ///
    /// - Returns: Whether anything changed.
    /// - Throws: ``BackgroundError`` with the code `storeFailed`; then nothing has changed.
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
                // These put calls in queues only, and here their order is that of the changes.
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
                // As long as the machine is not restarted, the earlier record says the same.
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

/// The logic of a stopwatch, without clock, lock or store: one method an event, each says whether it changed anything.
struct StopwatchMachine: Sendable {
    enum State: Sendable, Hashable {
        case idle
        /// So much had passed at an instant.
        case running(elapsed: Duration, since: ContinuousInstant)
        case paused(elapsed: Duration)
    }

    private(set) var state = State.idle
    private(set) var laps: [Duration] = []

    init() {}

    /// What a record says by now.
    init(_ record: StopwatchRecord?, now: HostReading) {
        guard let record else { return }
        laps = record.laps
        switch record.state {
        case .running(let elapsed, let instant):
            // A wall clock that was set back over a restart of the machine must not take away what had passed.
            let since = max(.zero, .zero - instant.duration(from: now))
            state = .running(elapsed: (elapsed + since).clamped, since: now.continuous)
        case .paused(let elapsed):
            state = .paused(elapsed: elapsed)
        }
    }

    /// What is to be stored.
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

    /// From zero, whatever it did before.
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

/// What is stored of a stopwatch. A stopwatch that was reset has no record.
public struct StopwatchRecord: Codable, Sendable, Hashable {
    /// What the stopwatch does.
    public enum State: Sendable, Hashable {
        /// It runs: at an instant, `elapsed` had passed.
        case running(elapsed: Duration, at: StoredInstant)
        /// It stands still.
        case paused(elapsed: Duration)
    }

    /// What the stopwatch does.
    public var state: State
    /// What had passed at each lap, the earliest first.
    public var laps: [Duration]

    /// A record.
    public init(_ state: State, laps: [Duration] = []) {
        self.state = state
        self.laps = laps
    }

    private enum Name: String, Codable { case running, paused }
    private enum Key: String, CodingKey { case version, state, elapsed, wall, continuous, boot, laps }

    /// Reads a record.
    ///
    /// - Throws: `DecodingError` when it is incomplete, of another version, or makes no sense.
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

    /// Writes the record: instants and durations in nanoseconds, under names that stay.
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
