import ApusBackground
import ApusTimers
import ApusVirtualTime

/// The phone's background jobs, as used from an app's own process.
final class RemoteJobs: PhoneJobs {
    private struct State {
        var handlers: [String: @MainActor @Sendable (any PhoneTask) -> Void] = [:]
        /// The jobs in progress, by number.
        var tasks: [Int: RemoteTask] = [:]
    }

    private let link: AppLink
    private let state = Locked(State())

    init(_ link: AppLink) { self.link = link }

    func addLaunchHandler(
        _ identifier: String, _ handler: @escaping @MainActor @Sendable (any PhoneTask) -> Void
    ) -> Bool {
        guard link.ask(.jobs(.register(identifier)), for: Bool.self) else { return false }
        state.withLock { $0.handlers[identifier] = handler }
        return true
    }

    func addRequest(_ request: BackgroundJobRequest) throws(BackgroundJobError) {
        if let refusal = link.ask(.jobs(.submit(request)), for: JobRefusal?.self) {
            throw BackgroundJobError(code: refusal.code, message: refusal.message)
        }
    }

    func cancelRequest(_ identifier: String) { link.perform(.jobs(.cancel(identifier))) }
    func cancelAllRequests() { link.perform(.jobs(.cancelAll)) }
    func pendingRequests() -> [BackgroundJobRequest] {
        link.ask(.jobs(.pending), for: [BackgroundJobRequest].self)
    }
    func makeDue(_ identifier: String) { link.perform(.jobs(.simulateLaunch(identifier))) }
    func expire(_ identifier: String) { link.perform(.jobs(.simulateExpiration(identifier))) }

    @MainActor
    func handle(_ event: AppEvent) {
        switch event {
        case .taskBegins(let number, let request):
            let task = RemoteTask(number, request, link) { [weak self] in self?.forget(number) }
            let handler = state.withLock { state in
                state.tasks[number] = task
                return state.handlers[request.identifier]
            }
            handler?(task)
        case .taskExpires(let number): state.withLock { $0.tasks[number] }?.expire()
        default: break
        }
    }

    private func forget(_ number: Int) {
        // The task is released outside the lock.
        let task = state.withLock { $0.tasks.removeValue(forKey: number) }
        withExtendedLifetime(task) {}
    }
}

/// One run of a background job, as used from an app's own process.
private final class RemoteTask: PhoneTask {
    private struct State {
        var expirationHandler: (@MainActor @Sendable () -> Void)?
        var title = ""
        var subtitle = ""
    }

    let request: BackgroundJobRequest
    private let number: Int
    private let link: AppLink
    private let onCompletion: @Sendable () -> Void
    private let state: Locked<State>

    init(
        _ number: Int, _ request: BackgroundJobRequest, _ link: AppLink, onCompletion: @escaping @Sendable () -> Void
    ) {
        (self.number, self.request, self.link) = (number, request, link)
        self.onCompletion = onCompletion
        let shown: ContinuedJob? = if case .continued(let job) = request.kind { job } else { nil }
        state = Locked(State(title: shown?.title ?? "", subtitle: shown?.subtitle ?? ""))
    }

    var expirationHandler: (@MainActor @Sendable () -> Void)? {
        get { state.withLock { $0.expirationHandler } }
        set {
            state.exchange(\.expirationHandler, with: newValue)
            link.perform(.jobs(.setExpires(number, newValue != nil)))
        }
    }

    @MainActor
    func expire() { state.withLock { $0.expirationHandler.take() }?() }

    var title: String { state.withLock { $0.title } }
    var subtitle: String { state.withLock { $0.subtitle } }

    func updateTitle(_ title: String, subtitle: String) {
        guard case .continued = request.kind else { return }
        state.withLock { ($0.title, $0.subtitle) = (title, subtitle) }
        link.perform(.jobs(.updateTitle(number, title: title, subtitle: subtitle)))
    }

    func report(completed: Int64, of total: Int64) {
        link.perform(.jobs(.report(number, completed: completed, total: total)))
    }

    func setCompleted(success: Bool) {
        link.perform(.jobs(.complete(number, success: success)))
        // The handler is released outside the lock, and after its last use.
        let handler = state.withLock { $0.expirationHandler.take() }
        withExtendedLifetime(handler) {}
        onCompletion()
    }
}
