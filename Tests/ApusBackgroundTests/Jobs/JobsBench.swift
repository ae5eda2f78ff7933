import ApusTestSupport
import ApusVirtualTime
import Logging

@testable import ApusBackground
@testable import ApusTimers

/// A scripted host with background jobs.
///
/// The jobs' handlers write into the host's diary. They end when the test requests it, or when they are cancelled.
@MainActor
struct JobsBench {
    let host: TestHost
    let jobs: HostBackgroundJobs
    private let work = Work()

    /// Creates the bench; the spread is zero unless `configure` sets one.
    init(
        _ conditions: DeviceConditions = DeviceConditions(), host: TestHost? = nil,
        store: (any RecordStore)? = nil, seed: UInt64 = 1, logger: Logger = .silent,
        _ configure: (inout HostBackgroundJobs.Configuration) -> Void = { _ in }
    ) throws {
        let host = host ?? TestHost(conditions)
        var configuration = HostBackgroundJobs.Configuration(spread: .zero)
        configure(&configuration)
        let random = SeededRandom(seed: seed)
        self.host = host
        jobs =
            if let store {
                try HostBackgroundJobs(
                    host: host, store: store, configuration: configuration, random: random, logger: logger)
            } else {
                HostBackgroundJobs(host: host, configuration: configuration, random: random, logger: logger)
            }
    }

    var diary: [String] { host.diary }

    /// Registers a handler that runs until ``finish(_:throwing:)``.
    func register(_ identifiers: String..., then: @escaping BackgroundJobHandler = { _ in }) throws {
        for identifier in identifiers {
            try jobs.register(identifier) { [host, work] run in
                host.note("\(identifier) begins")
                await work.untilFinished(identifier, run)
                if Task.isCancelled { host.note("\(identifier) is cancelled") }
                try await then(run)
            }
        }
        host.settle()
    }

    func submit(
        _ identifier: String, _ kind: BackgroundJobRequest.Kind = .refresh, in delay: Duration? = nil
    ) throws {
        let earliest = delay.map { host.time.wall().advanced(by: $0) }
        try submit(BackgroundJobRequest(identifier, kind, earliestBegin: earliest))
    }

    func submit(_ request: BackgroundJobRequest) throws {
        defer { host.settle() }
        try host.time.perform { [jobs] in try await jobs.submit(request) }
    }

    func cancel(_ identifier: String) throws {
        try host.time.perform { [jobs] in await jobs.cancel(identifier) }
        host.settle()
    }

    func cancelAll() throws {
        try host.time.perform { [jobs] in await jobs.cancelAll() }
        host.settle()
    }

    func pending() throws -> [String] {
        try host.time.perform { [jobs] in await jobs.pending().map(\.identifier) }
    }

    func simulateLaunch(_ identifier: String) throws {
        defer { host.settle() }
        try host.time.perform { [jobs] in try await jobs.simulateLaunch(identifier) }
    }

    func simulateExpiration(_ identifier: String) throws {
        defer { host.settle() }
        try host.time.perform { [jobs] in try await jobs.simulateExpiration(identifier) }
    }

    func running() -> [String] { jobs.running().map(\.request.identifier) }

    func run(_ identifier: String) -> BackgroundJobRun? { work.runs.withLock { $0[identifier]?.run } }

    func finish(_ identifier: String) {
        work.finish(identifier)
        host.settle()
    }

    /// Returns the code of the error with which an attempt was refused; `nil` if it succeeded.
    func code(_ attempt: () throws -> Void) -> BackgroundJobError.Code? {
        do {
            try attempt()
            return nil
        } catch {
            return (error as? BackgroundJobError)?.code
        }
    }

    /// Whether no timer, background task or observer is left, as must be the case without requests and runs.
    var isTidy: Bool {
        host.time.leaks.isEmpty && host.openTasks.isEmpty && host.faultCount == 0 && !host.isFollowed.conditions
            && !host.isFollowed.phase
    }
}

private final class Work: Sendable {
    struct Standing {
        let run: BackgroundJobRun
        let end: AsyncStream<Never>.Continuation
    }

    let runs = Locked<[String: Standing]>([:])

    func untilFinished(_ identifier: String, _ run: BackgroundJobRun) async {
        let (stream, end) = AsyncStream.makeStream(of: Never.self)
        runs.withLock { $0[identifier] = Standing(run: run, end: end) }
        for await _ in stream {}
    }

    func finish(_ identifier: String) { runs.withLock { $0[identifier] }?.end.finish() }
}
