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
