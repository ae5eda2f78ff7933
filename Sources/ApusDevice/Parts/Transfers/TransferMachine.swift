import ApusBackground
import ApusTimers

/// The sessions of one app: a pure state machine.
///
/// An *ordinary* session belongs to the process, which makes the transfers itself. When the app is suspended, the tasks
/// that are moving fail with a lost connection; on a phone, the system may close a connection at any time after the
/// suspension. When the process ends, its ordinary sessions are dropped with their tasks. Sources: Apple, Technical
/// Note TN2277; DTS, developer.apple.com/forums/thread/99991.
///
/// All other rules are for background sessions. Their data tasks need the process too (Apple,
/// documentation/foundation/urlerror/backgroundsessionwasdisconnected).
///
/// A task *waits* or is *moving* whether or not the app has a process. Events are kept until the app has a session with
/// the identifier and is at rest. When the last task of a session has ended and the app is suspended or has no process,
/// the app is started or resumed, once for all tasks, and receives a *notice*. Sources: Apple,
/// documentation/foundation/downloading-files-in-the-background,
/// documentation/foundation/urlsessionconfiguration/background(withidentifier:), …/isdiscretionary and
/// …/sessionsendslaunchevents; for the delay after a start or a resumption, DTS,
/// developer.apple.com/forums/thread/14854.
struct TransferMachine {
    struct Key: Hashable {
        let session: String
        let number: Int
    }

    enum Action: Equatable {
        /// Ask the server.
        case ask(Key, TransferRequest)
        case log(Key, String)
        /// Start or resume the app for a session.
        case wake(String)
        /// Notify the running app of events for a session that it has not opened.
        case notify(String)
        /// Deliver a session's events.
        case deliver(String)
    }

    /// A notice that the app must complete.
    struct Run: Equatable {
        let notice: TransferNotice
        /// The instant by which the notice must be completed, in nanoseconds of uptime.
        let end: UInt64
        var isHandedOver = false
        var isFinished = false
    }

    /// The instants at which the machine must be examined again, one for each clock.
    struct Wakeups: Equatable {
        /// The instant on the uptime clock, in nanoseconds.
        var uptime: UInt64?
        var continuous: ContinuousInstant?
        var wall: WallInstant?
    }

    /// The longest delay; the value is a choice, because no source gives one.
    private static let longestDelay: Duration = .seconds(86_400)

    private let timeLimit: UInt64
    private let firstDelay: Duration
    private let progressInterval: UInt64
    private var sessions: [String: TransferSession] = [:]
    private(set) var runs: [Run] = []
    private var lastNotice = 0
    /// Whether the device is about to restart.
    private var isRestarting = false
    /// The delay of tasks that are begun in the background; such tasks wait until `delayEnd`.
    private var delay = Duration.zero
    private var delayEnd: ContinuousInstant?
    private var nextProgress: UInt64?
    /// The obstacles to each task that were logged last.
    private var obstacles: [Key: [String]] = [:]
    /// The lines that the next update logs.
    private var lines: [Action] = []

    /// Creates the machine of a device without sessions.
    ///
    /// - Parameters:
    ///   - firstDelay: The delay of tasks that begin in the background after the app was first started or resumed for a
    ///     session. The delay is longer if the app is started or resumed again soon afterwards.
    ///   - timeLimit: The time that the app has for a notice, in nanoseconds of uptime.
    ///   - progressInterval: The time between two notifications of progress to a running app, in nanoseconds of uptime.
    init(firstDelay: Duration, timeLimit: UInt64 = 30_000_000_000, progressInterval: UInt64 = 1_000_000_000) {
        self.firstDelay = max(.zero, firstDelay.clamped)
        (self.timeLimit, self.progressInterval) = (timeLimit, progressInterval)
    }

    private var names: [String] { sessions.keys.sorted() }

    // MARK: The app

    /// Opens a session for the process; returns false if the process has one with this identifier already.
    mutating func open(_ name: String, _ settings: TransferSettings) -> Bool {
        let isFirst = sessions[name]?.isOpen != true
        sessions[name, default: TransferSession()].settings = settings
        sessions[name]?.isOpen = true
        sessions[name]?.isInvalidated = false
        return isFirst
    }

    mutating func add(_ request: TransferRequest, to name: String) -> TransferRecord {
        sessions[name, default: TransferSession()].add(request)
    }

