public import ApusBackground
public import ApusTimers
package import ApusVirtualTime
import Logging

/// The host of one process of an app on a simulated device.
///
/// Once the process has ended, its phase is `terminated`, no work that is passed to the host runs, and calls by
/// functions that are still running have no effect. All members may be used from any thread, but only calls on the
/// device's thread have a reproducible order.
public final class SimulatedHost: BackgroundHost {
    struct State: Sendable {
        var backgroundTasks: BackgroundTaskMachine
        /// The limit for the current work of the process, and the fault that is reported if the work exceeds it.
        var watch: Watch?
        /// The timers for the warnings about background tasks that are held for a long time.
        var warnings: [BackgroundTaskID: ScheduledTimer] = [:]
        var isReviewAsked = false
        /// The reasons to keep the process running, by the names of the parts that have given them.
        var covers: [String: ProcessCover] = [:]
        /// The handlers by the names of the services whose events they receive.
        var eventHandlers: [String: any Sendable] = [:]
        var cpu: CPUMonitor
        /// The background tasks that were open when the last expiration handler returned; `nil` if no return was
        /// reported.
        var openAtReturn: Set<BackgroundTaskID>?
        var endReason: String?
        var keepsScreenOn = false
        /// The reason for which the system started the process, or launched the prewarmed one.
        var launchCause = LaunchCause.user
        /// The sources of changes; `nil` after the process has ended, because their observers could retain the app.
        var changes: ChangeSources?
    }

    struct ChangeSources: Sendable {
        let phases: Broadcast<Phase>
        let conditions: Broadcast<DeviceConditions>
    }

    /// A limit for the current work of a process, in nanoseconds of uptime.
    struct Watch: Sendable {
        let deadline: UInt64
        let fault: Fault
    }

    /// The app's records, which survive its processes and restarts of the device.
    public let storage: any RecordStore
    /// The identifier of the device's start to which this process belongs.
    public let bootID: String?
    /// The declarations of the installed app.
    public let manifest: AppManifest
    /// The device's notification center.
    public var notifications: SimulatedNotificationCenter { part(SimulatedNotificationCenter.self) }
    /// The app's audio player.
    public var audio: SimulatedAudio { part(SimulatedAudio.self) }
    /// The app's location service.
    public var location: SimulatedLocation { part(SimulatedLocation.self) }
    /// The device's background jobs; registered handlers belong to this process.
    public var jobs: SimulatedTaskScheduler { part(SimulatedTaskScheduler.self) }
    package var pushes: SimulatedPushes { part(SimulatedPushes.self) }
    /// The device's background downloads and uploads.
    package var transfers: SimulatedTransfers { part(SimulatedTransfers.self) }
    /// Returns the device's part of this type, which must exist.
    package func part<Part: DevicePart>(_ type: Part.Type) -> Part { parts.required(type) }

    /// The number of this process among those of the app, from 1; warnings in the log contain it.
    let launch: Int
    /// The number of the device in the program.
    package let deviceNumber: Int
    let time: VirtualTime
    let process: VirtualProcess
    package let policy: SystemPolicy
    let log: DeviceLog
    let state: Locked<State>
    /// Asks the system to review the process; it may be called from any thread.
    private let onReview: @Sendable () -> Void
    let parts: DeviceParts

    @MainActor
    init(
        on time: VirtualTime, process: VirtualProcess, bootID: String, records: MemoryRecordStore,
        manifest: AppManifest, policy: SystemPolicy, log: DeviceLog, phase: Phase, isInForeground: Bool,
        conditions: DeviceConditions, parts: DeviceParts, launch: Int, launchCause: LaunchCause, deviceNumber: Int,
        lastBackgroundTaskNumber: Int,
        onReview: @escaping @Sendable () -> Void
    ) {
        self.time = time
        self.process = process
        self.bootID = bootID
        self.manifest = manifest
        self.policy = policy
        self.log = log
        self.launch = launch
        self.deviceNumber = deviceNumber
        storage = ProcessStorage(records: records, process: process)
        self.onReview = onReview
        self.parts = parts
        let changes = ChangeSources(
            phases: Broadcast(phase, mainLoop: process.mainLoop),
            conditions: Broadcast(conditions, mainLoop: process.mainLoop))
        let backgroundTasks = BackgroundTaskMachine(
            rules: BackgroundTaskMachine.Rules(policy), isInForeground: isInForeground, device: deviceNumber,
            lastNumber: lastBackgroundTaskNumber)
        state = Locked(
            State(
                backgroundTasks: backgroundTasks, cpu: CPUMonitor(policy.jobs), launchCause: launchCause,
                changes: changes))
        process.observeUnrest { [weak self] in self?.endWithoutRest() }
    }

