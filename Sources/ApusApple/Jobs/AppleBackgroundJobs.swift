#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    public import ApusBackground
    import ApusTimers
    import BackgroundTasks
    import Foundation
    import UIKit

    /// Apple's `BGTaskScheduler`. Make one while the app launches, in `application(_:didFinishLaunchingWithOptions:)`, and
    /// register the handlers there; all other members may be used from any thread and at any time.
    ///
    /// - What a phone raises an exception for is an error here, and is never said to the system. For that, all handlers of
    ///   the app have to be registered with one object of this type.
    /// - Handlers of continued work may be registered when the launch is over, and Apple's developers had to register the
    ///   very identifier that they submit, right before that (developer.apple.com/forums/thread/799126). Which kind a
    ///   handler is for shows when a request is submitted: so a late handler is kept, and given to the system with the
    ///   first continued request. A late handler of a refresh or of processing is refused then, with
    ///   `registeredTooLate`.
    /// - The handler runs where the host runs asynchronous work. The system calls Apus on a queue of its own, where code
    ///   that was written in a main-actor context would be ended by the runtime; Apus takes nothing for granted there.
    /// - When the time is over or the user cancels, the handler's Swift task is cancelled, on the main loop; see
    ///   `BackgroundJobRun`. The system may end an app that does not complete a run soon after that (Apple,
    ///   developer.apple.com/documentation/backgroundtasks/bgtask/settaskcompleted(success:)).
    /// - The system keeps requests when the process ends. What a run can say of a request that an earlier process has
    ///   submitted is its identifier and its kind; of processing it does not know what was required.
    public final class AppleBackgroundJobs: BackgroundJobDebugging {
        private let host: any BackgroundHost
        private let dates: AppleDates
        private let book: Locked<AppleJobBook>
        /// Held while the system is given a handler. Nothing of the app's is called there.
        private let gate = Locked(())
        private let observers = NotificationObservers()

        /// The scheduler of the app that runs.
        ///
        /// - Parameter host: Where handlers run, and whose main loop expires them.
        @MainActor
        public init(host: any BackgroundHost) {
            self.host = host
            dates = AppleDates(time: host.engine.time)
            // An app that is active has been launched. Any other state says nothing.
            book = Locked(AppleJobBook(isLaunchOver: UIApplication.shared.applicationState == .active))
            observers.observe(UIApplication.didFinishLaunchingNotification) { [weak self] _ in
                self?.book.withLock { $0.launchEnded() }
            }
        }

        // MARK: Handlers

        /// Says who does the work of an identifier, in this process.
        ///
        /// - Throws: `BackgroundJobError` with the code `invalidArgument`, `alreadyRegistered`, or `notPermitted` when
        ///   `BGTaskSchedulerPermittedIdentifiers` does not have it. One that comes when the launch is over is kept; what
        ///   is wrong with it shows when a request is submitted.
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
                        message: "there is a handler for “\(identifier)” already; register each one once")
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

        /// Not isolated, and so is the closure: the system calls it on a queue of its own
        /// (github.com/n0an/VivaDicta/pull/316 is about one that was the main actor's).
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
            // Before anything else, because a task without one is completed without a warning. The system releases it
            // when it was called and when the task is completed, so the cycle ends there.
            task.expirationHandler = { [mainLoop = host.mainLoop] in mainLoop.run { run.expire() } }
            run.perform(handler, on: host)
        }

        // MARK: Requests

        /// Asks for a run, in place of a pending request with the same identifier.
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
                        "the handler for “\(identifier)” came when the launch was over, which only continued work may; "
                        + "register it in application(_:didFinishLaunchingWithOptions:)")
            }
        }

        /// Withdraws a pending request; an unknown identifier is no error. A run that has begun continues.
        public func cancel(_ identifier: String) async {
            BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: identifier)
        }

        /// Withdraws all pending requests, also those that were not submitted through Apus.
        public func cancelAll() async { BGTaskScheduler.shared.cancelAllTaskRequests() }

        /// The requests that the system has, in its order. Those that an earlier process has submitted begin at their
        /// date as the system keeps it.
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
            /// Begins the run of a pending request with the next step of the simulated phone's time.
            ///
            /// - Throws: `BackgroundJobError` with the code `notPending`.
            public func simulateLaunch(_ identifier: String) async throws(BackgroundJobError) {
                guard await pending().contains(where: { $0.identifier == identifier }) else {
                    throw BackgroundJobError(
                        code: .notPending, message: "no request for “\(identifier)” is pending; submit one before")
                }
                BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: identifier)
            }

            /// Lets a run expire with the next step of the simulated phone's time.
            ///
            /// - Throws: `BackgroundJobError` with the code `notRunning`.
            public func simulateExpiration(_ identifier: String) async throws(BackgroundJobError) {
                guard book.withLock({ $0.isRunning(identifier) }) else {
                    throw BackgroundJobError(
                        code: .notRunning, message: "no run of “\(identifier)” is in progress; launch one before")
                }
                BGTaskScheduler.shared._simulateExpirationForTask(withIdentifier: identifier)
            }
        #else
            /// Apple's systems have this function in the debugger only (Apple, developer.apple.com/documentation/
            /// backgroundtasks/starting-and-terminating-tasks-during-development).
            ///
            /// - Throws: ``BackgroundJobError`` with the code `unavailable`, and the debugger's command as its message.
            public func simulateLaunch(_ identifier: String) async throws(BackgroundJobError) {
                throw Self.debuggerOnly("_simulateLaunchForTaskWithIdentifier", identifier)
            }

            /// See ``simulateLaunch(_:)``.
            ///
            /// - Throws: ``BackgroundJobError`` with the code `unavailable`, and the debugger's command as its message.
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

    /// What a run does to the system's task.
    ///
    /// For `@unchecked Sendable`: the task is used under `lock` only. Nothing of the app's is called there.
    final class AppleJobDriver: BackgroundJobDriver, @unchecked Sendable {
        private let lock = Locked(())
        private let task: BGTask
        private let onCompletion: @Sendable () -> Void

        init(_ task: BGTask, onCompletion: @escaping @Sendable () -> Void) {
            self.task = task
            self.onCompletion = onCompletion
        }

        /// Apple's systems do not say.
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
