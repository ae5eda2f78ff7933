import ApusTimers

/// The rules for the start and the expiration of background jobs as a pure state machine.
struct HostBackgroundJobsMachine: Sendable {
    /// A run that begins now.
    struct Launch: Sendable {
        var number: Int
        var request: BackgroundJobRequest
        var deadline: UptimeInstant?
        var handler: BackgroundJobHandler
    }

    enum Cause: Sendable, Hashable {
        case timeLimit
        case noProgress
        case conditions(BackgroundJobObstacle)
    }

    /// A decision: what to do now, and at which instants and after which events to decide again.
    struct Plan: Sendable {
        var launches: [Launch] = []
        var expirations: [(number: Int, cause: Cause)] = []
        /// The requests whose obstacles have changed.
        var deferrals: [(identifier: String, obstacles: [BackgroundJobObstacle])] = []
        var wall: WallInstant?
        var continuous: ContinuousInstant?
        var uptime: UptimeInstant?
        var followsConditions = false
        var followsPhase = false
    }

    let settings: HostBackgroundJobs.Configuration
    private(set) var handlers: [String: BackgroundJobHandler] = [:]
    /// The pending requests, in the order of their submission.
    private(set) var pending: [PendingBackgroundJob] = []
    /// The active runs, in the order of their start.
    private(set) var runs: [HostBackgroundRunEntry] = []
    /// For each identifier, the instant before which no other refresh begins.
    private(set) var spacings: [String: StoredInstant] = [:]
    /// Whether the host has refused a background task; no run then begins before the app is in the foreground again.
    private(set) var isRefused = false
    private var lastNumber = 0

    init(_ settings: HostBackgroundJobs.Configuration) { self.settings = settings }

    // MARK: Handlers and requests

    mutating func register(
        _ identifier: String, _ handler: @escaping BackgroundJobHandler
    ) throws(BackgroundJobError) {
        guard !identifier.isEmpty else {
            throw BackgroundJobError(
                code: .invalidArgument, message: "`identifier` is empty; pass a name like com.example.app.refresh")
        }
        try requirePermission(identifier)
        guard handlers[identifier] == nil else {
            throw BackgroundJobError(
                code: .alreadyRegistered,
                message: "“\(identifier)” has a handler already; register each identifier once")
        }
        handlers[identifier] = handler
    }

    /// Accepts a request, whose start is delayed by `delay` unless it is continued work.
    mutating func submit(
        _ request: BackgroundJobRequest, delay: Duration, now: HostBackgroundReading
    ) throws(BackgroundJobError) {
        try request.validate()
        try requirePermission(request.identifier)
        guard handlers[request.identifier] != nil else {
            throw BackgroundJobError(
                code: .notRegistered,
                message: "“\(request.identifier)” has no handler; register one before the submission")
        }
        try requireRoom(for: request)
        if case .continued(let job) = request.kind, job.strategy == .fail {
            let obstacles = gates(of: request, .open, at: now)
            guard obstacles.isEmpty else {
                throw BackgroundJobError(
                    code: .cannotStartNow,
                    message:
                        "“\(request.identifier)” cannot begin now: \(obstacles.words); submit it later, or let it queue"
                )
            }
        }
        pending.removeAll { $0.request.identifier == request.identifier }
        append(request, delay: delay, now: now)
    }

    mutating func cancel(_ identifier: String) { pending.removeAll { $0.request.identifier == identifier } }

    mutating func cancelAll() { pending = [] }

    /// Restores the pending requests after a submission that could not be stored; no other change was made after it.
    mutating func restorePending(_ former: [PendingBackgroundJob]) { pending = former }

    private mutating func append(_ request: BackgroundJobRequest, delay: Duration, now: HostBackgroundReading) {
        lastNumber += 1
        let gate: PendingBackgroundJob.Gate =
            switch request.kind {
            case .continued: .open
            case .refresh, .processing:
                if let earliest = request.earliestBegin, earliest > now.wall {
                    .wall(earliest.advanced(by: delay))
                } else {
                    .continuous(now.continuous.advanced(by: delay))
                }
            }
        pending.append(PendingBackgroundJob(number: lastNumber, request: request, gate: gate))
    }

    private func requirePermission(_ identifier: String) throws(BackgroundJobError) {
        guard settings.permits(identifier) else {
            throw BackgroundJobError(
                code: .notPermitted,
                message: "“\(identifier)” is not among `permittedIdentifiers`; add it to the configuration")
        }
    }

