public import ApusTimers

/// The identifier of a background task, like `UIBackgroundTaskIdentifier`.
///
/// No two background tasks of a program have the same identifier, even in different processes of the app or on
/// different devices, so an outdated identifier ends nothing.
public struct BackgroundTaskID: Sendable, Hashable, CustomStringConvertible {
    /// The number of the background task; all processes of the app on one device share the count.
    package let number: Int
    /// The number of the device in this program.
    ///
    /// It is not logged, because a log must not depend on what ran earlier in the program.
    package let device: Int

    package init(number: Int, device: Int) { (self.number, self.device) = (number, device) }

    /// No background task: the result of a request when the app cannot run in the background.
    public static let invalid = BackgroundTaskID(number: 0, device: 0)

    /// The number, or "invalid".
    public var description: String { self == .invalid ? "invalid" : String(number) }
}

/// The properties that a process gives to a background task when it begins the task.
struct HeldBackgroundTask: Sendable {
    /// The way in which the task must end after its time has expired.
    enum End: Sendable {
        /// The app ends it before the handler returns.
        case inHandler
        /// The system ends it when the handler has returned.
        case afterHandler
        /// The app ends it before the process is out of time; its work continues after the handler has returned.
        case atZero
    }

    let name: String
    let place: String?
    let end: End
    let handler: (@MainActor @Sendable () -> Void)?
    /// The instant of the wall clock at which the task began, for display only.
    var begun = WallInstant(secondsSince1970: 0)
}

/// The background tasks of one process, and the time that it has in the background: a pure state machine.
///
/// Instants are nanoseconds of uptime.
///
/// The time belongs to the process, not to a task. It begins to run when a task is open in the background, and then
/// runs whichever tasks begin and end. It pauses while the process is suspended, and while a continuous mode (audio,
/// location) or a background job keeps the process running. The pause during jobs is a choice, because no source
/// mentions it.
///
/// The whole budget is available again when the process enters the foreground, and when the system resumes it after a
/// suspension. The rule for a resumption is a choice: DTS ("UIApplication Background Task Notes") does not say how much
/// time remains to a suspended process, but a process that the system launches for the same event has the whole budget.
///
/// The lead is the last part of the budget. It begins with the call of the expiration handlers, and at its end the
/// process is ended. A task can be granted even after the lead has begun, if a mode or a job stops the time, or if the
/// policy refuses no tasks. The handler of such a task is due as soon as the time runs, and the process may then run
/// for one whole lead (Apple, "beginBackgroundTask(withName:expirationHandler:)": the handler is called shortly before
/// the remaining time reaches zero). The task does not postpone the end that is due for earlier tasks.
struct BackgroundTaskMachine: Sendable {
    struct Rules: Sendable {
        var budget: UInt64
        var lead: UInt64
        var limit: Int
        var refusesLate: Bool
        var givesInvalid: Bool
    }

    private enum Standing { case foreground, background, suspended }

    private struct Entry {
        let id: BackgroundTaskID
        let task: HeldBackgroundTask
        /// The used part of the budget at which the handler is due.
        var dueAt: UInt64
        /// Whether the handler was called, or is about to be called.
        var wasNotified = false
    }

    private let rules: Rules
    private var standing: Standing
    private var modes: Set<AppManifest.BackgroundMode> = []
    private var jobs = Jobs.none
    /// The open tasks, in the order in which they began.
    private var tasks: [Entry] = []
    private var refused: Set<BackgroundTaskID> = []
    /// The number of background tasks that may be refused at one instant; an app that requests more is assumed never to
    /// stop.
    private static let mostRefusals = 1_000
    /// The instant of the last refusal, and the number of refusals at that instant.
    private var refusals: (instant: UInt64, count: Int) = (0, 0)
    private let device: Int
    /// The number of the last background task of an earlier process.
    private let lastForeignNumber: Int
    /// The number of the latest background task.
    private(set) var lastNumber: Int
    /// The used part of the budget at `countedAt`; `nil` before the time begins to run.
    private var spent: UInt64?
    private var countedAt: UInt64 = 0

    /// Creates the machine of a process, whose background tasks have numbers greater than `lastNumber`.
    init(rules: Rules, isInForeground: Bool, device: Int = 0, lastNumber: Int = 0) {
        self.rules = rules
        self.device = device
        self.lastNumber = lastNumber
        lastForeignNumber = lastNumber
        standing = isInForeground ? .foreground : .background
    }

    // MARK: Background tasks

    enum BeginAction: Equatable {
        case granted(BackgroundTaskID)
        /// Call the handler now; ending this identifier is allowed, and has no effect.
        case tooLate(BackgroundTaskID)
        case invalid
        /// End the process, because it has too many background tasks.
        case overLimit
        /// End the process, because each refused request calls its expiration handler, and each handler makes another
        /// request at once.
        case refusedWithoutEnd
    }

