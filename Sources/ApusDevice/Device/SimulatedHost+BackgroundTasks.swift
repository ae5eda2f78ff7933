public import ApusBackground
import ApusTimers
import ApusVirtualTime
import Logging

extension SimulatedHost {
    /// Asks for time to finish something. An expiration handler is called on the main loop, in one pass with all
    /// others.
    ///
    /// - Throws: ``/ApusBackground/BackgroundError`` with the code `tooLate` when the time is over or nearly over, or when the policy
    ///   gives no background tasks; the handler is called on the main loop then too. A process that has ended gets the
    ///   error only.
    public func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask {
        let task = HeldBackgroundTask(
            name: request.name, place: request.place, end: request.endsOnExpiration ? .afterHandler : .inHandler,
            handler: request.onExpiration, begun: time.wall())
        switch begin(task) {
        case .granted(let id):
            return BackgroundTask(request, logger: backgroundTaskLogger) { [weak self] in self?.endIfOpen(id) ?? false }
        case .tooLate:
            break
        case .invalid, .overLimit, .refusedWithoutEnd:
            process.mainLoop.run(request.onExpiration)
        }
        throw BackgroundError(
            code: .tooLate,
            message: "“\(request.name)” asked for time in the background when none was granted; begin the task earlier"
        )
    }

    /// The raw form of a background task, as UIKit has it: begun with a handler, ended with the identifier.
    ///
    /// It is granted when this returns. On a phone that may be a little later, so an app that begins one at the end of
    /// its way to the background may be suspended before.
    ///
    /// - Parameters:
    ///   - name: What is being finished; `nil` gives a name with the calling function's, as the system does.
    ///   - place: The calling place, as `Module/File.swift:12`, for faults.
    ///   - function: The calling function.
    ///   - expirationHandler: Called on the main loop shortly before the time is over, or soon if it is over; the
    ///     background task has to be ended in it.
    /// - Returns: The identifier, which must be ended; ``BackgroundTaskID/invalid`` when there is no background task.
    package func beginBackgroundTask(
        name: String? = nil, place: String? = nil, function: String = #function,
        expirationHandler: (@MainActor @Sendable () -> Void)? = nil
    ) -> BackgroundTaskID {
        let task = HeldBackgroundTask(
            name: name ?? "Called from \(function)", place: place, end: .inHandler, handler: expirationHandler,
            begun: time.wall())
        return switch begin(task) {
        case .granted(let id), .tooLate(let id): id
        case .invalid, .overLimit, .refusedWithoutEnd: .invalid
        }
    }

    /// Begins a background task for work that notices by itself that its time is nearly over, as that of
    /// `ProcessInfo.performExpiringActivity` does.
    ///
    /// - Parameters:
    ///   - name: What is being done.
    ///   - expirationHandler: Called on the main loop shortly before the time is over. The background task may stay open
    ///     after it until no time is left.
    /// - Returns: The identifier, which must be ended; `nil` if the system refuses the time. The handler is not called then.
    package func beginActivity(
        _ name: String, expirationHandler: @escaping @MainActor @Sendable () -> Void
    ) -> BackgroundTaskID? {
        let task = HeldBackgroundTask(
            name: name, place: nil, end: .atZero, handler: expirationHandler, begun: time.wall())
        guard case .granted(let id) = begin(task) else { return nil }
        return id
    }

    /// Ends a background task. An identifier that is unknown, was ended before, or belongs to another process is only a
    /// warning in the log; so is a call for a process that has ended.
    package func endBackgroundTask(_ id: BackgroundTaskID) {
        guard !isDropped("endBackgroundTask(\(id))") else { return }
        let now = now
        switch state.withLock({ $0.backgroundTasks.end(id, now: now) }) {
        case .ended(let name): ended(id, name)
        case .endedRefused: break
        case .unknown: log(.system, .warning("there is no background task \(id) that could be ended"))
        case .ofEarlierProcess:
            let message = "background task \(id) was begun by an earlier process of the app, and ends none of this one"
            log(.system, .warning(message))
        case .ofOtherDevice:
            log(.system, .warning("background task \(id) was begun on another device, and ends none of this one"))
        }
    }

    /// The background tasks that the process holds now, background tasks among them, in the order in which they were
    /// begun. Empty when the process has ended.
    public var openBackgroundTasks: [OpenBackgroundTask] { state.withLock { $0.backgroundTasks.listed } }

    // MARK: For the device

    /// The pass of the expiration handlers, on the process's main loop.
    @MainActor
    func callExpirationHandlers() {
        let now = now
        let expired = state.withLock { $0.backgroundTasks.expire(now: now) }
        guard !expired.isEmpty else { return }
        log(.system, .backgroundTasksExpired(expired.count))
        beginWatch(policy.handlerLimit, .slowHandlers, "the expiration handlers did not all return")
        state.withLock { $0.openAtReturn = nil }
        for (id, task) in expired where state.withLock({ $0.backgroundTasks.isOpen(id) }) {
            call(task)
            guard !process.isEnded else { return }
            if task.end == .afterHandler { _ = endIfOpen(id) }
        }
        endWatch()
        let toBeEnded = expired.filter { $0.task.end == .inHandler }
        let (stillOpen, endedLate) = state.withLock { state in
            let late = state.openAtReturn.take() ?? []
            return (
                toBeEnded.filter { state.backgroundTasks.isOpen($0.id) },
                toBeEnded.filter { late.contains($0.id) && !state.backgroundTasks.isOpen($0.id) }
            )
        }
        let open = (stillOpen + endedLate).map(\.task)
        guard !open.isEmpty else { return }
        switch policy.unendedBackgroundTasks {
        case .endsAppAfterHandlers:
            end(for: open, "they were open when their expiration handlers had returned")
        case .endsAppAtZero:
            let names = open.map(\.name).joined(separator: ", ")
            log(.system, .warning("background tasks not ended when their expiration handlers had returned: \(names)"))
        }
    }