    private func requireRoom(for request: BackgroundJobRequest) throws(BackgroundJobError) {
        let limit: Int?
        switch request.kind {
        case .refresh: limit = settings.maximumPendingRefreshes
        case .processing: limit = settings.maximumPendingProcessing
        case .continued: limit = nil
        }
        guard let limit else { return }
        let others = pending.count {
            $0.request.identifier != request.identifier && $0.request.kind.isLike(request.kind)
        }
        guard others < limit else {
            throw BackgroundJobError(
                code: .tooManyPending,
                message:
                    "\(others) requests of this kind are pending, and the limit is \(limit); cancel one or wait for its run"
            )
        }
    }

    // MARK: Time, conditions and phases

    /// Decides which requests begin and which runs expire.
    mutating func look(_ now: HostBackgroundReading) -> Plan {
        var plan = Plan()
        for index in runs.indices {
            guard !runs[index].isExpiring, let cause = expiry(of: runs[index], at: now) else { continue }
            runs[index].isExpiring = true
            plan.expirations.append((runs[index].number, cause))
        }
        for candidate in pending where decidingObstacles(of: candidate, at: now)?.isEmpty == true {
            if let launch = begin(candidate.number, at: now) { plan.launches.append(launch) }
        }
        // The obstacles are computed after the launches, because runs that begin are obstacles for other requests.
        for index in pending.indices {
            guard let obstacles = decidingObstacles(of: pending[index], at: now) else { continue }
            if pending[index].logged.map(\.words) != obstacles.map(\.words) {
                plan.deferrals.append((pending[index].request.identifier, obstacles))
            }
            pending[index].logged = obstacles
        }
        if pending.isEmpty { isRefused = false }
        whenToLookAgain(&plan, at: now)
        return plan
    }

    private func whenToLookAgain(_ plan: inout Plan, at now: HostBackgroundReading) {
        for entry in runs where !entry.isExpiring {
            let stalls: UptimeInstant? = entry.request.kind.isContinued ? entry.lastProgress : nil
            for instant in [entry.deadline, stalls?.advanced(by: max(.zero, settings.progressTimeout))] {
                plan.uptime = earlier(plan.uptime, instant)
            }
        }
        plan.followsPhase = !pending.isEmpty
        plan.followsConditions = runs.contains(where: dependsOnConditions)
        guard now.isInForeground, !isRefused else { return }
        for entry in pending where handlers[entry.request.identifier] != nil {
            switch entry.gate {
            case .wall(let instant) where instant > now.wall: plan.wall = earlier(plan.wall, instant)
            case .continuous(let instant) where instant > now.continuous:
                plan.continuous = earlier(plan.continuous, instant)
            case .open, .wall, .continuous: break
            }
            if case .refresh = entry.request.kind, let spacing = spacings[entry.request.identifier]?.continuous,
                spacing > now.continuous
            {
                plan.continuous = earlier(plan.continuous, spacing)
            }
        }
        // A request without an obstacle from clocks, phase and runs waits for a condition of the device.
        let waitsForDevice = pending.contains { gates(of: $0.request, $0.gate, at: now).isEmpty }
        plan.followsConditions = plan.followsConditions || waitsForDevice
    }

    /// Returns whether a decision at this moment depends on the conditions.
    func needsConditions(_ now: HostBackgroundReading) -> Bool {
        runs.contains(where: dependsOnConditions)
            || pending.contains { !$0.request.kind.isContinued && gates(of: $0.request, $0.gate, at: now).isEmpty }
    }

    /// Records that the app is in the foreground again, so that the host may grant what it refused.
    mutating func enteredForeground() { isRefused = false }

    // MARK: Runs

    private mutating func begin(
        _ number: Int, isSimulated: Bool = false, at now: HostBackgroundReading
    ) -> Launch? {
        guard let index = pending.firstIndex(where: { $0.number == number }),
            let handler = handlers[pending[index].request.identifier]
        else { return nil }
        let entry = pending.remove(at: index)
        let request = entry.request
        let formerSpacing = spacings[request.identifier]
        let deadline: UptimeInstant?
        switch request.kind {
        case .refresh:
            deadline = now.uptime.advanced(by: max(.zero, settings.refreshTimeLimit))
            spacings = spacings.filter { $0.value.continuous > now.continuous }
            let spacing = max(.zero, settings.refreshSpacing)
            if spacing > .zero { spacings[request.identifier] = now.moment.stored(in: spacing) }
        case .processing: deadline = now.uptime.advanced(by: max(.zero, settings.processingTimeLimit))
        case .continued: deadline = nil
        }
        lastNumber += 1
        runs.append(
            HostBackgroundRunEntry(
                number: lastNumber, pending: entry, began: now.uptime, deadline: deadline,
                formerSpacing: formerSpacing, isSimulated: isSimulated, lastProgress: now.uptime))
        return Launch(number: lastNumber, request: request, deadline: deadline, handler: handler)
    }

