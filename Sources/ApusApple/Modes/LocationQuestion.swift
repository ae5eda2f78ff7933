#if os(iOS) || os(Linux)
    import ApusBackground
    import ApusTimers

    /// Waits for the user's answer to a question that the system may not ask.
    ///
    /// While the question is on the screen the app is inactive. So one that has been active for a while has not been asked,
    /// or has been and the answer changed nothing: of both the system says nothing.
    @MainActor
    final class LocationQuestion {
        private static let patience = Duration.seconds(2)

        private let host: any BackgroundHost
        private var continuation: UnsafeContinuation<Void, Never>?
        private var timer: ScheduledTimer?
        private var observation: Observation?

        nonisolated init(host: any BackgroundHost) { self.host = host }

        /// - Parameter ask: Asks, and calls what it is given when there is an answer.
        nonisolated func ask(
            _ ask: @escaping @MainActor @Sendable (_ answered: @escaping @MainActor @Sendable () -> Void) -> Void
        ) async {
            await withUnsafeContinuation { continuation in
                host.mainLoop.run { [self] in
                    self.continuation = continuation
                    observation = host.observePhase { [self] phase in if phase == .active { wait() } }
                    wait()
                    ask { [self] in finish() }
                }
            }
        }

        private func wait() {
            timer?.cancel()
            timer = host.engine.schedule(after: Self.patience) { [self] in
                host.mainLoop.run { [self] in
                    // In any other phase, the next one that is active waits again.
                    if host.phase == .active { finish() }
                }
            }
        }

        private func finish() {
            timer?.cancel()
            (timer, observation) = (nil, nil)
            continuation.take()?.resume()
        }
    }
#endif
