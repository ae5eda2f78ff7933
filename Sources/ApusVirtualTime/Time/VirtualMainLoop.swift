package import ApusBackground
import ApusTimers
import Synchronization

/// The main loop of a simulated process, whose work the step loop runs in first-in, first-out order.
///
/// While the loop is tracking (the user scrolls), work of the `default` mode waits and work of the `common` mode
/// overtakes it.
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
    /// The number of entries that wait.
    ///
    /// It is an atomic that is read without a lock, because each step reads it several times, and mostly finds zero.
    private let pending = Atomic(0)
    /// Called from any thread after each addition, because a thread may be waiting for work.
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

    /// Whether the loop is tracking, because the user scrolls.
    package var isTracking: Bool {
        get { state.withLock { $0.isTracking } }
        set { state.withLock { $0.isTracking = newValue } }
    }

    /// Runs the oldest piece of work that may run now.
    ///
    /// - Returns: Whether there was one.
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

    /// Releases all work without running it, including work that is added later.
    func close() {
        let entries = state.withLock { state in
            state.isClosed = true
            pending.store(0, ordering: .releasing)
            defer { state.entries = [] }
            return state.entries
        }
        // The work is released outside of the lock, because the deinitializers of captured objects may run any code.
        withExtendedLifetime(entries) {}
    }
}
