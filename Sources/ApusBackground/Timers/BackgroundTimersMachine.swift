import ApusTimers

/// The life of all timers of a ``BackgroundTimers`` as a pure state machine, without clock, lock, engine or host.
///
/// It decides which timers are pending, which background tasks cover them, and which expirations are reported.
///
/// - A waiting timer is armed exactly once: it waits in the engine, or is on the way from the engine to the main loop.
///   Its work can therefore not run twice for one deadline.
/// - A *scope* is what one background task covers: all timers, or one. It has at most one background task at a time.
///   Each background task has a number. An expiration with a number that the scope no longer has is ignored, and a
///   background task that is granted with such a number is ended.
/// - A timer that cannot fire before the end of the app's time in the background needs no background task in the
///   background. It is handed over or left out. Otherwise the app would run without doing anything, which would consume
///   energy and delay the end of a server.
struct BackgroundTimersMachine<Payload: Sendable, BackgroundTask: Sendable>: Sendable {
    typealias ID = BackgroundTimers.ID

    enum Scope: Hashable, Sendable {
        case all
        case one(ID)
    }

    struct TaskRequest: Hashable, Sendable {
        let number: Int
        let scope: Scope
    }

    enum Action: Sendable {
        /// Wake when the continuous clock reaches the instant.
        case arm(ID, ContinuousInstant)
        case report(BackgroundTimers.Event)
        /// Stop waiting, if the timer still waits, and release the payload.
        case release(Payload)
        case beginTask(TaskRequest)
        case endTask(BackgroundTask)
        case handOver(ID, ContinuousInstant, Payload)
        case takeBack(ID, Payload)
        /// End the sequences of events, because no event will be reported any more.
        case finishEvents
    }

    private enum Run {
        case waiting
        /// The work is running; a repeating timer waits again afterwards.
        case running
        /// The work is running, and the timer was cancelled in the meantime.
        case runningLast
    }

    private enum Standing {
        /// A background task covers the timer. After a refusal or an expiration, a new one is requested when the app
        /// returns.
        case covered
        /// The substitute has taken over until the app returns.
        case handedOver
        /// The timer waits for the app's return without a substitute.
        case leftOut
    }

    private struct Timer {
        var due: ContinuousInstant
        /// The interval in nanoseconds; `nil` for a timer that fires once.
        let interval: UInt64?
        let canBeHandedOver: Bool
        var payload: Payload
        var run = Run.waiting
        var standing = Standing.covered
        var wasReportedExpired = false

        var isPending: Bool {
            switch run {
            case .waiting: true
            case .running: interval != nil
            case .runningLast: false
            }
        }
    }

    private enum TaskState {
        case none
        case beginning(Int)
        case held(Int, BackgroundTask)
    }

    private struct Cover {
        /// The number of timers that need the background task; the cover is removed when the number becomes zero.
        var needs = 0
        var task = TaskState.none

        func isAbout(_ request: TaskRequest) -> Bool {
            switch task {
            case .none: false
            case .beginning(let number), .held(let number, _): number == request.number
            }
        }
    }

    private let coverage: BackgroundTimers.Coverage
    private var isInBackground = false
    private var isClosed = false
    private var timers: [ID: Timer] = [:]
    private var covers: [Scope: Cover] = [:]
    private var lastTask = 0

    init(coverage: BackgroundTimers.Coverage) { self.coverage = coverage }

    var pending: Set<ID> { Set(timers.lazy.filter(\.value.isPending).map(\.key)) }

    func deadline(of id: ID) -> ContinuousInstant? { timers[id].flatMap { $0.isPending ? $0.due : nil } }

    /// The payload of a timer; `nil` if the timer does not exist.
    subscript(id: ID) -> Payload? {
        get { timers[id]?.payload }
        set { if let newValue { timers[id]?.payload = newValue } }
    }

    // MARK: Timers

