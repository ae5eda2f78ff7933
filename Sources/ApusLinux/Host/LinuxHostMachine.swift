import ApusBackground

/// The life of a process from running to its end, as a pure state machine that the loop of ``LinuxHost`` owns.
struct LinuxHostMachine {
    private enum State {
        case active
        /// The process was asked to stop, and background tasks finish their work.
        case background
        /// The background tasks have expired, and the run is nearly over.
        case expired
        case finished
    }

    private var state = State.active
    /// Whether the process was asked to suspend itself, and SIGCONT has not been handled yet.
    ///
    /// It is separate from the state, because a process that is resumed may handle a request to end before it handles
    /// SIGCONT.
    private(set) var standsStill = false

    /// The phase of the app while the process is not suspended.
    var phase: Phase {
        switch state {
        case .active: .active
        case .background, .expired: .background
        case .finished: .terminated
        }
    }

    enum StopAction: Equatable {
        /// Starts the countdown, after the first request.
        case enterBackground
        /// Expires the background tasks now, after the second request.
        case expire
        /// Ends the run now, after the third request, whatever is open.
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
        /// Asks the service manager for more time again.
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

    /// Handles the news that no task is open, which is normal in an active process.
    mutating func becameIdle() -> FinishAction {
        switch state {
        case .background, .expired:
            state = .finished
            return .finish
        case .active, .finished:
            return .ignore
        }
    }

    /// Handles the end of the grace period.
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
        /// Enters the suspended phase, and stops the process.
        case standStill
        case ignore
    }

    mutating func standStillRequested() -> StandStillAction {
        guard state != .finished, !standsStill else { return .ignore }
        standsStill = true
        return .standStill
    }

    enum ResumeAction: Equatable {
        /// Returns to ``phase``.
        case resume
        /// Enters the suspended phase and returns to ``phase``, because the process was stopped without a request.
        case passThroughSuspended
        case ignore
    }

    /// Handles the continuation of a process that was stopped, or of a machine that slept.
    mutating func continued() -> ResumeAction {
        guard state != .finished else { return .ignore }
        guard standsStill else { return .passThroughSuspended }
        standsStill = false
        return .resume
    }
}
