#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import ApusBackground
    import ApusTimers
    import BackgroundTasks

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
