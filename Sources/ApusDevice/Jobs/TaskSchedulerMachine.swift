import ApusBackground
import ApusTimers

/// The system's decisions about an app's background jobs: a pure state machine.
///
/// It records the beginning and the outcome of each run. ``SimulatedTaskMachine`` has the rest of a run's state.
struct TaskSchedulerMachine {
    var policy: SystemPolicy.Jobs
    var manifest = AppManifest()
    var scene = DeviceScene()
    var book = JobRequestBook()
    var registrations = JobRegistrations()
    var habits = UsageHabits()
    var allowance = JobAllowance()
    private(set) var records: [BackgroundJobRecord] = []
    private var refusals: [BackgroundJobReport.Refusal] = []
    private var deferrals: [String: [String: Int]] = [:]
    /// The numbers of the runs in progress, in the order in which they began.
    private var unfinished: [Int] = []

    init(policy: SystemPolicy.Jobs) { self.policy = policy }

    // MARK: State

    /// The requests whose runs are in progress, in the order in which the runs began.
    var running: [BackgroundJobRequest] { unfinished.map { records[$0].request } }

    /// The requests that count as pending by the policy.
    var pending: [BackgroundJobRequest] {
        (policy.listsRunningAsPending ? running : []) + book.entries.map(\.request)
    }

    func obstacles(for identifier: String, now: ClockReading) -> [BackgroundJobObstacle] {
        if let entry = book.entry(identifier) { return obstacles(to: entry, now: now) }
        return running.contains { $0.identifier == identifier } ? [.running] : [.notPending]
    }

    /// Returns the runs, the refusals and the deferrals so far, and the pending requests with their obstacles.
    func report(now: ClockReading) -> BackgroundJobReport {
        let waiting = book.entries.map { entry in
            BackgroundJobReport.Waiting(request: entry.request, obstacles: obstacles(to: entry, now: now))
        }
        return BackgroundJobReport(runs: records, waiting: waiting, refusals: refusals, deferrals: deferrals)
    }

    /// Updates the state of the device; returns true if the user has just begun to use the device.
    mutating func changed(to new: DeviceScene, now: WallInstant) -> Bool {
        let old = scene
        scene = new
        if new.isAppInFront, !old.isAppInFront { habits.opened(at: now) }
        if old.isAppInFront { habits.used(at: now) }
        return old.conditions.isIdle == true && new.conditions.isIdle != true
    }

    // MARK: Submitting

    /// Adds a request; returns true if it replaces a pending one.
    ///
    /// - Throws: ``BackgroundJobError``, with the code `notRegistered` for a mistake for which a phone raises an
    ///   exception, and with another code for an error that a phone reports to the caller.
    mutating func submit(_ request: BackgroundJobRequest, now: ClockReading) throws(BackgroundJobError) -> Bool {
        try request.validate()
        try checkPermission(for: request)
        guard registrations.handler(request.identifier) != nil else {
            throw BackgroundJobError(
                code: .notRegistered,
                message: "there is no handler for “\(request.identifier)”; register one while the app launches")
        }
        try checkRoom(for: request)
        return book.submit(request, now: now.wall)
    }

    mutating func refused(_ request: BackgroundJobRequest, _ error: BackgroundJobError, at instant: WallInstant) {
        refusals.append(.init(request: request, instant: instant, code: error.code, message: error.message))
    }

    /// Checks that the request is permitted.
    ///
    /// This check comes before the search for a handler, because an identifier that is not permitted cannot have one.
    private func checkPermission(for request: BackgroundJobRequest) throws(BackgroundJobError) {
        if policy.isSimulator {
            throw BackgroundJobError(code: .unavailable, message: "simulators run no background jobs; use a device")
        }
        if request.isContinued, !policy.hasContinuedJobs {
            throw BackgroundJobError(
                code: .unavailable, message: "continued work needs iOS 26 or later; use a background task instead")
        }
        if !request.isContinued, !scene.isBackgroundRefreshOn {
            throw BackgroundJobError(
                code: .unavailable,
                message: "the user has switched background refresh off; inform the user if the app needs it")
        }
        guard manifest.permits(request) else {
            throw BackgroundJobError(
                code: .notPermitted,
                message: "“\(request.identifier)” is not declared; add it to BGTaskSchedulerPermittedIdentifiers")
        }
        switch request.kind {
        case .refresh: try checkMode(.fetch, of: request)
        case .processing: try checkMode(.processing, of: request)
        case .continued(let job):
            if job.requiresGPU, !policy.allowsBackgroundGPU {
                throw BackgroundJobError(
                    code: .notPermitted,
                    message: "this device has no graphics processor for background work; submit without requiresGPU")
            }
            if !scene.isAppInFront {
                throw BackgroundJobError(
                    code: .notPermitted,
                    message: "continued work can begin only in the foreground; submit it when the user asks for it")
            }
        }
    }

    private func checkMode(
        _ mode: AppManifest.BackgroundMode, of request: BackgroundJobRequest
    )
        throws(BackgroundJobError)
    {
        guard manifest.backgroundModes.contains(mode) else {
            throw BackgroundJobError(
                code: .notPermitted,
                message: "“\(request.identifier)” needs the mode “\(mode.rawValue)”; add it to UIBackgroundModes")
        }
    }

