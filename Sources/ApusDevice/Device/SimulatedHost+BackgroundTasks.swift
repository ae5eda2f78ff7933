public import ApusBackground
import ApusTimers
import ApusVirtualTime
import Logging

extension SimulatedHost {
    /// Begins a background task, which keeps the process running while it finishes something.
    ///
    /// The expiration handlers of all background tasks are called on the main loop, in one pass.
    ///
    /// - Throws: ``/ApusBackground/BackgroundError`` with the code `tooLate` if the time is over or nearly over, the
    ///   policy grants no background tasks, or the process has ended. Unless the process has ended, the handler is
    ///   called on the main loop all the same.
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

    /// Begins a background task in its raw form, as UIKit has it: with a handler, and an identifier that ends the task.
    ///
    /// The task is granted when this method returns. A phone may grant it a little later, so an app that begins a task
    /// as its last work on the way to the background may be suspended before the grant.
    ///
    /// - Parameters:
    ///   - name: The work that the task finishes. If it is `nil`, the name is made from that of the calling function,
    ///     as a phone's system does.
    ///   - place: The place of the call, as `Module/File.swift:12`, for faults.
    ///   - function: The calling function.
    ///   - expirationHandler: Called on the main loop shortly before the time is over, or soon if the time is already
    ///     over. It must end the background task.
    /// - Returns: The identifier, with which the task must be ended; ``BackgroundTaskID/invalid`` if there is no
    ///   background task.
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

    /// Begins a background task for work that detects the end of its time by itself, like
    /// `ProcessInfo.performExpiringActivity`.
    ///
    /// - Parameters:
    ///   - name: The work that is done.
    ///   - expirationHandler: Called on the main loop shortly before the time is over. The background task may stay
    ///     open until no time is left.
    /// - Returns: The identifier, with which the task must be ended; `nil` if the system refuses the time. The handler
    ///   is then not called.
    package func beginActivity(
        _ name: String, expirationHandler: @escaping @MainActor @Sendable () -> Void
    ) -> BackgroundTaskID? {
        let task = HeldBackgroundTask(
            name: name, place: nil, end: .atZero, handler: expirationHandler, begun: time.wall())
        guard case .granted(let id) = begin(task) else { return nil }
        return id
    }

    /// Ends a background task.
    ///
    /// If the identifier is unknown, was ended before or belongs to another process, or if the process has ended, the
    /// call only logs a warning.
    package func endBackgroundTask(_ id: BackgroundTaskID) {
        guard !isDropped("endBackgroundTask(\(id))") else { return }
        let now = now
        switch state.withLock({ $0.backgroundTasks.end(id, now: now) }) {
        case .ended(let name): ended(id, name)
        case .endedRefused: break
        case .unknown: log(.system, .warning("there is no open background task \(id) to end"))
        case .ofEarlierProcess:
            let message = "background task \(id) was begun by an earlier process of the app, so it is not ended here"
            log(.system, .warning(message))
        case .ofOtherDevice:
            log(.system, .warning("background task \(id) was begun on another device, so it is not ended here"))
        }
    }

    /// The open background tasks of the process, in the order in which they began; empty if the process has ended.
    public var openBackgroundTasks: [OpenBackgroundTask] { state.withLock { $0.backgroundTasks.listed } }

    // MARK: For the device

    /// Calls the due expiration handlers in one pass on the process's main loop.
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
            end(for: open, "were still open when their expiration handlers had returned")
        case .endsAppAtZero:
            let names = open.map { "“\($0.name)”" }.joined(separator: ", ")
            let why = "were still open when their expiration handlers had returned"
            log(.system, .warning("background tasks \(names) \(why)"))
        }
    }

    @MainActor
    private func call(_ task: HeldBackgroundTask) {
        let begin = now
        task.handler?()
        let duration = Duration.nanoseconds(Int64(clamping: now - begin))
        if duration > policy.handlerWarning {
            let limit = policy.handlerWarning
            log(
                .system,
                .warning("the expiration handler of “\(task.name)” took \(duration); it should return within \(limit)"))
        }
    }

    /// Ends the process if its time is over and background tasks are still open.
    func endIfOverdue() {
        let now = now
        guard let zero = state.withLock({ $0.backgroundTasks.zero(now: now) }), zero <= now else { return }
        end(
            for: state.withLock { $0.backgroundTasks.openBackgroundTasks },
            "were still open when the time in the background was over")
    }

    /// Notes that an expiration handler has returned in the app's own process.
    ///
    /// Work that the handler has started may end the background task at the same instant, before the device continues.
    /// That is too late. The background tasks that are still open are therefore noted now.
    package func expirationHandlerReturned() { state.withLock { $0.openAtReturn = $0.backgroundTasks.openIDs } }

    /// Ends the process because of open background tasks, with a fault for each.
    private func end(for tasks: [HeldBackgroundTask], _ why: String) {
        for task in tasks {
            let advice =
                task.end == .atZero
                ? "the activity “\(task.name)” did not end in time; return from its block before the time is over"
                : "the background task “\(task.name)” was not ended in time; end it in its expiration handler at the "
                    + "latest"
            fault(Fault(.backgroundTaskNotEnded, advice, place: task.place))
        }
        let names = tasks.map { "“\($0.name)”" }.joined(separator: ", ")
        end("\(policy.backgroundTaskOverrunCode): background tasks \(names) \(why)")
    }

    // MARK: Private

    /// Returns whether the process has ended; if so, logs a warning, because the call has no effect.
    ///
    /// On a phone, no code remains that could make the call. The automatic end of a `BackgroundTask` does not call this
    /// method.
    private func isDropped(_ call: String) -> Bool {
        guard process.isEnded else { return false }
        log.add(.system, .warning("process \(launch) has ended, so its call \(call) has no effect"))
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
                    "the app has \(policy.backgroundTaskLimit) open background tasks, which is the limit; end each "
                        + "background task when its work is done",
                    place: task.place))
            end("\(TerminationCode.tooManyBackgroundTasks): “\(task.name)” was one background task too many")
        case .refusedWithoutEnd:
            fault(
                Fault(
                    .backgroundTaskInHandler,
                    "the expiration handler of “\(task.name)” begins a background task again whenever one is refused; "
                        + "finish the work in the handler, and begin no background task there",
                    place: task.place))
            end("\(TerminationCode.watchdog): the main loop did not come to rest")
        }
        return action
    }

    private func warnLater(_ id: BackgroundTaskID, _ task: HeldBackgroundTask) {
        let limit = policy.longBackgroundTaskWarning
        let timer = time.engine.schedule(after: limit, clock: .uptime) { [weak self] in
            guard let self, state.withLock({ $0.warnings.removeValue(forKey: id) }) != nil else { return }
            let message = "the background task “\(task.name)” began \(limit) ago and is still open"
            log(.system, .warning("\(message); end it when its work is done"))
        }
        state.withLock { $0.warnings[id] = timer }
    }

    /// Ends a background task and returns true, or returns false if it has already ended.
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

    /// A logger that reports a fault when a dropped ``BackgroundTask`` logs its error.
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
