package import ApusBackground
import ApusTimers

/// A main loop that a test runs, in which work of the `default` mode waits while the user scrolls.
package final class HandLoop: MainLoop {
    private typealias Work = @MainActor @Sendable () -> Void

    private struct State {
        var common: [Work] = []
        var isScrolling = false
        var held: [Work] = []
    }

    private let state = Locked(State())

    package init() {}

    /// The number of pieces of work that the next ``drain()`` runs, without the pieces that are added while it runs.
    package var count: Int { state.withLock { $0.common.count } }

    package func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { state in
            if mode == .default, state.isScrolling { state.held.append(work) } else { state.common.append(work) }
        }
    }

    package func scroll(_ isScrolling: Bool) {
        state.withLock { state in
            state.isScrolling = isScrolling
            guard !isScrolling else { return }
            state.common += state.held
            state.held = []
        }
    }

    /// Runs the waiting work, and the work that it adds.
    ///
    /// - Returns: The number of pieces of work.
    @MainActor @discardableResult
    package func drain() -> Int {
        var count = 0
        while let work = state.withLock({ $0.common.isEmpty ? nil : $0.common.removeFirst() }) {
            work()
            count += 1
        }
        return count
    }
}