    /// Ends the process, as a phone's watchdog ends an app whose main thread is never free.
    private func endWithoutRest() {
        let calls = log.repeatedNow
        let which =
            calls.isEmpty ? "none of it is in the log" : "most often in the log: " + calls.joined(separator: "; ")
        fault(
            Fault(
                .neverAtRest,
                "a million pieces of work ran at one instant, each requested by the one before (\(which)); let time "
                    + "pass between repetitions"))
        end("\(TerminationCode.watchdog): the process did not come to rest")
    }

    // MARK: BackgroundHost

    /// The current phase; `terminated` when the process has ended.
    public var phase: Phase { changes.phases.value }

    /// Returns a new sequence of the phases from now on; a suspended process receives them when it runs again.
    public func phaseChanges() -> PhaseChanges { changes.phases.changes() }

    /// Calls `observer` on the main loop with each phase that is entered.
    ///
    /// All observers together have ``SystemPolicy/enterBackgroundLimit`` for the phase `background`, and
    /// ``SystemPolicy/willTerminateTime`` for `terminated`.
    public func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> ObservationToken {
        changes.phases.observe(observer)
    }

    /// The time for which the process may still run in the background, on the uptime clock.
    ///
    /// It is `nil` in the foreground, and while audio, location, a silent push or continued work keeps the process
    /// running.
    public var backgroundTimeRemaining: Duration? {
        let now = now
        return state.withLock { $0.backgroundTasks.remaining(now: now) }.map { .nanoseconds(Int64(clamping: $0)) }
    }

    /// Always false, because a phone ends an app whose background tasks are open when their handlers have returned.
    public var waitsForExpiredTasks: Bool { false }

    /// The device's conditions as the process knows them; a suspended process is notified of changes when it runs
    /// again.
    public var conditions: DeviceConditions { changes.conditions.value }

    /// Returns a new sequence of the conditions from now on.
    public func conditionChanges() -> Changes<DeviceConditions> { changes.conditions.changes() }

    /// Calls `observer` on the main loop with each change of the conditions.
    package func observeConditions(
        _ observer: @escaping @MainActor @Sendable (DeviceConditions) -> Void
    ) -> ObservationToken { changes.conditions.observe(observer) }

    /// The process's engine, whose clocks begin near zero when the device is started.
    ///
    /// It stops while the process is suspended; when the process is resumed, everything that is overdue fires at once.
    public var engine: TimerEngine { process.engine }

    /// The process's main loop; work of the `default` mode waits while the user scrolls.
    public var mainLoop: any MainLoop { process.mainLoop }

    /// Starts a task on the process's executor.
    ///
    /// It runs when time is moved, but not while the process is suspended. When the process ends, the task never
    /// continues.
    public func start(_ work: @escaping @Sendable () async -> Void) { process.start(work) }

    // MARK: For apps under test

    /// Writes a line of the app into the device's log.
    public func note(_ text: String) { log(.app, .note(text)) }

    /// Makes the calling code compute for a duration: the clocks move, and nothing else of the app or the system runs.
    ///
    /// In the background, ``SystemPolicy/Jobs/cpuShare`` limits how long an app may compute. If the system would end
    /// the app earlier, the clocks move up to that instant and the process is ended; the rest of the calling function
    /// still runs, without any effect on the device. Call it on the main thread only.
    public func work(for duration: Duration) {
        letPass(UInt64(max(0, duration.wholeNanoseconds)), isComputing: isMonitored)
    }

    /// Makes the calling code wait for a number of nanoseconds, like ``work(for:)`` but without computing.
    package func wait(for nanoseconds: UInt64) { letPass(nanoseconds, isComputing: false) }