    private func checkRoom(for request: BackgroundJobRequest) throws(BackgroundJobError) {
        let identifier = request.identifier
        switch request.kind {
        case .refresh:
            try checkCount(book.count(beside: identifier, where: \.isRefresh), below: policy.pendingRefreshLimit)
        case .processing:
            try checkCount(book.count(beside: identifier, where: \.isProcessing), below: policy.pendingProcessingLimit)
        case .continued(let job):
            let others = book.count(beside: identifier, where: \.isContinued) + running.count(where: \.isContinued)
            if job.strategy == .fail, others >= policy.continuedAtOnce {
                throw BackgroundJobError(
                    code: .cannotStartNow,
                    message: "other continued work is running; submit this with the strategy queue, or later")
            }
        }
    }

    private func checkCount(_ count: Int, below limit: Int) throws(BackgroundJobError) {
        if count >= limit {
            throw BackgroundJobError(
                code: .tooManyPending,
                message: "\(count) requests of this kind are pending, which is the limit; cancel one first")
        }
    }

    // MARK: Opportunities

    /// The time at which the system examines the requests next.
    enum NextLook: Equatable {
        /// The system examines no request before another one is submitted.
        case never
        /// The first request is due at this instant, and is examined at the next opportunity after it.
        ///
        /// The instant is on the wall clock, like the earliest begin of a request, so it moves when the clock is set.
        case whenDue(WallInstant)
        /// The system examines the requests at the next opportunity.
        ///
        /// The opportunity is on the continuous clock, so setting the wall clock does not move it.
        case atOpportunity
    }

    func nextLook(now: WallInstant) -> NextLook {
        guard let first = book.opportunistic.map(\.due).min() else { return .never }
        return first > now ? .whenDue(first) : .atOpportunity
    }

    struct Start {
        let entry: JobRequestBook.Entry
        /// Whether the run starts the app even if the user has removed it from the switcher.
        let isExemptFromForceQuit: Bool
    }

    struct Look {
        var starts: [Start] = []
        /// The requests that were put off for different reasons than the last time.
        var putOff: [(identifier: String, reasons: [String])] = []
    }

    /// Examines the pending requests, and removes those that may run now.
    mutating func look(now: ClockReading) -> Look {
        var look = Look()
        for entry in book.opportunistic where entry.due <= now.wall {
            let identifier = entry.request.identifier
            let reasons = obstacles(to: entry, now: now).map(\.words)
            if reasons.isEmpty {
                look.starts.append(take(entry, now: now))
                continue
            }
            for reason in reasons { deferrals[identifier, default: [:]][reason, default: 0] += 1 }
            if book.putOff(identifier, reasons) { look.putOff.append((identifier, reasons)) }
        }
        return look
    }

    /// Removes and returns the continued work that begins now.
    mutating func nextContinued(now: ClockReading) -> [Start] {
        guard !scene.isAppEnding, scene.wasUnlockedSinceBoot else { return [] }
        let running = running
        let free = max(0, policy.continuedAtOnce - running.count(where: \.isContinued))
        return book.queued.filter { entry in !running.contains { $0.identifier == entry.request.identifier } }
            .prefix(free).map { take($0, now: now) }
    }

    /// Removes and returns a pending request that a developer starts, regardless of the rules.
    mutating func simulatedLaunch(_ identifier: String, now: ClockReading) -> Start? {
        book.entry(identifier).map { Start(entry: take($0, now: now).entry, isExemptFromForceQuit: true) }
    }

    private mutating func take(_ entry: JobRequestBook.Entry, now: ClockReading) -> Start {
        _ = book.remove(entry.request.identifier)
        switch entry.request.kind {
        case .refresh: allowance.refreshLaunched(at: now.continuous)
        case .processing: allowance.processingLaunched(at: now.continuous)
        case .continued: break
        }
        return Start(
            entry: entry,
            isExemptFromForceQuit: entry.request.kind.isProcessing && policy.processingRunsAfterForceQuit)
    }

    // MARK: Runs

    /// Notes the beginning of a run, and returns its number.
    mutating func began(_ entry: JobRequestBook.Entry, now: ClockReading) -> Int {
        records.append(
            BackgroundJobRecord(request: entry.request, submitted: entry.submitted, launched: now.wall))
        unfinished.append(records.count - 1)
        return records.count - 1
    }

    /// Notes the end of a run that took `ran` nanoseconds.
    mutating func ended(_ number: Int, _ outcome: BackgroundJobRecord.Outcome, ran: UInt64, now: ClockReading) {
        guard let index = unfinished.firstIndex(of: number) else { return }
        unfinished.remove(at: index)
        records[number].outcome = outcome
        records[number].ended = now.wall
        if records[number].kind.isRefresh {
            allowance.refreshRan(ran, budget: policy.dailyRefreshBudget, now: now.continuous)
        }
    }

    func limits(of kind: BackgroundJobRequest.Kind) -> SimulatedTaskMachine.Limits {
        let windUp = policy.windUpTime.nanosecondsFromZero
        return switch kind {
        case .refresh: .init(limit: policy.refreshLimit.nanosecondsFromZero, windUp: windUp)
        case .processing: .init(limit: policy.processingLimit.nanosecondsFromZero, windUp: windUp)
        case .continued: .init(windUp: windUp, stall: policy.progressStall.nanosecondsFromZero)
        }
    }
}
