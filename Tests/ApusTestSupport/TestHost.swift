package import ApusBackground
package import ApusTimers
package import ApusVirtualTime

/// A host whose phase, conditions and background tasks a test sets.
///
/// It uses virtual time, and ``settle()`` runs its main loop, so a test is synchronous and on the main actor. If the
/// test passes an engine of its own, work is started on the global executor.
package final class TestHost: BackgroundHost {
    package typealias Work = @Sendable () async -> Void

    private struct State {
        var remaining: Duration?
        var refuses = false
        var begunTaskCount = 0
        var conditionsWhenFollowed: DeviceConditions?
        var readings = 0
    }

    package let time: VirtualTime
    package let loop = HandLoop()
    package let engine: TimerEngine
    package let mainLoop: any MainLoop
    package let waitsForExpiredTasks: Bool
    package let bootID: String?
    package let tasks: BackgroundTaskRegistry
    private let startWork: @Sendable (@escaping Work) -> Void
    private let phases: Broadcast<Phase>
    private let device: Broadcast<DeviceConditions>
    private let state = Locked(State())
    private let ends: Log<Void>
    private let faults: Log<String>
    private let notes = Log<String>()

    package init(
        _ conditions: DeviceConditions = DeviceConditions(), phase: Phase = .active, waitsForExpiredTasks: Bool = true,
        bootID: String? = "boot 1", time: VirtualTime = VirtualTime(), engine: TimerEngine? = nil,
        mainLoop: (any MainLoop)? = nil, start: (@Sendable (@escaping Work) -> Void)? = nil
    ) {
        self.time = time
        self.engine = engine ?? time.engine
        self.mainLoop = mainLoop ?? loop
        self.waitsForExpiredTasks = waitsForExpiredTasks
        self.bootID = bootID
        startWork = start ?? { work in if engine == nil { time.start(work) } else { Task { await work() } } }
        let (ends, faults) = (Log<Void>(), Log<String>())
        (self.ends, self.faults) = (ends, faults)
        // The registry logs a background task that was not ended.
        tasks = BackgroundTaskRegistry(logger: faults.logger, mainLoop: self.mainLoop, whenIdle: { ends.add(()) })
        phases = Broadcast(phase, mainLoop: self.mainLoop)
        device = Broadcast(conditions, mainLoop: self.mainLoop)
    }

    package var phase: Phase { phases.value }
    package func phaseChanges() -> PhaseChanges { phases.changes() }
    package var backgroundTimeRemaining: Duration? { state.withLock { $0.remaining } }
    package var conditions: DeviceConditions {
        state.withLock { $0.readings += 1 }
        return device.value
    }
    package func conditionChanges() -> Changes<DeviceConditions> {
        if let unseen = state.withLock({ $0.conditionsWhenFollowed }) { device.set(unseen) }
        return device.changes()
    }

    package func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> ObservationToken {
        phases.observe(observer)
    }

    package func start(_ work: @escaping Work) { startWork(work) }

    package func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask {
        guard !state.withLock({ $0.refuses }) else {
            mainLoop.run(request.onExpiration)
            throw BackgroundError(code: .tooLate, message: "“\(request.name)” came too late")
        }
        let task = try tasks.begin(request)
        state.withLock { $0.begunTaskCount += 1 }
        return task
    }

    // MARK: Observation by a test

    /// The names of the open background tasks, in the order in which they were begun.
    package var openTasks: [String] { tasks.openNames }
    package var begunTaskCount: Int { state.withLock { $0.begunTaskCount } }
    /// The number of times that the end of a background task left no task open.
    package var idleCount: Int { ends.all.count }
    /// The number of background tasks that were ended only by the release of their last reference.
    package var faultCount: Int { faults.all.count }
    /// Whether the conditions are observed, and whether the phase is observed.
    package var isFollowed: (conditions: Bool, phase: Bool) { (device.hasListeners, phases.hasListeners) }
    /// The number of times that the conditions were read.
    package var readings: Int { state.withLock { $0.readings } }

    // MARK: Control by a test

    /// Changes the conditions without running the main loop, for tests that run the time themselves.
    package func become(_ conditions: DeviceConditions) { device.set(conditions) }

    /// Changes the conditions between their last reading and the beginning of their observation.
    package func changeUnseen(to conditions: DeviceConditions) {
        state.withLock { $0.conditionsWhenFollowed = conditions }
    }

    /// Sets whether background tasks are refused from now on.
    package func refuse(_ refuses: Bool) {
        state.withLock { $0.refuses = refuses }
        if !refuses { tasks.reopen() }
    }

    package func pressHome(remaining: Duration? = .seconds(30)) {
        state.withLock { $0.remaining = remaining }
        phases.set(.inactive)
        phases.set(.background)
    }

    package func open() {
        state.withLock { $0.remaining = nil }
        refuse(false)
        phases.set(.inactive)
        phases.set(.active)
    }

    /// Expires all background tasks: calls all handlers in one pass on the main loop, and grants no more time.
    package func expire() {
        state.withLock { $0.remaining = .seconds(4) }
        tasks.expireAll()
    }

    @MainActor package func set(_ conditions: DeviceConditions) {
        device.set(conditions)
        settle()
    }

    @MainActor package func change(_ change: (inout DeviceConditions) -> Void) {
        var conditions = device.value
        change(&conditions)
        set(conditions)
    }

    @MainActor package func enter(_ phase: Phase, remaining: Duration? = nil) {
        state.withLock { $0.remaining = remaining }
        phases.set(phase)
        settle()
    }

    /// Runs everything that can run now.
    @MainActor package func settle() {
        repeat { time.settle() } while loop.drain() > 0
    }

    /// Lets time pass in steps, and runs the main loop after each of them.
    @MainActor package func advance(by duration: Duration, step: Duration = .milliseconds(500)) {
        settle()
        var left = duration
        while left > .zero {
            time.advance(by: min(step, left))
            left -= step
            settle()
        }
    }

    // MARK: The diary

    package var diary: [String] { notes.all }

    /// Adds a line to the diary, with the whole seconds since the beginning of the test.
    package func note(_ text: String) { notes.add("\(second) \(text)") }

    package var second: Int64 { Int64(bitPattern: time.uptime().nanoseconds &- 3_600_000_000_000) / 1_000_000_000 }
}