    mutating func begin(_ task: HeldBackgroundTask, now: UInt64) -> BeginAction {
        count(now)
        if rules.givesInvalid { return .invalid }
        if tasks.count >= rules.limit { return .overLimit }
        lastNumber += 1
        let id = BackgroundTaskID(number: lastNumber, device: device)
        if rules.refusesLate, isExpired {
            refusals = (now, refusals.instant == now ? refusals.count + 1 : 1)
            if refusals.count > Self.mostRefusals { return .refusedWithoutEnd }
            refused.insert(id)
            return .tooLate(id)
        }
        tasks.append(Entry(id: id, task: task, dueAt: max(lead.begin, spent ?? 0)))
        count(now)
        return .granted(id)
    }

    enum EndAction: Equatable {
        case ended(name: String)
        /// The task was refused when the app requested it.
        case endedRefused
        case unknown
        /// The task belongs to an earlier process of the app.
        case ofEarlierProcess
        case ofOtherDevice
    }

    mutating func end(_ id: BackgroundTaskID, now: UInt64) -> EndAction {
        count(now)
        if let index = tasks.firstIndex(where: { $0.id == id }) {
            return .ended(name: tasks.remove(at: index).task.name)
        }
        if refused.remove(id) != nil { return .endedRefused }
        if id.number <= 0 { return .unknown }
        if id.device != device { return .ofOtherDevice }
        return id.number <= lastForeignNumber ? .ofEarlierProcess : .unknown
    }

    /// Returns the tasks whose handlers are to be called now, in the order in which they began.
    ///
    /// A task is returned only once, unless the budget becomes available again.
    mutating func expire(now: UInt64) -> [(id: BackgroundTaskID, task: HeldBackgroundTask)] {
        count(now)
        guard isTicking, let spent else { return [] }
        var due: [(id: BackgroundTaskID, task: HeldBackgroundTask)] = []
        for index in tasks.indices where !tasks[index].wasNotified && tasks[index].dueAt <= spent {
            tasks[index].wasNotified = true
            due.append((tasks[index].id, tasks[index].task))
        }
        return due
    }

    func isOpen(_ id: BackgroundTaskID) -> Bool { tasks.contains { $0.id == id } }
    func task(_ id: BackgroundTaskID) -> HeldBackgroundTask? { tasks.first { $0.id == id }?.task }
    var openBackgroundTasks: [HeldBackgroundTask] { tasks.map(\.task) }
    var listed: [OpenBackgroundTask] {
        tasks.map { OpenBackgroundTask(id: $0.id, name: $0.task.name, place: $0.task.place, begun: $0.task.begun) }
    }
    var openIDs: Set<BackgroundTaskID> { Set(tasks.map(\.id)) }

    // MARK: The state of the process

    mutating func enterForeground(now: UInt64) {
        standing = .foreground
        refused = []
        refill()
        count(now)
    }

    /// Makes the whole budget available again.
    ///
    /// The handler of every open task becomes due again, even if it was called before.
    private mutating func refill() {
        spent = nil
        for index in tasks.indices {
            tasks[index].wasNotified = false
            tasks[index].dueAt = lead.begin
        }
    }

    /// Enters the background, from the foreground or because the system resumes a suspended process for an event.
    ///
    /// A resumed process has the whole budget.
    mutating func enterBackground(now: UInt64) {
        count(now)
        if standing == .suspended { refill() }
        standing = .background
        count(now)
    }

    mutating func suspend(now: UInt64) {
        count(now)
        standing = .suspended
    }

    mutating func setMode(_ mode: AppManifest.BackgroundMode, isActive: Bool, now: UInt64) {
        count(now)
        if isActive { modes.insert(mode) } else { modes.remove(mode) }
        count(now)
    }

    /// How long background jobs keep the process running, if they do.
    enum Jobs: Sendable, Hashable {
        case none
        /// All jobs that keep the process running end by this instant.
        case until(UInt64)
        /// At least one job that keeps the process running has no limit.
        case unlimited
    }

    mutating func setJobs(_ jobs: Jobs, now: UInt64) {
        count(now)
        self.jobs = jobs
        count(now)
    }

    // MARK: Results

    /// Whether something keeps the process from being suspended.
    var keepsRunning: Bool { !tasks.isEmpty || isCovered }

    /// Whether a continuous mode or a job keeps the process running, which stops the time.
    private var isCovered: Bool { !modes.isEmpty || jobs != .none }

