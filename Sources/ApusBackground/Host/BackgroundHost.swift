public import ApusTimers

/// The services that an operating system gives an app: phases, background tasks, a main loop, and the conditions of the
/// device.
///
/// There are hosts for Linux, for Apple's systems, and for the simulated device. All members may be used from any
/// thread.
public protocol BackgroundHost: Sendable {
    /// The current phase.
    var phase: Phase { get }

    /// Returns a new sequence of the phases that are entered from now on, until ``Phase/terminated``.
    func phaseChanges() -> PhaseChanges

    /// Calls `observer` on the main loop whenever a phase is entered, until the returned token is cancelled or
    /// released.
    ///
    /// A suspended app runs no code, so the observer is called with ``Phase/suspended`` when the app runs again, if it
    /// ever does. It is called with ``Phase/terminated`` only if the host gives the app the time for it.
    func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> ObservationToken

    /// The remaining time in the background, on the uptime clock; `nil` while it is unlimited.
    var backgroundTimeRemaining: Duration? { get }

    /// Begins a background task.
    ///
    /// Prefer ``withBackgroundTask(named:fileID:line:_:)``.
    ///
    /// - Parameter request: The name, the calling place and the expiration handler.
    /// - Returns: The background task, which must be ended.
    /// - Throws: ``BackgroundError`` with the code `tooLate` if the host grants no more time. The expiration handler is
    ///   then called too, because it contains the app's final work.
    func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask

    /// Whether the host waits, until the end of the granted time, for background tasks that are still open after their
    /// expiration handler has returned.
    ///
    /// A phone does not wait: it terminates the app.
    var waitsForExpiredTasks: Bool { get }

    /// The current conditions of the device.
    var conditions: DeviceConditions { get }

    /// Returns a new sequence of the conditions from now on, with one element for each change.
    func conditionChanges() -> Changes<DeviceConditions>

    /// The engine for the app's timers, on the host's clocks; it fires no timer while the host suspends the app.
    var engine: TimerEngine { get }

    /// The app's main loop.
    var mainLoop: any MainLoop { get }

    /// The identifier of the current boot of the machine; `nil` if the host does not know it.
    ///
    /// Readings of the monotonic clocks can be compared only within one boot.
    var bootID: String? { get }

    /// Starts asynchronous work of the app, on the global executor of a real system or on the executor of a simulation.
    func start(_ work: @escaping @Sendable () async -> Void)
}

extension BackgroundHost {
    /// Begins a background task, which delays the suspension or the termination of the app until the task is ended or
    /// expires.
    ///
    /// - Parameters:
    ///   - name: The name of the work in logs and errors.
    ///   - fileID: The file that begins the task; it is logged if the task is never ended.
    ///   - line: The line in that file.
    ///   - onExpiration: Called on the main actor shortly before the end of the granted time. The background task ends
    ///     when the closure returns.
    /// - Returns: The background task, which must be ended.
    /// - Throws: ``BackgroundError`` with the code `tooLate` if the host grants no more time; `onExpiration` is then
    ///   called too.
    public func beginBackgroundTask(
        named name: String,
        fileID: String = #fileID,
        line: Int = #line,
        onExpiration: @escaping @MainActor @Sendable () -> Void = {}
    ) throws(BackgroundError) -> BackgroundTask {
        try beginBackgroundTask(
            BackgroundTaskRequest(name: name, fileID: fileID, line: line, onExpiration: onExpiration))
    }

    /// Starts an unstructured task on the global executor.
    public func start(_ work: @escaping @Sendable () async -> Void) { Task { await work() } }
}

/// The phase of an app's life cycle.
public enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app is in the foreground and receives events; a server is active until it is asked to stop.
    case active
    /// The app is in the foreground without events, for example during a phone call or a transition to another phase.
    case inactive
    /// The app is not in the foreground, and runs for as long as the host allows.
    case background
    /// The app is in memory, and none of its code runs.
    case suspended
    /// The app has ended, and enters no other phase.
    case terminated
}

/// The readings of a host's clocks at one moment, with the identifier of the boot.
@dynamicMemberLookup
struct HostReading: Sendable, Hashable {
    var clocks: ClockReading
    var boot: String?

    init(_ clocks: ClockReading, boot: String?) { (self.clocks, self.boot) = (clocks, boot) }

    /// Reads the clocks of a host.
    init(_ host: any BackgroundHost) { self.init(ClockReading(host.engine.time), boot: host.bootID) }

    subscript<Value>(dynamicMember path: KeyPath<ClockReading, Value>) -> Value { clocks[keyPath: path] }

    /// Returns the instant that is `duration` from now, in the form for a record.
    func stored(in duration: Duration) -> StoredInstant {
        StoredInstant(
            wall: clocks.wall.advanced(by: duration), boot: boot, continuous: clocks.continuous.advanced(by: duration))
    }
}

/// The readings of a host's clocks, its phase and the conditions of its device at one moment.
@dynamicMemberLookup
struct HostBackgroundReading: Sendable {
    var moment: HostReading
    var phase: Phase
    /// The conditions; `nil` if they were not read, because nothing depends on them.
    var conditions: DeviceConditions?

    init(_ moment: HostReading, phase: Phase, conditions: DeviceConditions?) {
        (self.moment, self.phase, self.conditions) = (moment, phase, conditions)
    }

    /// Reads the clocks and the phase of a host, but not its conditions.
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
