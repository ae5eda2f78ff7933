import CApus
import Dispatch

/// Decides which thread ends an engine and which waits for its end, while the engine's thread may run an action.
final class EngineLife: Sendable {
    private struct State {
        var isOver = false
        /// The number of the thread that is handling a wake-up; nil between wake-ups.
        var wakingThread: UInt32?
        /// Whether the engine's thread ends after the wake-up that it is handling.
        var endsWithWakeUp = false
    }

    private let state = Locked(State())
    /// A group that is left when the engine's thread has ended or has run its last action.
    private let end = DispatchGroup()

    init() { end.enter() }

    enum StopAction {
        /// The caller removes all timers, ends the thread, and then calls ``ended()``.
        case endWakeUps
        /// The caller is an action on the engine's thread and removes all timers; the thread ends itself after the
        /// action.
        case leaveToWakeUp
        /// The engine has ended or another thread is ending it; the caller waits for the end.
        case waitForEnd
        /// The caller is an action on the engine's thread, and the engine is being ended already; waiting would
        /// deadlock.
        case nothing
    }

    enum EndAction {
        case endWakeUps
        /// The caller removes all timers; the thread ends itself after the action that is running.
        case leaveToWakeUp
        case nothing
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Records the beginning of a wake-up, and returns false if the engine has ended.
    func beginWakeUp() -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            state.wakingThread = capus_thread_number()
            return true
        }
    }

    /// Records the end of a wake-up, and returns true if the caller must end the engine's thread and then call
    /// ``ended()``.
    func endWakeUp() -> Bool {
        state.withLock { state in
            state.wakingThread = nil
            return state.endsWithWakeUp
        }
    }

    /// Ends the engine for a caller that waits for a running action, and returns what the caller must do.
    func stop() -> StopAction {
        state.withLock { state in
            if state.isOver { return state.wakingThread == capus_thread_number() ? .nothing : .waitForEnd }
            state.isOver = true
            state.endsWithWakeUp = state.wakingThread == capus_thread_number()
            return state.endsWithWakeUp ? .leaveToWakeUp : .endWakeUps
        }
    }

    /// Ends the engine for a caller that does not wait, and returns what the caller must do.
    func endSoon() -> EndAction {
        state.withLock { state in
            if state.isOver { return .nothing }
            state.isOver = true
            state.endsWithWakeUp = state.wakingThread != nil
            return state.endsWithWakeUp ? .leaveToWakeUp : .endWakeUps
        }
    }

    func ended() { end.leave() }

    func waitForEnd() { end.wait() }
}
