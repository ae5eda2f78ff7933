import ApusClient
import ApusTimers

/// Snapshots for `apus top`: one whenever an event says that something has changed, and none otherwise.
struct TopFeed: Sendable {
    enum News: Sendable {
        case snapshot(TopSnapshot)
        /// Why there are no snapshots for now.
        case trouble(String)
    }

    let client: DaemonClient
    private let clock = TimerClock.continuous()

    /// A snapshot is read at most four times a second, and takes at most a fifth of the time, however many jobs there are.
    private static let shortestPause: Duration = .milliseconds(250)
    private static let pauseFactor = 4
    /// The pauses between attempts to connect: doubled from the first up to the last.
    private static let reconnects: (first: Duration, last: Duration) = (.milliseconds(250), .seconds(8))

    init(client: DaemonClient) { self.client = client }

    /// Listens until the calling task is cancelled, also over restarts of the daemon. It starts no daemon.
    /// - Throws: `DaemonError` if the daemon refuses the caller; `CancellationError`.
    func run(_ yield: @escaping @Sendable (News) -> Void) async throws {
        var pause = Self.reconnects.first
        while true {
            let start = clock.now
            var reason = "the daemon has stopped"
            do {
                try await followConnection(yield)
            } catch let error as DaemonError {
                if [.invalid, .forbidden].contains(error.code) { throw error }
                reason = error.code == .notRunning ? "no daemon runs" : "\(error)"
            }
            if start.duration(to: clock.now) > Self.reconnects.last { pause = Self.reconnects.first }
            yield(.trouble("\(reason); connecting again"))
            try await clock.sleep(until: clock.now.advanced(by: pause), tolerance: nil)
            pause = min(pause * 2, Self.reconnects.last)
        }
    }

    /// Listens and reads until the daemon ends the connection, or either of the two fails: then a snapshot is missing, and
    /// the next connection begins with one.
    private func followConnection(_ yield: @escaping @Sendable (News) -> Void) async throws {
        // Changes during a pause are one change.
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await read(changes, yield) }
            group.addTask {
                try await client.listen { event in
                    // Output changes nothing that is shown, and a command may print all the time.
                    if event.map({ ["job", "run", "clock", "lost"].contains($0.name) }) ?? true {
                        continuation.yield()
                    }
                    return true
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func read(_ changes: AsyncStream<Void>, _ yield: @Sendable (News) -> Void) async throws {
        for await _ in changes {
            let start = clock.now
            yield(.snapshot(try await TopSnapshot.read(client)))
            let pause = max(Self.shortestPause, start.duration(to: clock.now) * Self.pauseFactor)
            try await clock.sleep(until: clock.now.advanced(by: pause), tolerance: nil)
        }
    }
}