    mutating func change(_ key: Key, _ change: TransferChange, _ scene: DeviceScene, now: ClockReading) {
        guard var entry = sessions[key.session]?.entries[key.number], !entry.hasEnded else { return }
        var events: [TransferEvent] = []
        switch change {
        case .resume:
            let settings = sessions[key.session]?.settings ?? TransferSettings()
            let isAtOnce = scene.isAppInFront || settings.isOrdinary
            entry.resume(
                isInFront: isAtOnce, notBefore: isAtOnce ? nil : freeAgain(now: now), limit: settings.limit, now: now)
        case .suspend: entry.suspend(now: now.uptime.nanoseconds)
        case .cancel:
            events = entry.fail(.cancelled)
            logEnd(key, entry)
        case .note(let note): entry.setNote(note)
        case .earliestBegin(let instant): entry.setEarliestBegin(instant)
        }
        sessions[key.session]?.entries[key.number] = entry
        sessions[key.session]?.append(events)
    }

    /// Invalidates a session, which ends when its last task has ended.
    ///
    /// With `cancelsTasks`, all tasks that have not ended are cancelled now.
    mutating func invalidate(_ name: String, cancelsTasks: Bool) {
        sessions[name]?.isInvalidated = true
        if cancelsTasks { failAll(of: name, isForceQuit: false) }
    }

    /// Returns the tasks of a session that have not ended, in the order of their numbers.
    mutating func records(of name: String, now: ClockReading) -> [TransferRecord] {
        guard let numbers = sessions[name]?.numbers else { return [] }
        return numbers.compactMap { record(Key(session: name, number: $0), now: now) }.filter { $0.state != .completed }
    }

    /// Returns a task; `nil` if the app has been notified that the task has ended.
    mutating func record(_ key: Key, now: ClockReading) -> TransferRecord? {
        sessions[key.session]?.entries[key.number]?.count(now.uptime.nanoseconds)
        return sessions[key.session]?.entries[key.number]?.record
    }

    /// Completes a notice; returns false if it was completed before, or if its time is over.
    mutating func complete(_ notice: Int) -> Bool {
        guard let index = runs.firstIndex(where: { $0.notice.number == notice }) else { return false }
        runs.remove(at: index)
        return true
    }

    // MARK: The device

    /// Drops all sessions, because another app is installed.
    mutating func appInstalled() {
        (sessions, runs, obstacles, lines) = ([:], [], [:], [])
        (delay, delayEnd) = (.zero, nil)
    }

    /// Cancels all transfers of background sessions, because the user has removed the app from the switcher.
    ///
    /// The app is not started for them.
    mutating func forceQuit() {
        for name in names where sessions[name]?.settings.isOrdinary == false {
            failAll(of: name, isForceQuit: true)
            sessions[name]?.needsNotice = false
        }
    }

    private mutating func failAll(of name: String, isForceQuit: Bool) {
        for number in sessions[name]?.numbers ?? [] {
            guard var entry = sessions[name]?.entries[number], !entry.hasEnded else { continue }
            let events = entry.fail(.cancelled, isForceQuit: isForceQuit)
            sessions[name]?.entries[number] = entry
            sessions[name]?.append(events)
            logEnd(Key(session: name, number: number), entry)
        }
    }

    private mutating func logEnd(_ key: Key, _ entry: TransferEntry) {
        obstacles[key] = nil
        lines.append(.log(key, entry.record.failure.map { "failed: \($0)" } ?? "done"))
    }

    /// Drops the state that belongs to the ended process.
    ///
    /// The app is not started again for the sessions whose events the process was handling; otherwise an app that
    /// crashes in its handler would be started without end.
    mutating func processEnded() {
        for run in runs { sessions[run.notice.session]?.needsNotice = false }
        for name in names {
            guard let session = sessions[name], session.settings.isOrdinary else { continue }
            for number in session.numbers where session.entries[number]?.record.state == .running {
                lines.append(.log(Key(session: name, number: number), "ended with the process"))
            }
            sessions[name] = nil
        }
        obstacles = obstacles.filter { sessions[$0.key.session] != nil }
        for name in names { sessions[name]?.processEnded() }
        runs = []
    }

    /// Pauses all transfers because the device is about to restart; they continue after the user has unlocked it.
    mutating func rebooting(now: ClockReading) {
        isRestarting = true
        for name in names {
            for number in sessions[name]?.numbers ?? [] {
                sessions[name]?.entries[number]?.pause(now: now.uptime.nanoseconds)
            }
        }
    }

    /// Passes the server's answer to a task.
    mutating func answered(_ key: Key, _ reply: TransferReply, now: ClockReading) {
        guard let settings = sessions[key.session]?.settings else { return }
        let reply = settings.isOrdinary ? reply.limited(to: settings.requestLimit) : reply
        let event = sessions[key.session]?.entries[key.number]?.answered(reply, now: now.uptime.nanoseconds)
        if let event { sessions[key.session]?.events.append(event) }
    }

    // MARK: Reviewing

