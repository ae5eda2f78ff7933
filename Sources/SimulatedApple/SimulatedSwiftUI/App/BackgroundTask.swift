#if SimulatedApple
    import ApusDevice
    import ApusTimers
    import ApusVirtualTime
    import BackgroundTasks
    import SimulatedAppleCore

    /// A kind of background work: an app refresh, or the events of a background session.
    ///
    /// Rule: Apple, "BackgroundTask".
    public struct BackgroundTask<Request, Response>: Sendable {
        enum Trigger: Sendable {
            case refresh(String)
            case session(@Sendable (String) -> Bool)
        }

        let trigger: Trigger
    }

    extension BackgroundTask where Request == Void, Response == Void {
        /// Returns the refresh for which the app submits a `BGAppRefreshTaskRequest` with this identifier.
        ///
        /// Rule: Apple, "appRefresh(_:)".
        public static func appRefresh(_ identifier: String) -> BackgroundTask<Void, Void> {
            BackgroundTask(trigger: .refresh(identifier))
        }

        /// Returns the events of the background session with this identifier, which come when all of its tasks have
        /// ended.
        ///
        /// Rule: Apple, "urlSession(_:)".
        public static func urlSession(_ identifier: String) -> BackgroundTask<Void, Void> {
            BackgroundTask(trigger: .session { $0 == identifier })
        }
    }

    extension BackgroundTask where Request == String, Response == Void {
        /// Returns the events of background sessions whose identifiers match; the action receives the identifier.
        ///
        /// Rule: Apple, "urlSession(matching:)".
        public static func urlSession(
            matching: @escaping @Sendable (String) -> Bool
        ) -> BackgroundTask<String, Void> { BackgroundTask(trigger: .session(matching)) }
    }

    extension Scene {
        /// Adds an action for a background task of `BGTaskScheduler`, or for the events of a background session.
        ///
        /// Rule: Apple, "backgroundTask(_:action:)": the work is complete when the action returns. Shortly before the
        /// time of a refresh is over, the action's task is cancelled; if the action does not return then, the app is
        /// ended, as for a task that is not completed. If it returns after its cancellation, the task is completed
        /// without success. The handler is registered at the launch; the app submits the next request itself.
        ///
        /// The action is not called on the main actor, unless the action is isolated to the main actor.
        public func backgroundTask<D: Sendable, R: Sendable>(
            _ task: BackgroundTask<D, R>, action: @escaping @Sendable (D) async -> R
        ) -> some Scene {
            let action = BackgroundAction { data in
                // A refresh and a session with a given identifier have no data; their parameter is `Void`.
                if let data = data as? D {
                    _ = await action(data)
                } else if let nothing = () as? D {
                    _ = await action(nothing)
                }
            }
            return BackgroundTaskScene(content: self, trigger: task.trigger, action: action)
        }
    }

    private struct BackgroundAction: Sendable {
        /// Performs the action; the argument is the identifier of the refresh or the session.
        let run: @Sendable (String) async -> Void
    }

    private struct BackgroundTaskScene<Content: Scene>: Scene, Wrapper {
        typealias Body = Never
        let content: Content
        let trigger: BackgroundTask<Void, Void>.Trigger
        let action: BackgroundAction

        init<Request, Response>(
            content: Content, trigger: BackgroundTask<Request, Response>.Trigger, action: BackgroundAction
        ) {
            (self.content, self.action) = (content, action)
            self.trigger =
                switch trigger {
                case .refresh(let identifier): .refresh(identifier)
                case .session(let matches): .session(matches)
                }
        }

        /// The action of the latest evaluation, which the registered handler performs.
        private final class Registration: Sendable {
            let action: Locked<BackgroundAction>
            init(_ action: BackgroundAction) { self.action = Locked(action) }
        }

        func updated(in node: ViewNode) {
            if let registration = node.memory as? Registration {
                registration.action.withLock { $0 = action }
                return
            }
            let registration = Registration(action)
            node.memory = registration
            // The handler is registered at once, because handlers must be registered before the launch is over.
            switch trigger {
            case .refresh(let identifier): register(registration, identifier)
            case .session(let matches): register(registration, matches)
            }
        }

        private func register(_ registration: Registration, _ identifier: String) {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: .main) { task in
                let action = registration.action.withLock { $0 }
                let task = Handover(task)
                let work = Task.detached {
                    await action.run(identifier)
                    task.value.setTaskCompleted(success: !Task.isCancelled)
                }
                task.value.expirationHandler = { work.cancel() }
            }
        }

        private func register(_ registration: Registration, _ matches: @escaping @Sendable (String) -> Bool) {
            let process = SimulatedPhone.process
            process.shared.object(of: NoticeHandlers.self) { NoticeHandlers() }.add(matches) { notice in
                let action = registration.action.withLock { $0 }
                Task.detached {
                    await action.run(notice.session)
                    process.transfers.complete(notice.number)
                }
            }
        }
    }
#endif
