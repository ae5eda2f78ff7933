/// The way of a process from running to its end, as a pure state machine. The loop in ``LinuxHost`` owns it.
struct LinuxHostMachine {
    private enum State {
        case active
        /// Asked to stop; background tasks finish what they do.
        case background
        /// Nearly over: the background tasks were told to wind up.
        case expired
        case finished
    }

    private var state = State.active

    enum StopAction: Equatable {
        /// The first request: start the countdown.
        case enterBackground
        /// The second one, from somebody who will not wait: tell the background tasks now.
        case expire
        /// The third one: end now, whatever is open.
        case finish
        case ignore
    }

    mutating func stopRequested() -> StopAction {
        switch state {
        case .active:
            state = .background
            return .enterBackground
        case .background:
            state = .expired
            return .expire
        case .expired:
            state = .finished
            return .finish
        case .finished:
            return .ignore
        }
    }

    enum ExpirationAction: Equatable {
        case expire
        case ignore
    }

    mutating func expirationDue() -> ExpirationAction {
        switch state {
        case .background:
            state = .expired
            return .expire
        case .expired, .finished:
            return .ignore
        case .active:
            preconditionFailure("the countdown starts when the process is asked to stop")
        }
    }

    enum FinishAction: Equatable {
        case finish
        case ignore
    }

    /// Nothing is open any more, which is the normal state of an active process.
    mutating func becameIdle() -> FinishAction {
        switch state {
        case .background, .expired:
            state = .finished
            return .finish
        case .active, .finished:
            return .ignore
        }
    }

    /// The grace period is over, or nobody waits for the host any more.
    mutating func timeIsOver() -> FinishAction {
        switch state {
        case .active, .background, .expired:
            state = .finished
            return .finish
        case .finished:
            return .ignore
        }
    }
}