    /// Schedules a timer.
    ///
    /// `limit`, here and in other methods, is the end of the app's time in the background; `nil` if the time is
    /// unlimited.
    mutating func schedule(
        _ id: ID, due: ContinuousInstant, every interval: UInt64?, canBeHandedOver: Bool, _ payload: Payload,
        limit: ContinuousInstant?
    ) -> [Action] {
        precondition(interval != 0 && timers[id] == nil, "the interval was validated, and identifiers are unique")
        timers[id] = Timer(due: due, interval: interval, canBeHandedOver: canBeHandedOver, payload: payload)
        var actions = [Action.arm(id, due)]
        if isBeyond(limit, id) {
            uncover([id], &actions, areCovered: false)
        } else {
            need(id, &actions)
        }
        return actions
    }

    /// Fires a timer on the main loop, and returns its payload; `nil` if it was cancelled in the meantime.
    mutating func fire(_ id: ID, now: ContinuousInstant) -> Payload? {
        guard var timer = timers[id] else { return nil }
        guard case .waiting = timer.run else { preconditionFailure("a timer that runs is not armed") }
        timer.run = .running
        if let interval = timer.interval {
            // The next deadline is a whole number of intervals later, and this run stands for all missed ticks.
            timer.due = timer.due.next(every: interval, after: now)
        }
        timers[id] = timer
        return timer.payload
    }

    /// Handles the return of a timer's work.
    mutating func finished(_ id: ID, limit: ContinuousInstant?) -> [Action] {
        guard let timer = timers[id] else { preconditionFailure("a timer stays while its work runs") }
        var actions: [Action] = []
        guard timer.isPending else {
            timers[id] = nil
            actions.append(.report(.executed(id, willRepeat: false)))
            if timer.standing == .covered { dispense(with: id, &actions) }
            actions.append(.release(timer.payload))
            if isClosed, timers.isEmpty { actions.append(.finishEvents) }
            return actions
        }
        timers[id]?.run = .waiting
        actions += [.report(.executed(id, willRepeat: true)), .arm(id, timer.due)]
        if isBeyond(limit, id) {
            uncover([id], &actions, areCovered: timer.standing == .covered)
        } else if timer.standing != .covered {
            timers[id]?.standing = .covered
            need(id, &actions)
        }
        return actions
    }

    /// Cancels timers, and returns those that were pending.
    mutating func cancel(_ ids: [ID]) -> (cancelled: Set<ID>, actions: [Action]) {
        var cancelled: Set<ID> = []
        var actions: [Action] = []
        for id in ids {
            guard let timer = timers[id] else { continue }
            switch timer.run {
            case .waiting:
                timers[id] = nil
                actions += [.report(.cancelled(id)), .release(timer.payload)]
                switch timer.standing {
                case .covered: dispense(with: id, &actions)
                case .handedOver: actions.append(.takeBack(id, timer.payload))
                case .leftOut: break
                }
                cancelled.insert(id)
            case .running where timer.interval != nil:
                timers[id]?.run = .runningLast
                cancelled.insert(id)
            case .running, .runningLast:
                break
            }
        }
        return (cancelled, actions)
    }

    mutating func cancelAll() -> (cancelled: Set<ID>, actions: [Action]) { cancel(timers.keys.sorted()) }

    /// Cancels all timers, because the ``BackgroundTimers`` is released; no timer is scheduled afterwards.
    mutating func close() -> [Action] {
        isClosed = true
        let (_, actions) = cancelAll()
        return timers.isEmpty ? actions + [.finishEvents] : actions
    }

    // MARK: Phases

    mutating func enteredBackground(limit: ContinuousInstant?) -> [Action] {
        isInBackground = true
        var actions: [Action] = []
        uncover(timers.keys.filter { isBeyond(limit, $0) }.sorted(), &actions, areCovered: true)
        return actions
    }

    mutating func enteredForeground() -> [Action] {
        isInBackground = false
        var actions: [Action] = []
        for (id, timer) in timers.sorted(by: { $0.key < $1.key }) where timer.standing != .covered {
            timers[id]?.standing = .covered
            timers[id]?.wasReportedExpired = false
            if timer.standing == .handedOver { actions.append(.takeBack(id, timer.payload)) }
            need(id, &actions)
        }
        // Timers that had expired are covered again, in the order of their scheduling.
        for id in timers.keys.sorted() { ask(for: scope(of: id), &actions) }
        return actions
    }

    // MARK: Background tasks

