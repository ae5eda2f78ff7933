public import ApusBackground
public import ApusTimers
package import ApusVirtualTime
import Logging

/// The host of one process of an app on a simulated device.
///
/// It is dead when the process has ended: its phase is `terminated`, nothing that is handed to it runs, and what the
/// rest of a function still says to it has no effect. All members may be used from any thread, but only what runs on
/// the device's thread is in the device's order.
public final class SimulatedHost: BackgroundHost {
    struct State: Sendable {
        var backgroundTasks: BackgroundTaskMachine
        /// When the process is ended for what it is doing, and why.
        var watch: Watch?
        /// The warnings for background tasks that are held for long.
        var warnings: [BackgroundTaskID: ScheduledTimer] = [:]
        var isReviewAsked = false
        /// By the names of the parts that keep the process running.
        var covers: [String: ProcessCover] = [:]
        /// By the names of the services whose events they get.
        var eventHandlers: [String: any Sendable] = [:]
        var cpu: CPUMonitor
        /// The background tasks that were open when an expiration handler returned last; nil when none has said that it
        /// did.
        var openAtReturn: Set<BackgroundTaskID>?
        var endReason: String?
        var keepsScreenOn = false
        /// Why the system has started the process, or has launched one that was prewarmed.
        var launchCause = LaunchCause.user
        /// Nil when the process has ended: what observers hold must not keep the app then.
        var changes: ChangeSources?
    }

    struct ChangeSources: Sendable {
        let phases: Broadcast<Phase>
        let conditions: Broadcast<DeviceConditions>
    }

    /// Something that may not take longer than that.
    struct Watch: Sendable {
        let deadline: UInt64
        let fault: Fault
    }

    /// The app's records, which survive its processes and restarts of the device.
    public let storage: any RecordStore
    /// Which start of the simulated device this process belongs to.
    public let bootID: String?
    /// The declarations of the installed app.
    public let manifest: AppManifest
    /// The device's notification center.
    public var notifications: SimulatedNotificationCenter { part(SimulatedNotificationCenter.self) }
    /// The app's audio player.
    public var audio: SimulatedAudio { part(SimulatedAudio.self) }
    /// The app's location service.
    public var location: SimulatedLocation { part(SimulatedLocation.self) }
    /// The device's background jobs. Handlers that are registered belong to this process.
    public var jobs: SimulatedTaskScheduler { part(SimulatedTaskScheduler.self) }
    /// The device's silent pushes.
    package var pushes: SimulatedPushes { part(SimulatedPushes.self) }
    /// The device's background downloads and uploads.
    package var transfers: SimulatedTransfers { part(SimulatedTransfers.self) }
    /// The device's part of that type, which it has to have.
    package func part<Part: DevicePart>(_ type: Part.Type) -> Part { parts.required(type) }

    /// Which process of the app it is, from 1; the log names it so.
    let launch: Int
    /// Which device of the program it is.
    package let deviceNumber: Int
    let time: VirtualTime
    let process: VirtualProcess
    package let policy: SystemPolicy
    let log: DeviceLog
    let state: Locked<State>
    /// Asks the system to review the process. From any thread.
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

    /// Ends the process as the watchdog of a phone does, where such an app never leaves its main thread free.
    private func endWithoutRest() {
        let calls = log.repeatedNow
        let which = calls.isEmpty ? "nothing of it is in the log" : "most often: " + calls.joined(separator: "; ")
        fault(
            Fault(
                .neverAtRest,
                "a million pieces of work ran at one instant, each of which asked for another (\(which)); let time pass "
                    + "before a repetition"))
        end("\(TerminationCode.watchdog): the process did not come to rest")
    }

    // MARK: BackgroundHost

    /// The present phase; `terminated` when the process has ended.
    public var phase: Phase { changes.phases.value }

    /// A new sequence of the phases from now on. A suspended process takes them when it runs again.
    public func phaseChanges() -> PhaseChanges { changes.phases.changes() }

    /// Calls `observer` on the main loop whenever a phase is entered.
    ///
    /// For `background` and `terminated` all observers together have ``SystemPolicy/enterBackgroundLimit`` and
    /// ``SystemPolicy/willTerminateTime``.
    public func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> ObservationToken {
        changes.phases.observe(observer)
    }

    /// How much longer the process may run in the background, on the uptime clock: `nil` in the foreground, and while
    /// audio, location or continued work keeps it running.
    public var backgroundTimeRemaining: Duration? {
        let now = now
        return state.withLock { $0.backgroundTasks.remaining(now: now) }.map { .nanoseconds(Int64(clamping: $0)) }
    }

    /// False: a phone ends an app whose background tasks are open when their handlers have returned.
    public var waitsForExpiredTasks: Bool { false }

    /// The device's conditions as the process knows them: a suspended one is notified of changes when it runs again.
    public var conditions: DeviceConditions { changes.conditions.value }

    /// A new sequence of the conditions from now on.
    public func conditionChanges() -> Changes<DeviceConditions> { changes.conditions.changes() }

    /// Calls `observer` on the main loop with each change of the conditions.
    package func observeConditions(
        _ observer: @escaping @MainActor @Sendable (DeviceConditions) -> Void
    ) -> ObservationToken { changes.conditions.observe(observer) }

    /// The process's engine. Its clocks begin near zero when the device is started; while the process is suspended it
    /// stands still, and afterwards everything that is overdue fires at once.
    public var engine: TimerEngine { process.engine }

