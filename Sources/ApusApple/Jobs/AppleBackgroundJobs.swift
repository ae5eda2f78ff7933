#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    public import ApusBackground
    import ApusTimers
    import BackgroundTasks
    import Foundation
    import UIKit

    /// Apple's `BGTaskScheduler`.
    ///
    /// Create one while the app launches, in `application(_:didFinishLaunchingWithOptions:)`, and register the handlers
    /// there; all other members may be used from any thread and at any time.
    ///
    /// - A mistake for which a phone raises an exception is an error here, and the call never reaches the system. This
    ///   requires that all handlers of the app are registered with the same object of this type.
    /// - Handlers of continued work may be registered after the launch. Developers report that they had to register the
    ///   exact identifier right before they submitted the request (developer.apple.com/forums/thread/799126). The kind
    ///   of a handler's work is known only when a request is submitted. A late handler is therefore kept, and the first
    ///   continued request registers it with the system. Requests for a refresh or for processing that have only a late
    ///   handler are refused with `registeredTooLate`.
    /// - The handler runs on the executor of the host's asynchronous work. The system calls the closures that it gets
    ///   from this class on its own queue. These closures are not isolated, because the runtime stops a program in
    ///   which a closure of the main actor is called on another queue.
    /// - When the time is over or the user cancels, the handler's Swift task is cancelled, on the main loop; see
    ///   `BackgroundJobRun`. The system may soon end an app that does not complete a run then (Apple,
    ///   developer.apple.com/documentation/backgroundtasks/bgtask/settaskcompleted(success:)).
    /// - The system keeps requests when the process ends. A run whose request was submitted by an earlier process knows
    ///   only the identifier and the kind of the request; the requirements of processing are unknown.
    public final class AppleBackgroundJobs: BackgroundJobDebugging {
        private let host: any BackgroundHost
        private let dates: AppleDates
        private let book: Locked<AppleJobBook>
        /// A lock that is held while a handler is registered with the system; no code of the app is called under it.
        private let gate = Locked(())
        private let observers = NotificationObservers()

        /// Creates a scheduler for the running app.
        ///
        /// - Parameter host: The host that runs the handlers, and on whose main loop their runs expire.
        @MainActor
        public init(host: any BackgroundHost) {
            self.host = host
            dates = AppleDates(time: host.engine.time)
            // If the app is active, its launch is over. In the other states, the launch may still be in progress.
            book = Locked(AppleJobBook(isLaunchOver: UIApplication.shared.applicationState == .active))
            observers.observe(UIApplication.didFinishLaunchingNotification) { [weak self] _ in
                self?.book.withLock { $0.launchEnded() }
            }
        }

        // MARK: Handlers

        /// Sets the handler of an identifier in this process.
        ///
        /// A handler that is set after the launch is only kept, and the identifier is not checked yet. If it is not
        /// permitted, ``submit(_:)`` throws `notPermitted`. For a request that is not for continued work,
        /// ``submit(_:)`` throws `registeredTooLate`.
        ///
        /// - Throws: `BackgroundJobError` with the code `invalidArgument`, `alreadyRegistered`, or `notPermitted` when
        ///   `BGTaskSchedulerPermittedIdentifiers` does not contain the identifier.
        public func register(_ identifier: String, handler: @escaping BackgroundJobHandler) throws(BackgroundJobError) {
            guard !identifier.isEmpty else {
                throw BackgroundJobError(
                    code: .invalidArgument, message: "`identifier` is empty; pass a name like com.example.app.refresh")
            }
            try gate.withLock { _ throws(BackgroundJobError) in
                switch book.withLock({ $0.register(identifier, handler) }) {
                case .keep: break
                case .alreadyRegistered:
                    throw BackgroundJobError(
                        code: .alreadyRegistered,
                        message: "“\(identifier)” has a handler already; register each identifier once")
                case .giveToSystem:
                    if !giveToSystem(identifier) {
                        let handler = book.withLock { $0.withdraw(identifier) }
                        withExtendedLifetime(handler) {}
                        throw Self.undeclared(identifier)
                    }
                }
            }
        }

        private static func undeclared(_ identifier: String) -> BackgroundJobError {
            BackgroundJobError(
                code: .notPermitted,
                message: "“\(identifier)” is not declared; add it to BGTaskSchedulerPermittedIdentifiers")
        }

        /// Registers a handler with the system.
        ///
        /// Neither this method nor its closure is isolated, because the system calls the closure on its own queue
        /// (github.com/n0an/VivaDicta/pull/316 is about a closure that was isolated to the main actor).
        private func giveToSystem(_ identifier: String) -> Bool {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { [weak self] task in
                guard let self else { return task.setTaskCompleted(success: false) }
                launch(task)
            }
        }

        private func launch(_ task: BGTask) {
            let identifier = task.identifier
            guard let (handler, submitted) = book.withLock({ $0.launched(identifier) }) else {
                preconditionFailure("the system launches what was registered, and handlers are not taken away")
            }
            let driver = AppleJobDriver(task) { [weak self] in self?.book.withLock { $0.completed(identifier) } }
            let run = BackgroundJobRun(
                submitted ?? BackgroundJobRequest(of: task), mainLoop: host.mainLoop, driver: driver)
            // The expiration handler is set before anything else, because the system completes an expired task that has
            // no handler without a warning. The system releases the handler after its call and when the task is
            // completed, which ends the reference cycle.
            task.expirationHandler = { [mainLoop = host.mainLoop] in mainLoop.run { run.expire() } }
            run.perform(handler, on: host)
        }

        // MARK: Requests

        /// Submits a request for a run, and replaces a pending request with the same identifier.
        ///
        /// - Throws: `BackgroundJobError`: `invalidArgument`; `notRegistered` or `registeredTooLate`, for which a phone
        ///   raises exceptions; the system's own `unavailable`, `tooManyPending`, `notPermitted` and `cannotStartNow`.
        public func submit(_ request: BackgroundJobRequest) async throws(BackgroundJobError) {
            try request.validate()
            let systemRequest = try request.systemRequest(dates)
            try gate.withLock { _ throws(BackgroundJobError) in try prepare(request) }
            do {
                try BGTaskScheduler.shared.submit(systemRequest)
            } catch {
                throw BackgroundJobError(error, submitting: request)
            }
            book.withLock { $0.submitted(request) }
        }

        private func prepare(_ request: BackgroundJobRequest) throws(BackgroundJobError) {
            let identifier = request.identifier
            switch book.withLock({ $0.submit(request) }) {
            case .submit: break
            case .giveToSystemFirst:
                guard giveToSystem(identifier) else { throw Self.undeclared(identifier) }
                book.withLock { $0.givenToSystem(identifier) }
            case .notRegistered:
                throw BackgroundJobError(
                    code: .notRegistered,
                    message: "there is no handler for “\(identifier)”; register one while the app launches")
            case .registeredTooLate:
                throw BackgroundJobError(
                    code: .registeredTooLate,
                    message:
                        "the handler for “\(identifier)” was registered after the launch, which only continued work allows; "
                        + "register it in application(_:didFinishLaunchingWithOptions:)")
            }
        }

        /// Cancels a pending request; an unknown identifier is no error.
        ///
        /// A run that has begun continues.
        public func cancel(_ identifier: String) async {
            BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: identifier)
        }

        /// Cancels all pending requests, including those that were not submitted through Apus.
        public func cancelAll() async { BGTaskScheduler.shared.cancelAllTaskRequests() }

        /// Returns the pending requests of the system, in its order.
        ///
        /// If an earlier process submitted a request, its `earliestBegin` is computed from the date that the system
        /// kept.
        public func pending() async -> [BackgroundJobRequest] {
            let copies = await withUnsafeContinuation { continuation in
                BGTaskScheduler.shared.getPendingTaskRequests { [dates] requests in
                    continuation.resume(returning: requests.map { BackgroundJobRequest($0, dates) })
                }
            }
            return book.withLock { book in copies.map(book.original) }
        }

        // MARK: Debugging

        #if os(Linux)
            /// Begins the run of a pending request at the next step of the simulated phone's time.
            ///
            /// - Throws: `BackgroundJobError` with the code `notPending`.
            public func simulateLaunch(_ identifier: String) async throws(BackgroundJobError) {
                guard await pending().contains(where: { $0.identifier == identifier }) else {
                    throw BackgroundJobError(
                        code: .notPending, message: "no request for “\(identifier)” is pending; submit one first")
                }
                BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: identifier)
            }

            /// Expires a run at the next step of the simulated phone's time.
            ///
            /// - Throws: `BackgroundJobError` with the code `notRunning`.
            public func simulateExpiration(_ identifier: String) async throws(BackgroundJobError) {
                guard book.withLock({ $0.isRunning(identifier) }) else {
                    throw BackgroundJobError(
                        code: .notRunning, message: "no run of “\(identifier)” is in progress; launch one first")
                }
                BGTaskScheduler.shared._simulateExpirationForTask(withIdentifier: identifier)
            }
        #else
            /// Throws an error, because Apple's systems simulate a launch only in the debugger.
            ///
            /// See Apple,
            /// developer.apple.com/documentation/backgroundtasks/starting-and-terminating-tasks-during-development.
            ///
            /// - Throws: ``BackgroundJobError`` with the code `unavailable`, whose message contains the debugger's
            ///   command.
            public func simulateLaunch(_ identifier: String) async throws(BackgroundJobError) {
                throw Self.debuggerOnly("_simulateLaunchForTaskWithIdentifier", identifier)
            }

            /// Throws an error, because Apple's systems simulate an expiration only in the debugger; see
            /// ``simulateLaunch(_:)``.
            ///
            /// - Throws: ``BackgroundJobError`` with the code `unavailable`, whose message contains the debugger's
            ///   command.
            public func simulateExpiration(_ identifier: String) async throws(BackgroundJobError) {
                throw Self.debuggerOnly("_simulateExpirationForTaskWithIdentifier", identifier)
            }

            private static func debuggerOnly(_ method: String, _ identifier: String) -> BackgroundJobError {
                BackgroundJobError(
                    code: .unavailable,
                    message: "only the debugger can do that, on a device: pause the app and type "
                        + "e -l objc -- (void)[[BGTaskScheduler sharedScheduler] \(method):@\"\(identifier)\"]")
            }
        #endif
    }

    /// The driver of a run, which controls the system's task.
    ///
    /// The class is `@unchecked Sendable` because the task is used only under `lock`. No code of the app is called
    /// under the lock.
    final class AppleJobDriver: BackgroundJobDriver, @unchecked Sendable {
        private let lock = Locked(())
        private let task: BGTask
        private let onCompletion: @Sendable () -> Void

        init(_ task: BGTask, onCompletion: @escaping @Sendable () -> Void) {
            self.task = task
            self.onCompletion = onCompletion
        }

        /// The remaining time, which Apple's systems do not report.
        var timeRemaining: Duration? { nil }

        func completed(success: Bool) {
            onCompletion()
            lock.withLock { _ in task.setTaskCompleted(success: success) }
        }

        func progressed(completed: Int64, total: Int64) {
            #if os(Linux) || (os(iOS) && !targetEnvironment(macCatalyst))
                guard #available(iOS 26, *) else { return }
                lock.withLock { _ in
                    guard let task = task as? BGContinuedProcessingTask else { return }
                    task.progress.totalUnitCount = total
                    task.progress.completedUnitCount = completed
                }
            #endif
        }

        func updated(title: String, subtitle: String) {
            #if os(Linux) || (os(iOS) && !targetEnvironment(macCatalyst))
                guard #available(iOS 26, *) else { return }
                lock.withLock { _ in
                    (task as? BGContinuedProcessingTask)?.updateTitle(title, subtitle: subtitle)
                }
            #endif
        }
    }
#endif