    /// Returns how long a process of the operating system may run by itself, in nanoseconds.
    package func freeTime(for companion: any SteppedProcess) -> UInt64 { time.freeTime(for: companion) }

    /// Whether the process does work with a time limit: a launch, the entry into a phase, or expiration handlers.
    package var isWatched: Bool { state.withLock { $0.watch != nil } }

    private func letPass(_ duration: UInt64, isComputing: Bool) {
        guard !process.isEnded else { return }
        let start = now
        let end = start + duration
        for limit in limits(from: start, to: end, isComputing: isComputing) {
            let now = now
            time.pass(limit.instant > now ? limit.instant - now : 0)
            limit.apply()
            if process.isEnded { return }
        }
        time.pass(end - now)
        if isComputing { state.withLock { $0.cpu.computed(from: start, to: end) } }
    }

    /// Returns the limits that are reached between two instants, in order.
    private func limits(from start: UInt64, to end: UInt64, isComputing: Bool) -> [ProcessLimit] {
        let (watch, zero, cpu) = state.withLock { state in
            let cpu = isComputing ? state.cpu.limitReached(from: start, to: end) : nil
            return (state.watch, state.backgroundTasks.zero(now: start), cpu)
        }
        var limits: [ProcessLimit] = []
        if let watch {
            // Expiration handlers that are running when the time is over may continue up to their own limit.
            limits.append(
                ProcessLimit(instant: watch.deadline) { [self] in
                    fault(watch.fault)
                    self.end("\(TerminationCode.watchdog): \(watch.fault.message)")
                })
        } else {
            if let zero { limits.append(ProcessLimit(instant: zero, apply: endIfOverdue)) }
            limits += parts.all.flatMap(\.limits)
        }
        limits = limits.filter { $0.instant < end }
        if let cpu { limits.append(ProcessLimit(instant: cpu, apply: endForCPU)) }
        return limits.sorted { $0.instant < $1.instant }
    }

    /// Whether the CPU monitor counts the running code.
    private var isMonitored: Bool {
        phase == .background && !state.withLock { $0.covers.values.contains(where: \.isComputingFreely) }
    }

    private func endForCPU() {
        let rules = policy.jobs
        let message = "the app used the processor for \(rules.cpuShare * 100) % of \(rules.cpuWindow) in the background"
        fault(Fault(.tooMuchCPU, "\(message); use it less, or in a job that requires external power"))
        end("CPU: \(message)")
    }

    // MARK: For the parts of the device

    /// Sets whether a continuous mode keeps the process running.
    ///
    /// It returns false, without a change, if the app does not declare the mode or has ended.
    @discardableResult
    func setContinuousMode(_ mode: AppManifest.BackgroundMode, isActive: Bool) -> Bool {
        guard manifest.backgroundModes.contains(mode), !process.isEnded else { return false }
        let now = now
        state.withLock { $0.backgroundTasks.setMode(mode, isActive: isActive, now: now) }
        askForReview()
        return true
    }

    /// Sets the reason for which a part keeps the process running; `nil` for none.
    func setCover(_ cover: ProcessCover?, of part: String) {
        let now = now
        let isNew = state.withLock { state in
            guard state.covers[part] != cover, !process.isEnded else { return false }
            state.covers[part] = cover
            state.coversChanged(now: now)
            return true
        }
        if isNew { askForReview() }
    }

    /// Writes a line into the log, unless the process has ended.
    package func log(_ actor: DeviceEvent.Actor, _ what: DeviceEvent.What) {
        if !process.isEnded { log.add(actor, what) }
    }

    /// Records a fault of the living process, and ends the process if a phone raises an exception for the fault.
    package func fault(_ fault: Fault) {
        log(.app, .fault(fault))
        if policy.endsAppAtExceptions, fault.rule.isException {
            end("SIGABRT, uncaught exception: \(fault.message)")
        }
    }

    /// Attaches a process of the operating system, which is then resumed, suspended and ended together with this one.
    package func attach(_ other: any SteppedProcess) { process.attach(other) }
    /// Whether the app prevents the automatic lock of the screen while it is active.
    package var keepsScreenOn: Bool {
        get { state.withLock { $0.keepsScreenOn } }
        set { state.withLock { $0.keepsScreenOn = newValue } }
    }
    /// The reason for which the system started the process, or launched the prewarmed one.
    package var launchCause: LaunchCause { state.withLock { $0.launchCause } }
    /// Whether the user scrolls in the app.
    package var isTracking: Bool { process.mainLoop.isTracking }
    /// Whether the process is neither suspended nor ended.
    package var isRunning: Bool { process.isRunning }