    /// The process's main loop. Work of the `default` mode waits while the user scrolls.
    public var mainLoop: any MainLoop { process.mainLoop }

    /// Starts a task on the process's executor. It runs when time is moved, and not while the process is suspended;
    /// when the process ends it stops where it is, for ever.
    public func start(_ work: @escaping @Sendable () async -> Void) { process.start(work) }

    // MARK: For apps under test

    /// Writes a line into the device's log, in the app's name.
    public func note(_ text: String) { log(.app, .note(text)) }

    /// Has the calling code compute for that long: the clocks move, and nothing else of the app or the system runs
    /// meanwhile. In the background, ``SystemPolicy/Jobs/cpuShare`` limits it.
    ///
    /// If the system would end the app before that, the clocks move up to there, and the process is ended; then the
    /// rest of the calling function still runs, without any effect on the device. Call it on the main thread only.
    public func work(for duration: Duration) {
        letPass(UInt64(max(0, duration.wholeNanoseconds)), isComputing: isMonitored)
    }

    /// Has the calling code wait for that many nanoseconds: ``work(for:)`` without computing.
    package func wait(for nanoseconds: UInt64) { letPass(nanoseconds, isComputing: false) }

    /// How long a process of the operating system may run by itself, in nanoseconds.
    package func freeTime(for companion: any SteppedProcess) -> UInt64 { time.freeTime(for: companion) }

    /// Whether what runs now has a limit: a launch, a phase that is entered, expiration handlers.
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

    /// The limits that are reached meanwhile, in order.
    private func limits(from start: UInt64, to end: UInt64, isComputing: Bool) -> [ProcessLimit] {
        let (watch, zero, cpu) = state.withLock { state in
            let cpu = isComputing ? state.cpu.limitReached(from: start, to: end) : nil
            return (state.watch, state.backgroundTasks.zero(now: start), cpu)
        }
        var limits: [ProcessLimit] = []
        if let watch {
            // Handlers that are at work when the time is over may finish within their limit.
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
        let message = "the app computed \(rules.cpuShare * 100) % of \(rules.cpuWindow) in the background"
        fault(Fault(.tooMuchCPU, "\(message); do it in a job that requires external power, or compute less"))
        end("CPU: \(message)")
    }

    // MARK: For the parts of the device

    /// Says whether a continuous mode keeps the process running. False if the app does not declare the mode, or has
    /// ended; then nothing was changed.
    @discardableResult
    func setContinuousMode(_ mode: AppManifest.BackgroundMode, isActive: Bool) -> Bool {
        guard manifest.backgroundModes.contains(mode), !process.isEnded else { return false }
        let now = now
        state.withLock { $0.backgroundTasks.setMode(mode, isActive: isActive, now: now) }
        askForReview()
        return true
    }

    /// Says that a part keeps the process running, in place of what it said before; nil when it does not.
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

    /// Writes a line into the log, while the process lives.
    package func log(_ actor: DeviceEvent.Actor, _ what: DeviceEvent.What) {
        if !process.isEnded { log.add(actor, what) }
    }

    /// Records a fault of the app, while the process lives, and ends it if a phone raises an exception for that.
    package func fault(_ fault: Fault) {
        log(.app, .fault(fault))
        if policy.endsAppAtExceptions, fault.rule.isException {
            end("SIGABRT, uncaught exception: \(fault.message)")
        }
    }

    /// From now on a process of the operating system is resumed, suspended and ended with this one.
    package func attach(_ other: any SteppedProcess) { process.attach(other) }
    /// Whether the app, while it is active, keeps the screen from locking itself.
    package var keepsScreenOn: Bool {
        get { state.withLock { $0.keepsScreenOn } }
        set { state.withLock { $0.keepsScreenOn = newValue } }
    }
    /// Why the system has started the process, or has launched one that was prewarmed.
    package var launchCause: LaunchCause { state.withLock { $0.launchCause } }
    /// Whether the user scrolls.
    package var isTracking: Bool { process.mainLoop.isTracking }
    /// Whether the process is neither suspended nor at its end.
    package var isRunning: Bool { process.isRunning }

    // MARK: For the device

    var now: UInt64 { time.uptime().nanoseconds }

    /// The number of the background task that was begun last, by this process or an earlier one.
    var lastBackgroundTaskNumber: Int { state.withLock { $0.backgroundTasks.lastNumber } }

    /// Why the process has ended; nil while it lives.
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

    /// Asks the system to review the process; until it has, further calls have no effect.
    func askForReview() {
        let isNew = state.withLock { state in
            defer { state.isReviewAsked = true }
            return !state.isReviewAsked
        }
        if isNew { onReview() }
    }

    func beginReview() { state.withLock { $0.isReviewAsked = false } }

    /// From now on, until ``endWatch()``, whatever the process does may take no longer than `limit`.
    func beginWatch(_ limit: Duration, _ rule: Fault.Rule, _ message: String) {
        let deadline = now + UInt64(max(0, limit.wholeNanoseconds))
        let fault = Fault(rule, "\(message) within \(limit)")
        state.withLock { $0.watch = Watch(deadline: deadline, fault: fault) }
    }

    func endWatch() { state.withLock { $0.watch = nil } }

    /// Ends the process without a word to it. From any thread; the device collects what is left.
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
        // No code gets it: the sequences' consumers are part of the process. What the rest held goes here, outside the
        // lock.
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

/// An app's records as one process of it sees them: what an ended process saves is discarded.
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
