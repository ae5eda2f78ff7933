import ApusTimers

/// Receives the events of one run for its host, for implementations of a ``BackgroundJobScheduler``.
///
/// Members are called from any thread.
public protocol BackgroundJobDriver: Sendable {
    /// The remaining time of the run, on the uptime clock; `nil` if it is unlimited or unknown.
    var timeRemaining: Duration? { get }
    /// Receives the end of the run, once.
    func completed(success: Bool)
    /// Receives the progress of the run, in units.
    func progressed(completed: Int64, total: Int64)
    /// Receives the new texts that the user should see.
    func updated(title: String, subtitle: String)
}

/// One run of a background job.
///
/// All members may be used from any thread.
public final class BackgroundJobRun: Sendable {
    /// The request of the run.
    public let request: BackgroundJobRequest

    private typealias ExpirationHandler = @MainActor @Sendable () -> Void

    private let mainLoop: any MainLoop
    private let driver: any BackgroundJobDriver
    private let state = Locked(BackgroundJobRunMachine<ExpirationHandler>())
    /// A stream without elements that ends when the work must be cancelled.
    private let cancellation: AsyncStream<Never>
    private let cancel: AsyncStream<Never>.Continuation

    /// Creates a run that a host begins, for implementations of a ``BackgroundJobScheduler``.
    public init(_ request: BackgroundJobRequest, mainLoop: any MainLoop, driver: any BackgroundJobDriver) {
        self.request = request
        self.mainLoop = mainLoop
        self.driver = driver
        (cancellation, cancel) = AsyncStream.makeStream(of: Never.self)
    }

    /// The identifier of the job.
    public var identifier: String { request.identifier }

    /// The remaining time of the run, on the uptime clock; `nil` if it is unlimited or unknown.
    public var timeRemaining: Duration? { driver.timeRemaining }

    /// Whether the run has expired or is complete.
    public var isExpired: Bool { state.withLock { $0.isExpired } }

    /// Sets the handler that is called on the main loop when the run expires.
    ///
    /// A run expires when its time is nearly over, when the user cancels the job, or when the system needs the device;
    /// these causes cannot be distinguished. The handler has a few seconds, and the run must be completed soon
    /// afterwards.
    ///
    /// Without a handler, an expired run ends immediately and has failed. A new handler replaces the previous one. If
    /// the run has already expired, the handler is called soon.
    public func onExpiration(_ handler: @escaping @MainActor @Sendable () -> Void) {
        switch state.withLock({ $0.setHandler(handler) }) {
        case .replaced(let old): withExtendedLifetime(old) {}
        case .callNow: mainLoop.run(handler)
        case .ignore: break
        }
    }

    /// Reports the progress of the work; the user sees the progress of continued work.
    ///
    /// A host ends continued work that reports no progress.
    ///
    /// - Parameters:
    ///   - completed: The number of completed units, clamped to 0...total.
    ///   - total: The number of all units, at least 1.
    public func report(completed: Int64, of total: Int64) {
        let total = max(1, total)
        if !isExpired { driver.progressed(completed: min(total, max(0, completed)), total: total) }
    }

    /// Changes the texts that the user sees for continued work.
    ///
    /// It has no effect on other jobs.
    public func update(title: String, subtitle: String) {
        if !isExpired { driver.updated(title: title, subtitle: subtitle) }
    }

    /// Completes the run before its handler returns.
    ///
    /// Only the first call has an effect. The app may be suspended immediately afterwards.
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
                    // The run has expired or was completed early, so the work is cancelled.
                    group.cancelAll()
                }
                preconditionFailure("the work is a child of this group, so its result comes before the group is empty")
            }
            complete(success: success)
        }
    }

    /// Expires the run; called by its host on the main loop.
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

/// The life of one run as a pure state machine: it is completed exactly once, and expires at most once.
struct BackgroundJobRunMachine<Handler> {
    private enum State {
        case running(handler: Handler?)
        /// The handler was called, and has not completed the run yet.
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
        /// Cancel the work and call the handler, which must complete the run.
        case call(Handler)
        /// Cancel the work. There is no handler, so the run has failed.
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
        /// The run has already expired: call the new handler now.
        case callNow
        /// The run is complete, and the handler will not be called.
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
        /// Notify the host and release the handler.
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
