#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import ApusBackground
    import ApusTimers

    /// Calls the observers of phases before UIKit's notification returns, and not in a later turn of the main loop.
    ///
    /// When the app has said that it entered the background, the system may suspend it; when it was notified of its
    /// termination, it does. What an observer saves has to be saved before: it has the time that UIKit's own methods
    /// have, about 5 s (Apple,
    /// developer.apple.com/documentation/uikit/uiapplicationdelegate/applicationdidenterbackground(_:)).
    final class PhaseLoop: MainLoop {
        private let waiting = Locked<[@MainActor @Sendable () -> Void]>([])

        /// Keeps `work` for the next ``flush()``. There is one after each change of the phase.
        func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
            waiting.withLock { $0.append(work) }
        }

        /// Runs what waits, and what comes of it.
        @MainActor func flush() {
            while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
        }
    }
#endif
