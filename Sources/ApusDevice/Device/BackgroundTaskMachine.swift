public import ApusTimers

/// Names a background task, as `UIBackgroundTaskIdentifier` does. No two background tasks of a program have the same
/// one, whatever processes and devices they belong to: so one that was kept for too long ends nothing.
public struct BackgroundTaskID: Sendable, Hashable, CustomStringConvertible {
    /// Counts the background tasks of a device, over all processes of the app.
    package let number: Int
    /// Which device of the program it is. It is in no log: that must not depend on what ran before in the program.
    package let device: Int

    package init(number: Int, device: Int) { (self.number, self.device) = (number, device) }

    /// No background task: the answer when the app cannot run in the background.
    public static let invalid = BackgroundTaskID(number: 0, device: 0)

    /// The number.
    public var description: String { self == .invalid ? "invalid" : String(number) }
}

/// A background task as its process begins it.
struct HeldBackgroundTask: Sendable {
    /// What has to end it when its time is over.
    enum End: Sendable {
        /// The app, before the handler returns.
        case inHandler
        /// The system, when the handler has returned.
        case afterHandler
        /// The app, before the process has no time left: the work continues beside the handler.
        case atZero
    }

    let name: String
    let place: String?
    let end: End
    let handler: (@MainActor @Sendable () -> Void)?
    /// The wall clock's reading then, which is only shown.
    var begun = WallInstant(secondsSince1970: 0)
}

/// The background tasks of one process and the time that it has in the background: a pure state machine.
///
/// Time belongs to the process, not to a background task. It begins to run when a background task is open in the
/// background, and continues to run, whatever background tasks come and go, until the process is in the foreground
/// again, or was suspended and is resumed by the system; then the whole budget is there again. The second is a choice:
/// DTS ("UIApplication Background Task Notes") says nothing of what a suspended process has left, and one that the
/// system launches for the same job has all of it. The time stands still while the process is suspended, and while a
/// continuous mode (audio, location) or a background job keeps the process running; about the latter the sources are
/// silent. Instants are nanoseconds of uptime.
///
/// Invariant: for each background task, the instant at which the process is ended is the lead later than the one at
/// which the background task's handler is due. So a background task that is granted when the lead has begun already
/// (under a cover, or because the policy refuses none) has its own two instants: its handler is due as soon as the time
/// runs, its end the lead after that (Apple, "beginBackgroundTask(withName:expirationHandler:)": the handler is called
/// shortly before the remaining time reaches zero). Background tasks that were granted earlier keep theirs.
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
        /// How much of the budget is used up when its handler is due.
        var dueAt: UInt64
        /// Its handler was called, or is about to be.
        var wasNotified = false
    }

    private let rules: Rules
    private var standing: Standing
    private var modes: Set<AppManifest.BackgroundMode> = []
    private var jobs = Jobs.none
    /// In the order in which they were begun.
    private var tasks: [Entry] = []
    private var refused: Set<BackgroundTaskID> = []
    /// How many background tasks may be refused at one instant: an app that asks for more asks without end.
    private static let mostRefusals = 1_000
    /// How many were refused at the instant of the last refusal.
    private var refusals: (instant: UInt64, count: Int) = (0, 0)
    /// Which device the background tasks belong to.
    private let device: Int
    /// The number of the last background task that an earlier process began.
    private let lastForeignNumber: Int
    /// The number of the background task that was begun last.
    private(set) var lastNumber: Int
    /// How much of the budget was used up to `countedAt`; nil before it began to run.
    private var spent: UInt64?
    private var countedAt: UInt64 = 0

    /// The background tasks of a process, which are numbered from the one after `lastNumber`.
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
        /// Call the handler instead; the id may be ended, and that means nothing.
        case tooLate(BackgroundTaskID)
        case invalid
        /// End the process.
        case overLimit
        /// End the process: the handler that is called for each refusal asks again at once.
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
        /// It was refused when it was asked for.
        case endedRefused
        case unknown
        /// It is that of a background task which an earlier process began.
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

    /// The background tasks whose handlers are to be called now, in the order in which they were begun; none the second
    /// time.
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
    /// The open background tasks, as they are shown.
    var listed: [OpenBackgroundTask] {
        tasks.map { OpenBackgroundTask(id: $0.id, name: $0.task.name, place: $0.task.place, begun: $0.task.begun) }
    }
    var openIDs: Set<BackgroundTaskID> { Set(tasks.map(\.id)) }

    // MARK: Where the process is

    mutating func enterForeground(now: UInt64) {
        standing = .foreground
        refused = []
        refill()
        count(now)
    }

    /// The whole budget is there again. A background task whose handler was called and that is still open is an
    /// ordinary one again.
    private mutating func refill() {
        spent = nil
        for index in tasks.indices {
            tasks[index].wasNotified = false
            tasks[index].dueAt = lead.begin
        }
    }

    /// From the foreground, or from suspension because the system has something for it: the budget is new then.
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

    /// Background jobs that keep the process running.
    enum Jobs: Sendable, Hashable {
        case none
        /// The last is over then at the latest.
        case until(UInt64)
        /// Nothing limits one of them.
        case unlimited
    }

    mutating func setJobs(_ jobs: Jobs, now: UInt64) {
        count(now)
        self.jobs = jobs
        count(now)
    }

    // MARK: What follows

    /// Whether something keeps the process from being suspended.
    var keepsRunning: Bool { !tasks.isEmpty || isCovered }

    /// Whether something else than a background task does, for which the time stands still.
    private var isCovered: Bool { !modes.isEmpty || jobs != .none }

    /// How much longer the process may run; nil when nothing limits it.
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

    /// When the handlers of background tasks that were not notified yet have to be called; nil when there are none.
    func expiry(now: UInt64) -> UInt64? {
        guard isTicking, let due = tasks.lazy.filter({ !$0.wasNotified }).map(\.dueAt).min() else { return nil }
        return instant(ofSpending: due, now: now)
    }

    /// When the process is ended for the background tasks that it has; nil when it has none.
    func zero(now: UInt64) -> UInt64? {
        guard isTicking, let end else { return nil }
        return instant(ofSpending: end, now: now)
    }

    /// How much of the budget is used up when the handlers of background tasks that were begun early are due, and how
    /// much time there is after that.
    private var lead: (begin: UInt64, length: UInt64) {
        let length = min(rules.lead, rules.budget)
        return (rules.budget - length, length)
    }

    /// How much of the budget is used up when the process is ended for its background tasks; nil when it has none.
    private var end: UInt64? { tasks.lazy.map(\.dueAt).min().map { $0 + lead.length } }

    private var isTicking: Bool { spent != nil && standing == .background && !isCovered }

    /// Whether the handlers' instant has come; up to the last `count`.
    private var isExpired: Bool {
        guard isTicking, let spent else { return false }
        return spent >= lead.begin
    }

    private func spent(at now: UInt64) -> UInt64 { (spent ?? 0) + (isTicking ? now - countedAt : 0) }

    private func instant(ofSpending amount: UInt64, now: UInt64) -> UInt64 {
        let spent = spent(at: now)
        return amount > spent ? now + (amount - spent) : now
    }

    /// Brings `spent` up to `now`, and starts it when a background task is effective.
    private mutating func count(_ now: UInt64) {
        if spent != nil { spent = spent(at: now) }
        countedAt = now
        if spent == nil, standing == .background, !isCovered, !tasks.isEmpty { spent = 0 }
    }
}

