import ApusTimers

/// Decides how long each App Intent of the app may run: a pure state machine.
///
/// An intent *waits* until the app can perform it, then *performs*. If its time is over, or if the user wishes, it is
/// cancelled, and *cleans up* until it returns, or until its remaining time is over too. Instants are nanoseconds of
/// uptime.
///
/// Rules: Apple, documentation/appintents/cancellableintent and documentation/appintents/longrunningintent.
struct IntentMachine {
    /// The durations of ``SystemPolicy/Intents`` in nanoseconds.
    struct Limits {
        let perform, stall, windUp, cleanup: UInt64

        init(_ policy: SystemPolicy.Intents) {
            func nanoseconds(_ duration: Duration) -> UInt64 { UInt64(max(0, duration.wholeNanoseconds)) }
            perform = nanoseconds(policy.timeLimit)
            stall = nanoseconds(policy.progressStall)
            windUp = nanoseconds(policy.windUpTime)
            cleanup = nanoseconds(policy.cleanupTime)
        }
    }

    private struct Open {
        enum Stage { case waiting, performing, cleaningUp }

        let request: IntentRequest
        /// Whether the app must be active before it performs the intent.
        let needsForeground: Bool
        var stage = Stage.waiting
        /// The instant at which the present stage ends at the latest; `nil` while the intent waits.
        var end: UInt64?
        /// The number of background tasks of a `LongRunningIntent` that are in progress.
        var longTasks = 0
        var hasBegunLongTask = false

        /// Whether the process must run for this intent; one that waits for the foreground has none yet, or another
        /// reason to run.
        var needsProcess: Bool { stage != .waiting || !needsForeground }
    }

    /// What has to be done about an intent whose time is over.
    enum Expiry: Equatable {
        /// Cancel it; it has this time left, in nanoseconds.
        case cancel(Int, left: UInt64)
        /// It has not returned although it was cancelled.
        case giveUp(Int)
    }

    private let limits: Limits
    /// All executions so far; the number of an execution is its place, from 1.
    private(set) var all: [IntentRun] = []
    private var open: [Int: Open] = [:]
    /// The intents that had not returned when their time was over.
    private var givenUp: Set<Int> = []

    init(_ limits: Limits) { self.limits = limits }

    var isIdle: Bool { open.isEmpty }

    /// The instant at which the first stage ends.
    var nextEnd: UInt64? { open.values.compactMap(\.end).min() }

    /// Whether the process must run for an intent.
    var needsProcess: Bool { open.values.contains(where: \.needsProcess) }

    /// The instant at which the last stage ends for which the process must run; `nil` if such an intent waits, or if
    /// there is none.
    var lastEnd: UInt64? {
        let ends = open.values.filter(\.needsProcess).map(\.end)
        return ends.contains(nil) ? nil : ends.compactMap(\.self).max()
    }

    /// The number of the latest intent that can be cancelled.
    var latest: Int? { open.filter { $0.value.stage != .cleaningUp }.keys.max() }

    /// Whether an intent that may begin a Live Activity is being performed.
    var mayBeginActivities: Bool { open.values.contains { $0.stage != .waiting && $0.request.mayBeginActivities } }

    func title(_ id: Int) -> String { all[id - 1].title }

    func request(_ id: Int) -> IntentRequest? { open[id]?.request }

    /// Whether an intent is being performed and is not cancelled.
    func isPerformed(_ id: Int) -> Bool { open[id]?.stage == .performing }

    // MARK: Beginning

    /// Adds an execution, and returns its number.
    mutating func add(_ request: IntentRequest, from origin: IntentOrigin, needsForeground: Bool) -> Int {
        let id = all.count + 1
        all.append(IntentRun(id: id, title: request.title, origin: origin))
        open[id] = Open(request: request, needsForeground: needsForeground)
        return id
    }

    mutating func refuse(_ id: Int, _ reason: String) { close(id, .refused(reason)) }