    mutating func granted(_ request: TaskRequest, _ task: BackgroundTask) -> [Action] {
        guard let cover = covers[request.scope], cover.isAbout(request) else { return [.endTask(task)] }
        covers[request.scope]?.task = .held(request.number, task)
        for id in covered(by: request.scope) { timers[id]?.wasReportedExpired = false }
        return []
    }

    /// Handles the refusal or the expiration of a background task.
    mutating func expired(_ request: TaskRequest) -> [Action] {
        guard let cover = covers[request.scope], cover.isAbout(request) else { return [] }
        covers[request.scope]?.task = .none
        var actions: [Action] = []
        let ids = covered(by: request.scope).filter { id in
            timers[id].map { $0.isPending && !$0.wasReportedExpired } ?? false
        }.sorted()
        for id in ids { timers[id]?.wasReportedExpired = true }
        if !ids.isEmpty { actions.append(.report(.expired(ids))) }
        // The app's time in the background ends now, even if the host has announced a later end.
        if isInBackground { uncover(ids.filter { canBeHandedOver($0) && waits($0) }, &actions, areCovered: true) }
        if case .held(_, let task) = cover.task { actions.append(.endTask(task)) }
        return actions
    }

    private func scope(of id: ID) -> Scope {
        switch coverage {
        case .shared: .all
        case .each: .one(id)
        }
    }

    private func covered(by scope: Scope) -> [ID] {
        switch scope {
        case .all: timers.filter { $0.value.standing == .covered }.map(\.key)
        case .one(let id): timers[id].map { $0.standing == .covered ? [id] : [] } ?? []
        }
    }

    private mutating func need(_ id: ID, _ actions: inout [Action]) {
        let scope = scope(of: id)
        covers[scope, default: Cover()].needs += 1
        ask(for: scope, &actions)
    }

    private mutating func ask(for scope: Scope, _ actions: inout [Action]) {
        guard let cover = covers[scope], case .none = cover.task else { return }
        lastTask += 1
        covers[scope]?.task = .beginning(lastTask)
        actions.append(.beginTask(TaskRequest(number: lastTask, scope: scope)))
    }

    private mutating func dispense(with id: ID, _ actions: inout [Action]) {
        let scope = scope(of: id)
        guard var cover = covers[scope] else { preconditionFailure("a timer that needs a background task has a cover") }
        cover.needs -= 1
        covers[scope] = cover.needs > 0 ? cover : nil
        if cover.needs == 0, case .held(_, let task) = cover.task { actions.append(.endTask(task)) }
    }

    // MARK: Uncovering

    private func canBeHandedOver(_ id: ID) -> Bool { timers[id]?.canBeHandedOver == true }

    /// Returns whether the timer waits for a deadline after the end of the app's time in the background.
    private func isBeyond(_ limit: ContinuousInstant?, _ id: ID) -> Bool {
        guard isInBackground, let limit, let timer = timers[id] else { return false }
        return waits(id) && timer.due > limit
    }

    private func waits(_ id: ID) -> Bool {
        if case .waiting? = timers[id]?.run { true } else { false }
    }

    /// Hands timers over, or leaves them out if they have no substitute.
    ///
    /// `areCovered` is true if the timers still count as needing their background task.
    private mutating func uncover(_ ids: [ID], _ actions: inout [Action], areCovered: Bool) {
        var ends: [Action] = []
        var handedOver: [ID] = []
        var leftOut: [ID] = []
        for id in ids {
            guard let timer = timers[id] else { continue }
            if areCovered {
                // The timer has already been uncovered since the app entered the background, so there is nothing to
                // change.
                guard timer.standing == .covered else { continue }
                dispense(with: id, &ends)
            }
            if timer.canBeHandedOver {
                timers[id]?.standing = .handedOver
                handedOver.append(id)
                actions.append(.handOver(id, timer.due, timer.payload))
            } else {
                timers[id]?.standing = .leftOut
                timers[id]?.wasReportedExpired = true
                if !timer.wasReportedExpired { leftOut.append(id) }
            }
        }
        if !handedOver.isEmpty { actions.append(.report(.handedOver(handedOver))) }
        if !leftOut.isEmpty { actions.append(.report(.expired(leftOut))) }
        // The background tasks are ended last, because the app may be suspended as soon as it has none.
        actions += ends
    }
}