    /// Returns the time for which the process may still run; `nil` if nothing limits it.
    func remaining(now: UInt64) -> UInt64? {
        guard standing != .foreground, modes.isEmpty else { return nil }
        switch jobs {
        case .none: break
        case .until(let end): return end > now ? end - now : 0
        case .unlimited: return nil
        }
        let (end, spent) = (end ?? rules.budget, spent(at: now))
        return end > spent ? end - spent : 0
    }

    /// Returns the instant at which the handlers of tasks that were not notified yet must be called; `nil` if there is
    /// none.
    func expiry(now: UInt64) -> UInt64? {
        guard isTicking, let due = tasks.lazy.filter({ !$0.wasNotified }).map(\.dueAt).min() else { return nil }
        return instant(ofSpending: due, now: now)
    }

    /// Returns the instant at which the process is ended because of its open tasks; `nil` if there is none.
    func zero(now: UInt64) -> UInt64? {
        guard isTicking, let end else { return nil }
        return instant(ofSpending: end, now: now)
    }

    /// The last part of the budget, at whose end the process is ended.
    ///
    /// When the lead begins, the expiration handlers of the tasks that began before it are called. `begin` is the part
    /// of the budget that is used at that moment.
    private var lead: (begin: UInt64, length: UInt64) {
        let length = min(rules.lead, rules.budget)
        return (rules.budget - length, length)
    }

    /// The used part of the budget at which the process is ended because of its tasks; `nil` if it has none.
    private var end: UInt64? { tasks.lazy.map(\.dueAt).min().map { $0 + lead.length } }

    private var isTicking: Bool { spent != nil && standing == .background && !isCovered }

    /// Whether the time ran and the lead had begun at the last call of ``count(_:)``, so that a new task comes too
    /// late.
    private var isExpired: Bool {
        guard isTicking, let spent else { return false }
        return spent >= lead.begin
    }

    private func spent(at now: UInt64) -> UInt64 { (spent ?? 0) + (isTicking ? now - countedAt : 0) }

    private func instant(ofSpending amount: UInt64, now: UInt64) -> UInt64 {
        let spent = spent(at: now)
        return amount > spent ? now + (amount - spent) : now
    }

    /// Adds to `spent` the time since the previous call of this method.
    ///
    /// `spent` counts from the moment at which an open task first needs time.
    private mutating func count(_ now: UInt64) {
        if spent != nil { spent = spent(at: now) }
        countedAt = now
        if spent == nil, standing == .background, !isCovered, !tasks.isEmpty { spent = 0 }
    }
}

/// An open background task, for programs and tests that show what keeps an app running.
public struct OpenBackgroundTask: Sendable, Hashable {
    /// The identifier, which is unique in the program.
    public var id: BackgroundTaskID
    /// The name that the app or the system has given.
    public var name: String
    /// The place of the call, as `Module/File.swift:12`, if it is known.
    public var place: String?
    /// The instant of the wall clock at which the task began.
    public var begun: WallInstant

    /// Creates an open background task.
    public init(id: BackgroundTaskID, name: String, place: String?, begun: WallInstant) {
        self.id = id
        self.name = name
        self.place = place
        self.begun = begun
    }
}

/// Measures how much a process has computed in the background lately: a pure state machine.
///
/// Instants are nanoseconds of uptime.
struct CPUMonitor: Sendable {
    private let window: UInt64
    /// The time for which the process may compute within the window, in nanoseconds.
    private let limit: UInt64
    /// The spans in which the process computed, in order and without overlap.
    private var spans: [(start: UInt64, end: UInt64)] = []

    init(window: UInt64, share: Double) {
        self.window = window
        limit = UInt64(Double(window) * max(0, share))
    }

    /// Adds a span in which the process computed all the time.
    mutating func computed(from start: UInt64, to end: UInt64) {
        spans.removeAll { $0.end + window <= start }
        if end > start { spans.append((start, end)) }
    }

    /// Returns the instant at which a process that computes from `start` to `end` reaches the limit; `nil` if it does
    /// not.
    func limitReached(from start: UInt64, to end: UInt64) -> UInt64? {
        func used(at instant: UInt64) -> UInt64 {
            let from = instant > window ? instant - window : 0
            let earlier = spans.reduce(0) { sum, span in
                sum + (span.end > max(span.start, from) ? span.end - max(span.start, from) : 0)
            }
            return earlier + (instant - max(start, from))
        }
        // The used time does not fall while the process computes, because new time replaces what leaves the window.
        guard used(at: end) >= limit else { return nil }
        var (low, high) = (start, end)
        while low < high {
            let middle = low + (high - low) / 2
            if used(at: middle) >= limit { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension CPUMonitor {
    init(_ policy: SystemPolicy.Jobs) {
        self.init(window: policy.cpuWindow.nanosecondsFromZero, share: policy.cpuShare)
    }
}
