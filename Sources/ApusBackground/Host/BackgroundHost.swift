public import ApusTimers

/// What an operating system gives an app: phases, time to finish its work, a main loop, and what the device is like.
///
/// Linux, Apple's systems and the simulated device are hosts. All members may be used from any thread.
public protocol BackgroundHost: Sendable {
    /// The present phase.
    var phase: Phase { get }

    /// A new sequence of the phases that are entered from now on, until ``Phase/terminated``.
    func phaseChanges() -> PhaseChanges

    /// Calls `observer` on the main loop whenever a phase is entered, until the observation is cancelled or dropped.
    ///
    /// A suspended app runs nothing, so it is notified of ``Phase/suspended`` when it runs again, if it does, and of
    /// ``Phase/terminated`` only if the host gives it time to.
    func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> ObservationToken

    /// How much longer the app may run in the background, on the uptime clock; `nil` while nothing limits it.
    var backgroundTimeRemaining: Duration? { get }

    /// Asks for time to finish something. Prefer ``withBackgroundTask(named:fileID:line:_:)``.
    ///
    /// - Parameter request: The name, the place and the expiration handler.
    /// - Returns: The background task, which must be ended.
    /// - Throws: ``BackgroundError`` with the code `tooLate` when the host grants nothing more. The expiration
    ///   handler is called then too, because it holds the app's way to wind up.
    func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask

    /// Whether the host waits, for as long as its time lasts, for background tasks that are still open after their
    /// expiration handler has returned. A phone ends the app instead.
    var waitsForExpiredTasks: Bool { get }

    /// What the device is like.
    var conditions: DeviceConditions { get }

    /// A new sequence of the conditions from now on, one element for each change.
    func conditionChanges() -> Changes<DeviceConditions>

    /// The engine on the host's clocks, which stands still while the host suspends the app. The app's timers live here.
    var engine: TimerEngine { get }

    /// The app's main loop.
    var mainLoop: any MainLoop { get }

    /// Which start of the machine this is: readings of the monotonic clocks mean something only within one. `nil` when
    /// the host does not know it.
    var bootID: String? { get }

    /// Starts asynchronous work of the app where the host runs it: the global executor on a real system, the
    /// simulation's own in a simulated one.
    func start(_ work: @escaping @Sendable () async -> Void)
}

extension BackgroundHost {
    /// Asks for time to finish something: the host does not suspend or end the app until the background task is ended
    /// or expires.
    ///
    /// - Parameters:
    ///   - name: Names the work in logs and errors.
    ///   - fileID: The place that begins the task, for the fault when it is never ended.
    ///   - line: The line of that place.
    ///   - onExpiration: Called on the main actor when the time is nearly over. The background task ends when it
    ///     returns.
    /// - Returns: The background task, which must be ended.
    /// - Throws: ``BackgroundError`` with the code `tooLate` when the host grants nothing more; the handler is called
    ///   too.
    public func beginBackgroundTask(
        named name: String,
        fileID: String = #fileID,
        line: Int = #line,
        onExpiration: @escaping @MainActor @Sendable () -> Void = {}
    ) throws(BackgroundError) -> BackgroundTask {
        try beginBackgroundTask(
            BackgroundTaskRequest(name: name, fileID: fileID, line: line, onExpiration: onExpiration))
    }

    /// Unstructured work on the global executor.
    public func start(_ work: @escaping @Sendable () async -> Void) { Task { await work() } }
}

/// Where an app is on its way from the screen to the end.
public enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
    /// In front, and the user's events arrive. A server is active until it is asked to stop.
    case active
    /// In front without events: a call comes in, or the app is on its way to another phase.
    case inactive
    /// Not in front, but running, for as long as the host allows.
    case background
    /// In memory without running: not one line of the app's code is executed.
    case suspended
    /// Over. No other phase follows.
    case terminated
}

/// What a host's clocks show at one moment, in one start of the machine.
@dynamicMemberLookup
struct HostReading: Sendable, Hashable {
    var clocks: ClockReading
    var boot: String?

    init(_ clocks: ClockReading, boot: String?) { (self.clocks, self.boot) = (clocks, boot) }

    /// The present moment on a host.
    init(_ host: any BackgroundHost) { self.init(ClockReading(host.engine.time), boot: host.bootID) }

    subscript<Value>(dynamicMember path: KeyPath<ClockReading, Value>) -> Value { clocks[keyPath: path] }

    /// The instant `duration` from now.
    func stored(in duration: Duration) -> StoredInstant {
        StoredInstant(
            wall: clocks.wall.advanced(by: duration), boot: boot, continuous: clocks.continuous.advanced(by: duration))
    }
}

/// What a host's clocks show and what its device is like at one moment.
@dynamicMemberLookup
struct HostBackgroundReading: Sendable {
    var moment: HostReading
    var phase: Phase
    /// `nil` when they were not read, because nothing depends on them.
    var conditions: DeviceConditions?

    init(_ moment: HostReading, phase: Phase, conditions: DeviceConditions?) {
        (self.moment, self.phase, self.conditions) = (moment, phase, conditions)
    }

    /// The present moment on a host, without its conditions.
    init(_ host: any BackgroundHost, boot: String?) {
        self.init(HostReading(ClockReading(host.engine.time), boot: boot), phase: host.phase, conditions: nil)
    }

    var isInForeground: Bool {
        switch phase {
        case .active, .inactive: true
        case .background, .suspended, .terminated: false
        }
    }

    subscript<Value>(dynamicMember path: KeyPath<ClockReading, Value>) -> Value { moment.clocks[keyPath: path] }
}