    /// Makes the request of a refused run pending again, unless there is a newer one.
    mutating func refused(_ number: Int) {
        guard let entry = completed(number) else { return }
        isRefused = true
        let identifier = entry.request.identifier
        if case .refresh = entry.request.kind { spacings[identifier] = entry.formerSpacing }
        guard !pending.contains(where: { $0.request.identifier == identifier }) else { return }
        let place = pending.firstIndex { $0.number > entry.pending.number } ?? pending.endIndex
        pending.insert(entry.pending, at: place)
    }

    /// Removes a run that has ended; returns `nil` if it had ended before.
    @discardableResult
    mutating func completed(_ number: Int) -> HostBackgroundRunEntry? {
        runs.firstIndex { $0.number == number }.map { runs.remove(at: $0) }
    }

    mutating func backgroundTaskExpired(_ number: Int) {
        change(number) { $0.isExpiring = true }
    }

    mutating func progressed(_ number: Int, _ progress: HostBackgroundJobs.Running.Progress, at now: UptimeInstant) {
        change(number) { entry in
            guard entry.progress != progress else { return }
            entry.progress = progress
            entry.lastProgress = now
        }
    }

    mutating func updated(_ number: Int, title: String, subtitle: String) {
        change(number) { entry in
            entry.title = title
            entry.subtitle = subtitle
        }
    }

    private mutating func change(_ number: Int, _ body: (inout HostBackgroundRunEntry) -> Void) {
        if let index = runs.firstIndex(where: { $0.number == number }) { body(&runs[index]) }
    }

    // MARK: Simulation

    mutating func simulateLaunch(
        _ identifier: String, now: HostBackgroundReading
    ) throws(BackgroundJobError) -> Launch {
        guard let entry = pending.first(where: { $0.request.identifier == identifier }) else {
            throw BackgroundJobError(code: .notPending, message: "“\(identifier)” is not pending; submit it first")
        }
        guard let launch = begin(entry.number, isSimulated: true, at: now) else {
            throw BackgroundJobError(
                code: .notRegistered, message: "“\(identifier)” has no handler in this process; register one")
        }
        return launch
    }

    /// Marks the runs of an identifier as expiring, and returns their numbers.
    mutating func simulateExpiration(_ identifier: String) throws(BackgroundJobError) -> [Int] {
        let indices = runs.indices.filter { runs[$0].request.identifier == identifier }
        guard !indices.isEmpty else {
            throw BackgroundJobError(
                code: .notRunning, message: "no run of “\(identifier)” is in progress; launch one first")
        }
        for index in indices { runs[index].isExpiring = true }
        return indices.map { runs[$0].number }
    }

    // MARK: Surviving the process

    var record: HostBackgroundRecord {
        HostBackgroundRecord(
            requests: pending.compactMap { HostBackgroundRecord.Request($0.request) },
            spacings: spacings.sorted { $0.key < $1.key }
                .map { HostBackgroundRecord.Spacing(identifier: $0.key, until: $0.value) })
    }

    /// Restores the requests and spacings of an earlier process, except those that are no longer permitted.
    ///
    /// `delay` returns the spread for each request.
    mutating func restore(_ record: HostBackgroundRecord, now: HostBackgroundReading, delay: () -> Duration) {
        for stored in record.requests where settings.permits(stored.request.identifier) {
            append(stored.request, delay: delay(), now: now)
        }
        for stored in record.spacings {
            // If the wall clock has been set back since the record was stored, a refresh must not wait for longer than
            // the spacing.
            let left = stored.until.duration(from: now.moment)
            guard left > .zero else { continue }
            spacings[stored.identifier] = now.moment.stored(in: min(left, max(.zero, settings.refreshSpacing)))
        }
    }
}

private func earlier<Instant: NanosecondInstant>(_ one: Instant?, _ other: Instant?) -> Instant? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
}

/// A run that has begun and is not complete.
struct HostBackgroundRunEntry: Sendable {
    let number: Int
    let pending: PendingBackgroundJob
    let began: UptimeInstant
    /// The instant at which the time limit ends the run.
    let deadline: UptimeInstant?
    /// The end of the spacing before this run, which is restored if the host refuses the run; `nil` if there was none.
    let formerSpacing: StoredInstant?
    /// Whether the run was begun against the rules, so that conditions do not end it.
    let isSimulated: Bool
    var isExpiring = false
    var lastProgress: UptimeInstant
    var progress: HostBackgroundJobs.Running.Progress?
    var title: String?
    var subtitle: String?

    var request: BackgroundJobRequest { pending.request }

    /// The request with the current texts for the user.
    var shownRequest: BackgroundJobRequest {
        guard case .continued(var job) = request.kind else { return request }
        job.title = title ?? job.title
        job.subtitle = subtitle ?? job.subtitle
        var shown = request
        shown.kind = .continued(job)
        return shown
    }
}
