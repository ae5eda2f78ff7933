import ApusBackground
import ApusTimers

/// The main loop of a simulated process: the step loop takes one piece of work after another, first in first out.
///
/// While it is tracking (the user scrolls), work of the `default` mode waits and that of the `common` mode overtakes it.
final class VirtualMainLoop: MainLoop {
    private struct Entry {
        let mode: MainLoopMode
        let work: @MainActor @Sendable () -> Void
    }

    private struct State {
        var entries: [Entry] = []
        var isTracking = false
        var isClosed = false
    }

    private let state = Locked(State())
    /// Called after each addition, from any thread: somebody may be waiting for work.
    private let onAdd: @Sendable () -> Void

    init(onAdd: @escaping @Sendable () -> Void) { self.onAdd = onAdd }

    func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { state in
            if !state.isClosed { state.entries.append(Entry(mode: mode, work: work)) }
        }
        onAdd()
    }

    /// Whether the user scrolls.
    var isTracking: Bool {
        get { state.withLock { $0.isTracking } }
        set { state.withLock { $0.isTracking = newValue } }
    }

    /// Runs the oldest piece of work that may run now. False when there is none.
    @MainActor
    func runOne() -> Bool {
        let entry = state.withLock { state -> Entry? in
            let index = state.isTracking ? state.entries.firstIndex { $0.mode == .common } : state.entries.indices.first
            return index.map { state.entries.remove(at: $0) }
        }
        entry?.work()
        return entry != nil
    }

    /// Whether there is work that may run now.
    var isRunnable: Bool {
        state.withLock { state in
            state.isTracking ? state.entries.contains { $0.mode == .common } : !state.entries.isEmpty
        }
    }

    /// Lets go of all work, and of everything that is added later.
    func close() {
        let entries = state.withLock { state in
            state.isClosed = true
            defer { state.entries = [] }
            return state.entries
        }
        // Released outside the lock: what they captured may do anything when it goes.
        withExtendedLifetime(entries) {}
    }
}