    // MARK: For the device

    var now: UInt64 { time.uptime().nanoseconds }

    /// The number of the latest background task of this process and earlier ones.
    var lastBackgroundTaskNumber: Int { state.withLock { $0.backgroundTasks.lastNumber } }

    /// The reason for which the process has ended; `nil` while it lives.
    var endReason: String? { state.withLock { $0.endReason } }

    var changes: ChangeSources {
        if let changes = state.withLock({ $0.changes }) { return changes }
        let ended = ChangeSources(
            phases: Broadcast(.terminated, mainLoop: process.mainLoop),
            conditions: Broadcast(DeviceConditions(), mainLoop: process.mainLoop))
        ended.phases.finish(.terminated)
        ended.conditions.finish(DeviceConditions())
        return ended
    }

    /// Asks the system to review the process; until it has done so, further calls have no effect.
    func askForReview() {
        let isNew = state.withLock { state in
            defer { state.isReviewAsked = true }
            return !state.isReviewAsked
        }
        if isNew { onReview() }
    }

    func beginReview() { state.withLock { $0.isReviewAsked = false } }

    /// Limits the time of everything that the process does from now until ``endWatch()``.
    func beginWatch(_ limit: Duration, _ rule: Fault.Rule, _ message: String) {
        let deadline = now + UInt64(max(0, limit.wholeNanoseconds))
        let fault = Fault(rule, "\(message) within \(limit)")
        state.withLock { $0.watch = Watch(deadline: deadline, fault: fault) }
    }

    func endWatch() { state.withLock { $0.watch = nil } }

    /// Ends the process without notice, from any thread; the device collects its remains later.
    package func end(_ reason: String) {
        guard !process.isEnded else { return }
        log(.system, .terminated(reason))
        time.end(process)
        let old = state.withLock { state in
            defer {
                state = State(
                    backgroundTasks: BackgroundTaskMachine(
                        rules: BackgroundTaskMachine.Rules(policy), isInForeground: true, device: deviceNumber,
                        lastNumber: state.backgroundTasks.lastNumber), isReviewAsked: state.isReviewAsked,
                    cpu: CPUMonitor(policy.jobs),
                    endReason: reason)
            }
            return state
        }
        for timer in old.warnings.values { timer.cancel() }
        // The consumers of the sequences are part of the process, so no code receives this phase. Objects that only the
        // old state retains are released when this function returns, outside the lock.
        old.changes?.phases.finish(.terminated)
        askForReview()
    }
}

extension SimulatedHost.State {
    mutating func coversChanged(now: UInt64) {
        let cover: BackgroundTaskMachine.Jobs =
            switch covers.values.map({ $0.end ?? .max }).max() {
            case nil: .none
            case UInt64.max?: .unlimited
            case .some(let end): .until(end)
            }
        backgroundTasks.setJobs(cover, now: now)
    }
}

extension BackgroundTaskMachine.Rules {
    init(_ policy: SystemPolicy) {
        budget = UInt64(max(0, policy.backgroundBudget.wholeNanoseconds))
        lead = UInt64(max(0, policy.expirationLead.wholeNanoseconds))
        limit = policy.backgroundTaskLimit
        refusesLate = policy.refusesLateBackgroundTasks
        givesInvalid = policy.givesInvalidBackgroundTasks
    }
}

/// The records of an app as one of its processes sees them; a process that has ended saves nothing.
struct ProcessStorage: RecordStore {
    let records: MemoryRecordStore
    let process: VirtualProcess

    func load<Record: Codable & Sendable>(_ type: Record.Type, for key: String) throws -> Record? {
        try records.load(type, for: key)
    }

    func save<Record: Codable & Sendable>(_ record: Record?, for key: String) throws {
        guard !process.isEnded else {
            throw BackgroundError(code: .storeFailed, message: "“\(key)” is not saved, because the process has ended")
        }
        try records.save(record, for: key)
    }
}