    /// Examines all tasks, and returns the actions that follow.
    ///
    /// If one of the actions asks the server, the machine must be updated again after the answer.
    mutating func update(_ scene: DeviceScene, now: ClockReading) -> [Action] {
        if !scene.wasUnlockedSinceBoot { isRestarting = false }
        if scene.isAppInFront { (delay, delayEnd) = (.zero, nil) }
        var actions: [Action] = []
        for name in names {
            for number in sessions[name]?.numbers ?? [] {
                actions += move(Key(session: name, number: number), scene, now: now)
            }
        }
        reportProgress(scene, now: now)
        defer { lines = [] }
        return lines + actions + names.compactMap { handOver($0, scene) }
    }

    private mutating func move(_ key: Key, _ scene: DeviceScene, now: ClockReading) -> [Action] {
        guard let session = sessions[key.session], var entry = session.entries[key.number] else { return [] }
        if scene.isAppInFront { entry.notBefore = nil }
        entry.count(now.uptime.nanoseconds)
        var actions: [Action] = []
        var events: [TransferEvent] = []
        switch entry.stage {
        case .held, .asked, .ended: break
        case .moving, .waiting:
            let reasons = obstacles(to: entry, session.settings, scene, now: now)
            if entry.end.map({ $0 <= now.uptime.nanoseconds }) == true {
                events = entry.finish()
            } else if let deadline = entry.deadline, deadline <= now.continuous {
                events = entry.fail(.timedOut)
            } else if let failure = interruption(of: entry, session.settings, scene) {
                events = entry.fail(failure)
            } else if reasons.isEmpty {
                if entry.stage == .waiting { actions.append(.log(key, "continues")) }
                if entry.proceed(now: now.uptime.nanoseconds) {
                    actions = [.log(key, "begins"), .ask(key, entry.record.request)]
                }
                obstacles[key] = nil
            } else {
                entry.pause(now: now.uptime.nanoseconds)
                if obstacles[key] != reasons { actions.append(.log(key, "waits: \(reasons.joined(separator: ", "))")) }
                obstacles[key] = reasons
            }
        }
        sessions[key.session]?.entries[key.number] = entry
        sessions[key.session]?.append(events)
        if entry.hasEnded, !events.isEmpty { logEnd(key, entry) }
        return actions
    }

    /// Returns the failure of a task that may neither continue nor wait; `nil` for any other task.
    private func interruption(
        of entry: TransferEntry, _ settings: TransferSettings, _ scene: DeviceScene
    ) -> TransferFailure? {
        guard settings.isOrdinary else {
            return entry.record.request.kind == .data && scene.isAppStopped ? .backgroundSessionWasDisconnected : nil
        }
        let isMoving = entry.stage != .waiting
        if scene.isAppStopped { return isMoving ? .networkConnectionLost : nil }
        if networkObstacle(scene, allowsConstrained: settings.allowsConstrainedNetwork) == nil { return nil }
        return isMoving ? .networkConnectionLost : settings.waitsForConnectivity ? nil : .notConnectedToInternet
    }

    private func networkObstacle(_ scene: DeviceScene, allowsConstrained: Bool) -> String? {
        switch scene.conditions.network {
        case .none?: "no network"
        case .constrained? where !allowsConstrained: "the network is constrained"
        default: nil
        }
    }

    private func obstacles(
        to entry: TransferEntry, _ settings: TransferSettings, _ scene: DeviceScene, now: ClockReading
    ) -> [String] {
        let isDiscretionary = !settings.isOrdinary && (settings.isDiscretionary || entry.isBegunInBackground)
        let network = networkObstacle(
            scene, allowsConstrained: settings.allowsConstrainedNetwork && !isDiscretionary)
        if settings.isOrdinary {
            return (scene.isAppStopped ? ["the app is suspended"] : []) + (network.map { [$0] } ?? [])
        }
        var reasons: [String] = []
        func add(_ reason: String, if isThere: Bool) { if isThere { reasons.append(reason) } }
        add("the device is restarting", if: isRestarting)
        add("the device has not been unlocked since it was started", if: !scene.wasUnlockedSinceBoot)
        add("its earliest begin has not come", if: entry.record.earliestBegin.map { $0 > now.wall } ?? false)
        add("the app was resumed too often", if: entry.notBefore.map { $0 > now.continuous } ?? false)
        reasons += network.map { [$0] } ?? []
        add("no external power", if: isDiscretionary && scene.conditions.isOnExternalPower != true)
        return reasons
    }

    private mutating func reportProgress(_ scene: DeviceScene, now: ClockReading) {
        guard scene.isAppAtRest, names.contains(where: { sessions[$0]?.isMoving == true }) else {
            nextProgress = nil
            return
        }
        if let nextProgress, nextProgress > now.uptime.nanoseconds { return }
        let isFirst = nextProgress == nil
        nextProgress = now.uptime.nanoseconds + progressInterval
        guard !isFirst else { return }
        for name in names where sessions[name]?.isOpen == true {
            for number in sessions[name]?.numbers ?? [] {
                guard let event = sessions[name]?.entries[number]?.takeProgress() else { continue }
                sessions[name]?.events.append(event)
            }
        }
    }

