import ApusTimers
import BackgroundTasks
import SimulatedAppleCore

/// A kind of background work. Rule: Apple, "BackgroundTask". Only refreshes are there.
public struct BackgroundTask<Request, Response>: Sendable {
    let identifier: String
}

extension BackgroundTask where Request == Void, Response == Void {
    /// A refresh for which the app submits a `BGAppRefreshTaskRequest` of that identifier.
    ///
    /// Rule: Apple, "appRefresh(_:)".
    public static func appRefresh(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask(identifier: identifier)
    }
}

extension Scene {
    /// Calls an action when the system starts the work that the app has asked `BGTaskScheduler` for.
    ///
    /// Rule: Apple, "backgroundTask(_:action:)": the work is complete when the action returns. Shortly before its time is over,
    /// the action's task is cancelled; an action that does not return then ends the app, as a task does that is not
    /// completed. One that returns after its cancellation has completed the task without success. The handler is registered
    /// at the launch; the next request is the app's own matter.
    ///
    /// The action is called off the main actor, unless it says otherwise.
    public func backgroundTask<D: Sendable, R: Sendable>(
        _ task: BackgroundTask<D, R>, action: @escaping @Sendable (D) async -> R
    ) -> some Scene {
        let action = BackgroundAction {
            // Without data there is one value only.
            if let data = () as? D { _ = await action(data) }
        }
        return BackgroundTaskScene(content: self, identifier: task.identifier, action: action)
    }
}

private struct BackgroundAction: Sendable {
    let run: @Sendable () async -> Void
}

private struct BackgroundTaskScene<Content: Scene>: Scene, Primitive {
    typealias Body = Never
    let content: Content
    let identifier: String
    let action: BackgroundAction

    /// Has the action of the last evaluation.
    private final class Registration: Sendable {
        let action: Locked<BackgroundAction>
        init(_ action: BackgroundAction) { self.action = Locked(action) }
    }

    func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }

    func updated(in node: ViewNode) {
        if let registration = node.memory as? Registration {
            registration.action.withLock { $0 = action }
            return
        }
        let registration = Registration(action)
        node.memory = registration
        // At once: handlers are registered before the launch is over.
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: .main) { task in
            let action = registration.action.withLock { $0 }
            let task = Handover(task)
            let work = Task.detached {
                await action.run()
                task.value.setTaskCompleted(success: !Task.isCancelled)
            }
            task.value.expirationHandler = { work.cancel() }
        }
    }
}