/// A background task that a process holds now, for programs and tests that show what keeps an app running.
public struct OpenBackgroundTask: Sendable, Hashable {
    /// The identifier, which is unique in its process.
    public var id: BackgroundTaskID
    /// The name, which the app or the system has given.
    public var name: String
    /// The calling place, as `Module/File.swift:12`, where it is known.
    public var place: String?
    /// The wall clock's reading when it was begun.
    public var begun: WallInstant

    /// A background task.
    public init(id: BackgroundTaskID, name: String, place: String?, begun: WallInstant) {
        self.id = id
        self.name = name
        self.place = place
        self.begun = begun
    }
}

/// How much a process has computed in the background lately: a pure state machine. Instants are nanoseconds of uptime.
struct CPUMonitor: Sendable {
    private let window: UInt64
    /// How much of the window may be computed.
    private let limit: UInt64
    /// When it computed, in order and apart from each other.
    private var spans: [(start: UInt64, end: UInt64)] = []

    init(window: UInt64, share: Double) {
        self.window = window
        limit = UInt64(Double(window) * max(0, share))
    }

    /// The process has computed all that time.
    mutating func computed(from start: UInt64, to end: UInt64) {
        spans.removeAll { $0.end + window <= start }
        if end > start { spans.append((start, end)) }
    }

    /// When the limit is reached by a process that computes from `start` to `end`; nil when it is not.
    func limitReached(from start: UInt64, to end: UInt64) -> UInt64? {
        func used(at instant: UInt64) -> UInt64 {
            let from = instant > window ? instant - window : 0
            let earlier = spans.reduce(0) { sum, span in
                sum + (span.end > max(span.start, from) ? span.end - max(span.start, from) : 0)
            }
            return earlier + (instant - max(start, from))
        }
        // It does not fall while the process computes: what leaves the window is replaced.
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
