public import ApusBackground
public import ApusTimers
import Logging

/// What the simulated device gives one process of an app.
///
/// It is dead when the process has ended: its phase is `terminated`, nothing that is handed to it runs, and what the
/// rest of a function still says to it has no effect. All members may be used from any thread, but only what runs on
/// the device's thread is in the device's order.
public final class SimulatedHost: BackgroundHost {
    struct State: Sendable {
        var claims: ClaimMachine
        /// When the process is ended for what it is doing, and why.
        var watch: Watch?
        /// The warnings for claims that are held for long.
        var warnings: [ClaimID: ScheduledTimer] = [:]
        var isReviewAsked = false
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
    /// What the app declares.
    public let manifest: AppManifest
    /// The device's notification center.
    public let notifications: SimulatedNotificationCenter
    /// The app's audio player.
    public let audio: SimulatedAudio
    /// The app's location service.
    public let location: SimulatedLocation

    let time: VirtualTime
    let process: VirtualProcess
    package let policy: SystemPolicy
    let log: DeviceLog
    let state: Locked<State>
    /// Asks the system to look at the process. From any thread.
    private let onReview: @Sendable () -> Void

    @MainActor
    init(
        on time: VirtualTime, process: VirtualProcess, bootID: String, records: MemoryRecordStore,
        manifest: AppManifest, policy: SystemPolicy, log: DeviceLog, phase: Phase, isInForeground: Bool,
        conditions: DeviceConditions, parts: DeviceParts, onReview: @escaping @Sendable () -> Void
    ) {
        self.time = time
        self.process = process
        self.bootID = bootID
        self.manifest = manifest
        self.policy = policy
        self.log = log
        storage = ProcessStorage(records: records, process: process)
        self.onReview = onReview
        notifications = parts.notifications
        audio = parts.audio
        location = parts.location
        let changes = ChangeSources(
            phases: Broadcast(phase, mainLoop: process.mainLoop),
            conditions: Broadcast(conditions, mainLoop: process.mainLoop))
        let claims = ClaimMachine(rules: ClaimMachine.Rules(policy), isInForeground: isInForeground)
        state = Locked(State(claims: claims, changes: changes))
    }

    // MARK: BackgroundHost

    /// The present phase; `terminated` when the process has ended.
    public var phase: Phase { changes.phases.value }

    /// A new sequence of the phases from now on. A suspended process takes them when it runs again.
    public var phaseChanges: PhaseChanges { changes.phases.changes() }

    /// Calls `observer` on the main loop whenever a phase is entered.
    ///
    /// For `background` and `terminated` all observers together have ``SystemPolicy/enterBackgroundLimit`` and
    /// ``SystemPolicy/willTerminateTime``.
    public func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> Observation {
        changes.phases.observe(observer)
    }

    /// How much longer the process may run in the background, on the uptime clock: `nil` in the foreground, and while
    /// audio or location keeps it running.
    public var backgroundTimeRemaining: Duration? {
        let now = now
        return state.withLock { $0.claims.remaining(now: now) }.map { .nanoseconds(Int64(clamping: $0)) }
    }

    /// False: a phone ends an app whose claims are open when their handlers have returned.
    public var waitsForExpiredTasks: Bool { false }

    /// What the device is like, as the process has heard: a suspended one hears of changes when it runs again.
    public var conditions: DeviceConditions { changes.conditions.value }

    /// A new sequence of the conditions from now on.
    public var conditionChanges: Changes<DeviceConditions> { changes.conditions.changes() }

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

    /// What runs now takes that long: the clocks move, and nothing else of the app or the system runs meanwhile.
    ///
    /// If the system would end the app before that, the clocks move up to there, and the process is ended; then the
    /// rest of the calling function still runs, without any effect on the device. On other threads it does not belong.
    public func work(for duration: Duration) {
        guard !process.isEnded else { return }
        let now = now
        let end = now + UInt64(max(0, duration.wholeNanoseconds))
        let (watch, zero) = state.withLock { ($0.watch, $0.claims.zero(now: now)) }
        if let watch {
            // Handlers that are at work when the time is over may finish within their limit.
            if watch.deadline < end {
                time.pass(watch.deadline > now ? watch.deadline - now : 0)
                fault(watch.fault)
                return self.end("\(TerminationCode.watchdog): \(watch.fault.message)")
            }
        } else if let zero, zero < end {
            time.pass(zero - now)
            return endIfOverdue()
        }
        time.pass(end - now)
    }

    // MARK: For the parts of the device

    /// Says whether a continuous mode keeps the process running. False if the app does not declare the mode, or has
    /// ended; then nothing was changed.
    @discardableResult
    func setContinuousMode(_ mode: AppManifest.BackgroundMode, isActive: Bool) -> Bool {
        guard manifest.backgroundModes.contains(mode), !process.isEnded else { return false }
        let now = now
        state.withLock { $0.claims.setMode(mode, isActive: isActive, now: now) }
        askForReview()
        return true
    }

    /// Writes a line into the log, while the process lives.
    package func log(_ actor: DeviceEvent.Actor, _ what: DeviceEvent.What) {
        if !process.isEnded { log.add(actor, what) }
    }

    /// Records a fault of the app, while the process lives.
    package func fault(_ fault: Fault) { log(.app, .fault(fault)) }

    // MARK: For the device

    var now: UInt64 { time.uptime().nanoseconds }

    var changes: ChangeSources {
        if let changes = state.withLock({ $0.changes }) { return changes }
        let ended = ChangeSources(
            phases: Broadcast(.terminated, mainLoop: process.mainLoop),
            conditions: Broadcast(DeviceConditions(), mainLoop: process.mainLoop))
        ended.phases.finish(.terminated)
        ended.conditions.finish(DeviceConditions())
        return ended
    }

    /// Asks the system to look at the process, once.
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
    func end(_ reason: String) {
        guard !process.isEnded else { return }
        log(.system, .terminated(reason))
        time.end(process)
        let noClaims = ClaimMachine(rules: ClaimMachine.Rules(policy), isInForeground: true)
        let old = state.withLock { state in
            defer { state = State(claims: noClaims, isReviewAsked: state.isReviewAsked) }
            return state
        }
        for timer in old.warnings.values { timer.cancel() }
        // Nobody hears it: the sequences' consumers are part of the process. What the rest held goes here, outside the
        // lock.
        old.changes?.phases.finish(.terminated)
        askForReview()
    }
}

extension ClaimMachine.Rules {
    init(_ policy: SystemPolicy) {
        budget = UInt64(max(0, policy.backgroundBudget.wholeNanoseconds))
        lead = UInt64(max(0, policy.expirationLead.wholeNanoseconds))
        limit = policy.claimLimit
        refusesLate = policy.refusesLateClaims
        givesInvalid = policy.givesInvalidClaims
    }
}