    private func handOver(_ name: String, _ scene: DeviceScene) -> Action? {
        guard let session = sessions[name] else { return nil }
        let run = runs.first { $0.notice.session == name }
        if scene.isAppAtRest, session.isOpen, run?.isHandedOver != false, hasSomething(session, run) {
            return .deliver(name)
        }
        guard session.needsNotice, run == nil, session.settings.sendsLaunchEvents, !scene.wasForceQuit,
            scene.wasUnlockedSinceBoot, !isRestarting, !scene.isAppInFront, !scene.isAppEnding
        else { return nil }
        if scene.isAppStopped { return .wake(name) }
        return scene.isAppAtRest && !session.isOpen ? .notify(name) : nil
    }

    private func hasSomething(_ session: TransferSession, _ run: Run?) -> Bool {
        if !session.events.isEmpty { return true }
        return run?.isFinished == false || session.isInvalidated && session.entries.isEmpty
    }

    // MARK: Notices

    /// Begins a notice for a session; with `isWake`, the app is started or resumed for it.
    mutating func begin(_ name: String, isWake: Bool, now: ClockReading) {
        if isWake {
            // According to DTS, the delay doubles each time the system resumes the app. It returns to its first value
            // when the time since the last resumption is as long as the delay. A task that begins in the background
            // cannot end before the delay is over, so by that rule its end would always reset the delay. Here, the
            // delay is therefore reset when the time since the last resumption is twice as long as the delay.
            let isDoubled = delayEnd.map { now.continuous < $0.advanced(by: delay) } ?? false
            delay = isDoubled ? min(delay * 2, max(firstDelay, Self.longestDelay)) : firstDelay
            delayEnd = now.continuous.advanced(by: delay)
        }
        lastNotice += 1
        runs.append(
            Run(notice: TransferNotice(number: lastNotice, session: name), end: now.uptime.nanoseconds + timeLimit))
    }

    /// Drops the notices of a session, because the app could not be started.
    mutating func abandon(_ name: String) {
        runs.removeAll { $0.notice.session == name }
        sessions[name]?.needsNotice = false
    }

    /// Returns the instant until which a task that begins in the background now must wait; `nil` if it need not wait.
    private func freeAgain(now: ClockReading) -> ContinuousInstant? {
        delayEnd.flatMap { $0 > now.continuous ? $0 : nil }
    }

    /// Returns the notices that are to be handed over now, each of them once.
    mutating func takeNotices() -> [TransferNotice] {
        defer { for index in runs.indices { runs[index].isHandedOver = true } }
        return runs.filter { !$0.isHandedOver }.map(\.notice)
    }

    /// Returns the next event of a session, and removes it, if the app has the session and can handle the event.
    mutating func takeEvent(_ name: String, _ scene: DeviceScene) -> TransferEvent? {
        guard scene.isAppAtRest, let session = sessions[name], session.isOpen else { return nil }
        let run = runs.firstIndex { $0.notice.session == name }
        if let run, !runs[run].isHandedOver { return nil }
        if let event = sessions[name]?.takeEvent() { return event }
        if let run, !runs[run].isFinished {
            runs[run].isFinished = true
            return .finished
        }
        guard session.isInvalidated, session.entries.isEmpty else { return nil }
        sessions[name] = nil
        return .invalidated
    }

    /// Removes and returns the notices whose time is over.
    mutating func takeOverdue(now: ClockReading) -> [Run] {
        defer { runs.removeAll { $0.end <= now.uptime.nanoseconds } }
        return runs.filter { $0.end <= now.uptime.nanoseconds }
    }

    /// The instant until which the app is kept running for notices.
    var end: UInt64? { runs.map(\.end).max() }

    /// Returns the instants at which the machine must be examined again.
    func wakeups(now: ClockReading) -> Wakeups {
        let entries = sessions.values.flatMap(\.entries.values)
        let waiting = entries.filter { $0.stage == .waiting }
        let uptimes = entries.compactMap(\.end) + runs.map(\.end) + [nextProgress].compactMap(\.self)
        let deadlines = entries.filter { !$0.hasEnded && $0.stage != .held }.compactMap(\.deadline)
        return Wakeups(
            uptime: uptimes.min(),
            continuous: (waiting.compactMap(\.notBefore).filter { $0 > now.continuous } + deadlines).min(),
            wall: waiting.compactMap(\.record.earliestBegin).filter { $0 > now.wall }.min())
    }
}

extension TransferSession {
    /// Whether the app's process has the session, and bytes of one of its tasks are being transferred.
    fileprivate var isMoving: Bool { isOpen && entries.values.contains { $0.end != nil } }
}
