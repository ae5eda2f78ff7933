import ApusBackground

/// The way of a process from running to its end, as a pure state machine. The loop in ``LinuxHost`` owns it.
struct LinuxHostMachine {
    private enum State {
        case active
        /// Asked to stop; background tasks finish what they do.
        case background
        /// Nearly over: the background tasks were expired.
        case expired
        case finished
    }

    private var state = State.active
    /// Between the request to stand still and the news that the process continues. Apart from the state: a signal to
    /// end may arrive first when a stopped process is woken.
    private(set) var standsStill = false

    /// What the app is in whenever it does not stand still.
    var phase: Phase {
        switch state {
        case .active: .active
        case .background, .expired: .background
        case .finished: .terminated
        }
    }

    enum StopAction: Equatable {
        /// The first request: start the countdown.
        case enterBackground
        /// The second one, from a user who will not wait: expire the background tasks now.
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

    enum ExtensionAction: Equatable {
        /// Ask the service manager for more time again.
        case extend
        case ignore
    }

    mutating func extensionDue() -> ExtensionAction {
        switch state {
        case .background, .expired: .extend
        case .finished: .ignore
        case .active: preconditionFailure("nothing is extended before the process is asked to stop")
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

    /// The grace period is over.
    mutating func timeIsOver() -> FinishAction {
        switch state {
        case .active, .background, .expired:
            state = .finished
            return .finish
        case .finished:
            return .ignore
        }
    }

    enum StandStillAction: Equatable {
        /// Enter the suspended phase, and stop the process.
        case standStill
        case ignore
    }

    mutating func standStillRequested() -> StandStillAction {
        guard state != .finished, !standsStill else { return .ignore }
        standsStill = true
        return .standStill
    }

    enum ResumeAction: Equatable {
        /// Back to ``phase``.
        case resume
        /// The process stood still without a request: suspended, and back to ``phase``.
        case passThroughSuspended
        case ignore
    }

    /// The process continues after something stopped it, or the machine after a sleep.
    mutating func continued() -> ResumeAction {
        guard state != .finished else { return .ignore }
        guard standsStill else { return .passThroughSuspended }
        standsStill = false
        return .resume
    }
}
