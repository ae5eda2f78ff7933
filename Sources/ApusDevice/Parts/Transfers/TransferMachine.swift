import ApusBackground
import ApusTimers

/// The sessions of one app: a pure state machine.
///
/// An *ordinary* session is the process's own. Its tasks are moved by the process: when the app is suspended they lose
/// their connections, which is what the system may do at any time after a suspension, and when the process ends they are
/// gone. Apple, Technical Note TN2277; DTS, developer.apple.com/forums/thread/99991. Everything else is about background
/// sessions, whose data tasks also need the process: foundation/urlerror/backgroundsessionwasdisconnected.
///
/// A task *waits* or is *moving* whether or not the app has a process. The app's events are kept until it has a
/// session with the identifier and is at rest. When the last task of a session has ended and the app is suspended or has no
/// process, the app is started or resumed, once for all of them, and gets a *notice*. Sources: Apple,
/// documentation/foundation/downloading-files-in-the-background,
/// documentation/foundation/urlsessionconfiguration/background(withidentifier:), …/isdiscretionary and
/// …/sessionsendslaunchevents; of the delay after a start or a resumption, DTS, developer.apple.com/forums/thread/14854.
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
        /// The app, which runs, has events to handle for a session that it does not have.
        case notify(String)
        /// Deliver a session's events.
        case deliver(String)
    }

    /// A notice that the app has to complete.
    struct Run: Equatable {
        let notice: TransferNotice
        /// When it has to be completed, in nanoseconds of uptime.
        let end: UInt64
        var isHandedOver = false
        var isFinished = false
    }

    /// When something is to be looked at again.
    struct Wakeups: Equatable {
        /// In nanoseconds.
        var uptime: UInt64?
        var continuous: ContinuousInstant?
        var wall: WallInstant?
    }

    /// A choice: sources give no end.
    private static let longestDelay: Duration = .seconds(86_400)

    private let timeLimit: UInt64
    private let firstDelay: Duration
    private let progressInterval: UInt64
    private var sessions: [String: TransferSession] = [:]
    private(set) var runs: [Run] = []
    private var lastNotice = 0
    /// The device is about to be started again.
    private var isRestarting = false
    /// How long tasks that are begun in the background have to wait, and until when.
    private var delay = Duration.zero
    private var delayEnd: ContinuousInstant?
    private var nextProgress: UInt64?
    /// What was logged as being in the way of a task.
    private var obstacles: [Key: [String]] = [:]
    /// What is to be logged with the next update.
    private var lines: [Action] = []

    /// - Parameters:
    ///   - firstDelay: How long tasks wait that are begun in the background after the app was started or resumed once.
    ///   - timeLimit: How long the app has for a notice, in nanoseconds of uptime.
    ///   - progressInterval: How often a running app is notified of progress, in nanoseconds of uptime.
    init(firstDelay: Duration, timeLimit: UInt64 = 30_000_000_000, progressInterval: UInt64 = 1_000_000_000) {
        (self.firstDelay, self.timeLimit, self.progressInterval) = (firstDelay, timeLimit, progressInterval)
    }

    private var names: [String] { sessions.keys.sorted() }

    // MARK: The app

    /// False if the process has a session of that identifier already.
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

    /// The session takes no more tasks, and ends with the last one.
    mutating func invalidate(_ name: String, cancelsTasks: Bool) {
        sessions[name]?.isInvalidated = true
        if cancelsTasks { failAll(of: name, isForceQuit: false) }
    }

    /// The tasks that have not ended, in the order of their numbers.
    mutating func records(of name: String, now: ClockReading) -> [TransferRecord] {
        guard let numbers = sessions[name]?.numbers else { return [] }
        return numbers.compactMap { record(Key(session: name, number: $0), now: now) }.filter { $0.state != .completed }
    }

    /// Nil when the app knows that it has ended.
    mutating func record(_ key: Key, now: ClockReading) -> TransferRecord? {
        sessions[key.session]?.entries[key.number]?.count(now.uptime.nanoseconds)
        return sessions[key.session]?.entries[key.number]?.record
    }

    /// False when it was completed before, or is over.
    mutating func complete(_ notice: Int) -> Bool {
        guard let index = runs.firstIndex(where: { $0.notice.number == notice }) else { return false }
        runs.remove(at: index)
        return true
    }

    // MARK: The device

    /// Another app takes the place of this one.
    mutating func appInstalled() {
        (sessions, runs, obstacles, lines) = ([:], [], [:], [])
        (delay, delayEnd) = (.zero, nil)
    }

    /// The user has removed the app from the switcher: all transfers are cancelled, and the app is not started for them.
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

    /// The process is gone. For a session for which it was started or resumed it is not started again: one that ends while
    /// it handles the events would be started without end.
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

    /// The device is about to be started again: nothing is transferred until the user has unlocked it.
    mutating func rebooting(now: ClockReading) {
        isRestarting = true
        for name in names {
            for number in sessions[name]?.numbers ?? [] {
                sessions[name]?.entries[number]?.pause(now: now.uptime.nanoseconds)
            }
        }
    }

    /// The server has answered.
    mutating func answered(_ key: Key, _ reply: TransferReply, now: ClockReading) {
        guard let settings = sessions[key.session]?.settings else { return }
        let reply = settings.isOrdinary ? reply.limited(to: settings.requestLimit) : reply
        sessions[key.session]?.entries[key.number]?.answered(reply, now: now.uptime.nanoseconds)
    }

    // MARK: What follows

    /// Looks at everything. To be repeated after an action, until there is none.
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

    /// Why a task fails rather than waits; `nil` if it may continue or wait.
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
        add("the device is started again", if: isRestarting)
        add("the device was not unlocked since its start", if: !scene.wasUnlockedSinceBoot)
        add("too early", if: entry.record.earliestBegin.map { $0 > now.wall } ?? false)
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

    /// The app is started or resumed for a session, or runs and gets a notice.
    mutating func begin(_ name: String, isWake: Bool, now: ClockReading) {
        if isWake {
            // DTS: it doubles each time, and is over when the period has passed without a resumption. A task that is begun in
            // the background ends after the delay at the earliest, so that is taken for one period more.
            let isDoubled = delayEnd.map { now.continuous < $0.advanced(by: delay) } ?? false
            delay = isDoubled ? min(delay * 2, max(firstDelay, Self.longestDelay)) : firstDelay
            delayEnd = now.continuous.advanced(by: delay)
        }
        lastNotice += 1
        runs.append(
            Run(notice: TransferNotice(number: lastNotice, session: name), end: now.uptime.nanoseconds + timeLimit))
    }

    /// The app could not be started.
    mutating func abandon(_ name: String) {
        runs.removeAll { $0.notice.session == name }
        sessions[name]?.needsNotice = false
    }

    /// Until when tasks wait that are begun in the background now.
    private func freeAgain(now: ClockReading) -> ContinuousInstant? {
        delayEnd.flatMap { $0 > now.continuous ? $0 : nil }
    }

    /// The notices that are to be handed over now, each once.
    mutating func takeNotices() -> [TransferNotice] {
        defer { for index in runs.indices { runs[index].isHandedOver = true } }
        return runs.filter { !$0.isHandedOver }.map(\.notice)
    }

    /// The next events of the session, which the app has.
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

    /// Takes away those whose time is over.
    mutating func takeOverdue(now: ClockReading) -> [Run] {
        defer { runs.removeAll { $0.end <= now.uptime.nanoseconds } }
        return runs.filter { $0.end <= now.uptime.nanoseconds }
    }

    /// Until when the app is kept running for notices.
    var end: UInt64? { runs.map(\.end).max() }

    /// When something is to be looked at again.
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
    /// Whether the app, which has the session, can be notified of progress.
    fileprivate var isMoving: Bool { isOpen && entries.values.contains { $0.end != nil } }
}