    /// Returns the numbers of the intents that the app can perform now, whose time begins.
    mutating func handOver(isActive: Bool, now: UInt64) -> [Int] {
        let ids = open.filter { $0.value.stage == .waiting && (isActive || !$0.value.needsForeground) }.keys.sorted()
        for id in ids {
            open[id]?.stage = .performing
            open[id]?.end = now + limits.perform
            all[id - 1].state = .running
        }
        return ids
    }

    // MARK: Long work

    /// Lets an intent run for as long as it reports progress; returns false if it is not being performed.
    ///
    /// Only progress prolongs the time further, and not another task.
    mutating func beginLongTask(_ id: Int, now: UInt64) -> Bool {
        guard open[id]?.stage == .performing else { return false }
        open[id]?.longTasks += 1
        if open[id]?.hasBegunLongTask == false { open[id]?.end = now + limits.stall }
        open[id]?.hasBegunLongTask = true
        return true
    }

    /// Notes the end of a background task; progress outside of such a task gives no time.
    mutating func endLongTask(_ id: Int) {
        guard let intent = open[id], intent.longTasks > 0 else { return }
        open[id]?.longTasks -= 1
    }

    /// Notes the progress of an intent, from 0 to 1; the same value as before is no progress.
    mutating func report(_ fraction: Double, of id: Int, now: UInt64) {
        guard let intent = open[id], all[id - 1].fractionCompleted != fraction else { return }
        all[id - 1].fractionCompleted = fraction
        if intent.stage == .performing, intent.longTasks > 0 { open[id]?.end = now + limits.stall }
    }

    // MARK: Ending

    /// Cancels an intent for the user; returns the time that it has left, or `nil` if it was not handed over.
    mutating func cancel(_ id: Int, now: UInt64) -> UInt64? {
        guard open[id]?.stage == .performing else {
            close(id, .userCancelled)
            return nil
        }
        return cleanUp(id, .userCancelled, now: now)
    }

    /// Begins the clean-up of the intents whose time is over, and gives up those that have not returned.
    mutating func expire(now: UInt64) -> [Expiry] {
        var expired: [Expiry] = []
        for id in open.keys.sorted() {
            guard let intent = open[id], let end = intent.end, end <= now else { continue }
            if intent.stage == .cleaningUp {
                open[id] = nil
                givenUp.insert(id)
                expired.append(.giveUp(id))
            } else {
                expired.append(.cancel(id, left: cleanUp(id, .timedOut, now: now)))
            }
        }
        return expired
    }

    /// Notes that `perform()` has ended; returns false if the intent was given up before.
    ///
    /// The result of an intent that was cancelled is dropped, because its caller does not wait any more.
    mutating func end(_ id: Int, with outcome: IntentOutcome) -> Bool {
        guard let intent = open[id] else {
            givenUp.remove(id)
            return false
        }
        guard intent.stage == .performing else {
            open[id] = nil
            return true
        }
        switch outcome {
        case .finished(let value, let dialog, _):
            (all[id - 1].value, all[id - 1].dialog) = (value, dialog)
            close(id, .finished)
        case .failed(let error): close(id, .failed(error))
        }
        return true
    }

    /// Closes all intents, because the process has ended.
    mutating func processEnded() {
        for (id, intent) in open where intent.stage != .cleaningUp { close(id, .processEnded) }
        (open, givenUp) = ([:], [])
    }

    /// Returns the intents in the middle of which the app is suspended.
    mutating func appSuspended() -> [Int] {
        defer { givenUp = [] }
        return givenUp.sorted()
    }

    private mutating func cleanUp(_ id: Int, _ state: IntentRun.State, now: UInt64) -> UInt64 {
        let left = open[id]?.request.isCancellable == true ? limits.cleanup : limits.windUp
        open[id]?.stage = .cleaningUp
        open[id]?.end = now + left
        all[id - 1].state = state
        return left
    }

    private mutating func close(_ id: Int, _ state: IntentRun.State) {
        open[id] = nil
        all[id - 1].state = state
    }
}
