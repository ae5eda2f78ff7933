import CApus
import Dispatch

/// Decides who ends an engine, and who waits for the end, while its thread may be running an action.
final class EngineLife: Sendable {
    private struct State {
        var isOver = false
        /// The number of the thread that makes a wake-up.
        var wakingThread: UInt32?
        /// The wake-up that is being made ends the engine's thread.
        var endsWithWakeUp = false
    }

    private let state = Locked(State())
    /// Left when the thread has ended, or runs no action any more.
    private let end = DispatchGroup()

    init() { end.enter() }

    enum StopAction {
        /// The caller takes all timers out, ends the thread and then calls ``ended()``.
        case endWakeUps
        /// The caller is an action of the engine's thread and takes all timers out; the thread ends itself after the action.
        case leaveToWakeUp
        /// Another thread is about it.
        case waitForEnd
        /// It is over, or is ended by a thread that waits for this action.
        case nothing
    }

    enum EndAction {
        case endWakeUps
        /// The caller takes all timers out; the thread ends itself after the action that is running.
        case leaveToWakeUp
        case nothing
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// False after the end: then there is nothing to fire.
    func beginWakeUp() -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            state.wakingThread = capus_thread_number()
            return true
        }
    }

    /// True if the caller ends its thread and then calls ``ended()``.
    func endWakeUp() -> Bool {
        state.withLock { state in
            state.wakingThread = nil
            return state.endsWithWakeUp
        }
    }

    /// The engine is to end, and the caller waits for an action that is running.
    func stop() -> StopAction {
        state.withLock { state in
            if state.isOver { return state.wakingThread == capus_thread_number() ? .nothing : .waitForEnd }
            state.isOver = true
            state.endsWithWakeUp = state.wakingThread == capus_thread_number()
            return state.endsWithWakeUp ? .leaveToWakeUp : .endWakeUps
        }
    }

    /// The engine is to end, and the caller waits for nothing.
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