    @MainActor
    private func call(_ task: HeldBackgroundTask) {
        let begin = now
        task.handler?()
        let duration = Duration.nanoseconds(Int64(clamping: now - begin))
        if duration > policy.handlerWarning {
            log(.system, .warning("the expiration handler of “\(task.name)” took \(duration)"))
        }
    }

    /// Ends the process if it has open background tasks though its time is over. Handlers may have ended them late.
    func endIfOverdue() {
        let now = now
        guard let zero = state.withLock({ $0.backgroundTasks.zero(now: now) }), zero <= now else { return }
        end(
            for: state.withLock { $0.backgroundTasks.openBackgroundTasks },
            "they were open when the time in the background was over")
    }

    /// An expiration handler has returned, in a process of the app's own. What the handler has begun may end the
    /// background task at this instant, before the process comes to rest; but not before the handler has returned.
    package func expirationHandlerReturned() { state.withLock { $0.openAtReturn = $0.backgroundTasks.openIDs } }

    /// Ends the process because of background tasks, with a fault for each.
    private func end(for tasks: [HeldBackgroundTask], _ why: String) {
        for task in tasks {
            let advice =
                task.end == .atZero
                ? "return from the block of the activity “\(task.name)” before the time is over"
                : "end the background task “\(task.name)” in its handler at the latest"
            fault(Fault(.backgroundTaskNotEnded, advice, place: task.place))
        }
        let names = tasks.map { "“\($0.name)”" }.joined(separator: ", ")
        end("\(policy.backgroundTaskOverrunCode): background tasks \(names): \(why)")
    }

    // MARK: Private

    /// Whether the process has ended, so that its call has no effect; then the log says so, because on a phone nothing
    /// is left that could make it. What a `BackgroundTask` does at its own end is no call.
    private func isDropped(_ call: String) -> Bool {
        guard process.isEnded else { return false }
        log.add(.system, .warning("process \(launch) has ended; its call \(call) is dropped"))
        return true
    }

    private func begin(_ task: HeldBackgroundTask) -> BackgroundTaskMachine.BeginAction {
        guard !isDropped("beginBackgroundTask(“\(task.name)”)") else { return .invalid }
        let now = now
        let action = state.withLock { $0.backgroundTasks.begin(task, now: now) }
        switch action {
        case .granted(let id):
            log(.app, .backgroundTaskBegan(task.name))
            warnLater(id, task)
            askForReview()
        case .tooLate:
            log(.system, .backgroundTaskRefused(task.name))
            if task.end != .atZero, let handler = task.handler { process.mainLoop.run(handler) }
        case .invalid:
            log(.system, .backgroundTaskRefused(task.name))
        case .overLimit:
            fault(
                Fault(
                    .tooManyBackgroundTasks,
                    "there are \(policy.backgroundTaskLimit) open background tasks; end each one that was begun",
                    place: task.place))
            end("\(TerminationCode.tooManyBackgroundTasks): “\(task.name)” was one background task too many")
        case .refusedWithoutEnd:
            fault(
                Fault(
                    .backgroundTaskInHandler,
                    "the time is over, and the expiration handler of “\(task.name)” begins a background task each time "
                        + "one is refused; finish the work in the handler, and begin none there",
                    place: task.place))
            end("\(TerminationCode.watchdog): the main loop did not come to rest")
        }
        return action
    }

    private func warnLater(_ id: BackgroundTaskID, _ task: HeldBackgroundTask) {
        let limit = policy.longBackgroundTaskWarning
        let timer = time.engine.schedule(after: limit, clock: .uptime) { [weak self] in
            guard let self, state.withLock({ $0.warnings.removeValue(forKey: id) }) != nil else { return }
            log(.system, .warning("the background task “\(task.name)” was begun \(limit) ago and is not ended"))
        }
        state.withLock { $0.warnings[id] = timer }
    }

    /// For those who end a background task several times on purpose.
    private func endIfOpen(_ id: BackgroundTaskID) -> Bool {
        guard !process.isEnded else { return false }
        let now = now
        guard case .ended(let name) = state.withLock({ $0.backgroundTasks.end(id, now: now) }) else { return false }
        ended(id, name)
        return true
    }

    private func ended(_ id: BackgroundTaskID, _ name: String) {
        state.withLock { $0.warnings.removeValue(forKey: id) }?.cancel()
        log(.app, .backgroundTaskEnded(name))
        askForReview()
    }

    /// Turns what ``BackgroundTask`` reports when it is dropped into a fault.
    private var backgroundTaskLogger: Logger {
        Logger(label: "apus.simulated-device") { [weak self] _ in BackgroundTaskLogHandler(host: self) }
    }
}

private struct BackgroundTaskLogHandler: LogHandler {
    weak var host: SimulatedHost?
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.error

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let details = metadata.merging(event.metadata ?? [:]) { $1 }
        let name = details["task"].map { " (\($0))" } ?? ""
        host?.fault(Fault(.backgroundTaskDropped, "\(event.message)\(name)", place: details["begun"].map { "\($0)" }))
    }
}
