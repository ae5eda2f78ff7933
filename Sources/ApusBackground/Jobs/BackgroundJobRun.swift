import ApusTimers

/// What a host does for a run. For those who implement a ``BackgroundJobScheduler``. Called from any thread.
public protocol BackgroundJobDriver: Sendable {
    /// How much longer the run may take, on the uptime clock; `nil` when nothing limits it or the limit is unknown.
    var timeRemaining: Duration? { get }
    /// The run is over. Called once.
    func completed(success: Bool)
    /// So many of so many units are done.
    func progressed(completed: Int64, total: Int64)
    /// The user is to read something else.
    func updated(title: String, subtitle: String)
}

/// One run of a background job. All members may be used from any thread.
public final class BackgroundJobRun: Sendable {
    /// The request that is carried out.
    public let request: BackgroundJobRequest

    private typealias ExpirationHandler = @MainActor @Sendable () -> Void

    private let mainLoop: any MainLoop
    private let driver: any BackgroundJobDriver
    private let state = Locked(BackgroundJobRunMachine<ExpirationHandler>())
    /// Ends when the work is to be cancelled.
    private let cancellation: AsyncStream<Never>
    private let cancel: AsyncStream<Never>.Continuation

    /// A run that a host begins. For those who implement a ``BackgroundJobScheduler``.
    public init(_ request: BackgroundJobRequest, mainLoop: any MainLoop, driver: any BackgroundJobDriver) {
        self.request = request
        self.mainLoop = mainLoop
        self.driver = driver
        (cancellation, cancel) = AsyncStream.makeStream(of: Never.self)
    }

    /// The job's identifier.
    public var identifier: String { request.identifier }

    /// How much longer the run may take, on the uptime clock; `nil` when nothing limits it or the limit is unknown.
    public var timeRemaining: Duration? { driver.timeRemaining }

    /// Whether the run has to wind up, or is over.
    public var isExpired: Bool { state.withLock { $0.isExpired } }

    /// Sets what is called on the main loop when the time is nearly over, the user cancels the job, or the system needs
    /// the device for something else; these cannot be distinguished. It has a few seconds. The run has to be completed
    /// soon afterwards.
    ///
    /// Without one, an expired run is over at once and has failed. The last one that was set counts; when the run has
    /// expired already, it is called soon.
    public func onExpiration(_ handler: @escaping @MainActor @Sendable () -> Void) {
        switch state.withLock({ $0.setHandler(handler) }) {
        case .replaced(let old): withExtendedLifetime(old) {}
        case .callNow: mainLoop.run(handler)
        case .ignore: break
        }
    }

    /// Says how far the work is. The user sees it; a host ends continued work that makes none.
    ///
    /// - Parameters:
    ///   - completed: Units that are done; brought into 0...total.
    ///   - total: Units that there are; at least 1.
    public func report(completed: Int64, of total: Int64) {
        let total = max(1, total)
        if !isExpired { driver.progressed(completed: min(total, max(0, completed)), total: total) }
    }

    /// Changes what the user reads of continued work; other jobs show nothing.
    public func update(title: String, subtitle: String) {
        if !isExpired { driver.updated(title: title, subtitle: subtitle) }
    }

    /// Ends the run before its handler returns. Only the first end counts, and the app may be suspended right after it.
    public func complete(success: Bool) {
        guard case .notifyHost(let handler) = state.withLock({ $0.complete() }) else { return }
        cancel.finish()
        driver.completed(success: success)
        withExtendedLifetime(handler) {}
    }

    // MARK: For hosts

    /// Runs `handler` as asynchronous work of `host`, and completes the run with its result.
    public func perform(_ handler: @escaping BackgroundJobHandler, on host: any BackgroundHost) {
        host.start { [self] in
            let success = await withTaskGroup(of: Bool?.self) { group in
                group.addTask { [self] in
                    do {
                        try await handler(self)
                        return true
                    } catch {
                        return false
                    }
                }
                group.addTask { [cancellation] in
                    for await _ in cancellation {}
                    return nil
                }
                defer { group.cancelAll() }
                while let result = await group.next() {
                    if let result { return result }
                    // Expired, or completed early: cancel the work.
                    group.cancelAll()
                }
                preconditionFailure("the work is a child of this group, so its result comes before the group is empty")
            }
            complete(success: success)
        }
    }

    /// The time is over, or the user has cancelled the job. Called on the main loop.
    @MainActor public func expire() {
        switch state.withLock({ $0.expire() }) {
        case .call(let handler):
            cancel.finish()
            handler()
        case .fail:
            cancel.finish()
            driver.completed(success: false)
        case .ignore:
            break
        }
    }
}

/// The life of one run, as a pure state machine: it is completed exactly once, and reported as expired at most once.
struct BackgroundJobRunMachine<Handler> {
    private enum State {
        case running(handler: Handler?)
        /// Its time is over: the handler was notified, and has not completed the run yet.
        case expired
        case completed
    }

    private var state = State.running(handler: nil)

    var isExpired: Bool {
        switch state {
        case .running: false
        case .expired, .completed: true
        }
    }

    enum ExpirationAction {
        /// Cancel the work and call the handler; it has to complete the run.
        case call(Handler)
        /// Cancel the work. There is no handler to wind up, so the run has failed.
        case fail
        case ignore
    }

    mutating func expire() -> ExpirationAction {
        switch state {
        case .running(let handler?):
            state = .expired
            return .call(handler)
        case .running(nil):
            state = .completed
            return .fail
        case .expired, .completed:
            return .ignore
        }
    }

    enum HandlerAction {
        /// Release the previous handler.
        case replaced(Handler?)
        /// The time is over already: call the new one now.
        case callNow
        /// The run is complete; it will not be called.
        case ignore
    }

    mutating func setHandler(_ handler: Handler) -> HandlerAction {
        switch state {
        case .running(let old):
            state = .running(handler: handler)
            return .replaced(old)
        case .expired: return .callNow
        case .completed: return .ignore
        }
    }

    enum CompletionAction {
        /// Notify the host, and release the handler.
        case notifyHost(Handler?)
        case ignore
    }

    mutating func complete() -> CompletionAction {
        switch state {
        case .running(let handler):
            state = .completed
            return .notifyHost(handler)
        case .expired:
            state = .completed
            return .notifyHost(nil)
        case .completed:
            return .ignore
        }
    }
}
