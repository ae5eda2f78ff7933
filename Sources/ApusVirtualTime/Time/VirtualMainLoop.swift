package import ApusBackground
import ApusTimers
import Synchronization

/// The main loop of a simulated process: the step loop takes one piece of work after another, first in first out.
///
/// While it is tracking (the user scrolls), work of the `default` mode waits and that of the `common` mode overtakes it.
package final class VirtualMainLoop: MainLoop {
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
    /// How many entries wait, without the lock: the step loop asks several times a step, mostly in vain.
    private let pending = Atomic(0)
    /// Called after each addition, from any thread: a thread may be waiting for work.
    private let onAdd: @Sendable () -> Void

    init(onAdd: @escaping @Sendable () -> Void) { self.onAdd = onAdd }

    package func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.entries.append(Entry(mode: mode, work: work))
            pending.add(1, ordering: .acquiringAndReleasing)
        }
        onAdd()
    }

    /// Whether the user scrolls.
    package var isTracking: Bool {
        get { state.withLock { $0.isTracking } }
        set { state.withLock { $0.isTracking = newValue } }
    }

    /// Runs the oldest piece of work that may run now. False when there is none.
    @MainActor
    func runOne() -> Bool {
        let entry = state.withLock { state -> Entry? in
            let index = state.isTracking ? state.entries.firstIndex { $0.mode == .common } : state.entries.indices.first
            guard let index else { return nil }
            pending.subtract(1, ordering: .acquiringAndReleasing)
            return state.entries.remove(at: index)
        }
        entry?.work()
        return entry != nil
    }

    /// Whether there is work that may run now.
    package var isRunnable: Bool {
        guard pending.load(ordering: .acquiring) > 0 else { return false }
        return state.withLock { state in
            state.isTracking ? state.entries.contains { $0.mode == .common } : !state.entries.isEmpty
        }
    }

    /// Releases all work, including what is added later.
    func close() {
        let entries = state.withLock { state in
            state.isClosed = true
            pending.store(0, ordering: .releasing)
            defer { state.entries = [] }
            return state.entries
        }
        // Released outside the lock: what they captured may do anything when it goes.
        withExtendedLifetime(entries) {}
    }
}
