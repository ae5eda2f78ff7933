import ApusBackground
import ApusTesting
import ApusTimers
import Logging
import Testing

@testable import ApusLinux

/// Time that a test moves by hand.
private final class HandTime: Sendable {
    private struct State {
        var now = ContinuousInstant(nanoseconds: 1_000)
        var timers: [(due: ContinuousInstant, action: @Sendable () -> Void)] = []
    }

    private let state = Locked(State())

    var hostTime: HostTime {
        HostTime(
            now: { self.state.withLock { $0.now } },
            schedule: { delay, action in
                self.state.withLock { $0.timers.append((due: $0.now.advanced(by: delay), action: action)) }
                return {}
            })
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.timers.filter { $0.due <= state.now }.sorted { $0.due < $1.due }
            state.timers.removeAll { $0.due <= state.now }
            return due
        }
        for timer in due { timer.action() }
    }
}

@Suite("The Linux host")
struct LinuxHostTests {
    private let time = HandTime()
    private let host: LinuxHost
    private let signals: AsyncStream<TerminationSignal>
    private let send: AsyncStream<TerminationSignal>.Continuation

    init() {
        (signals, send) = AsyncStream.makeStream(of: TerminationSignal.self)
        host = LinuxHost(
            configuration: .init(gracePeriod: .seconds(30), expirationMargin: .seconds(4)),
            time: time.hostTime,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    @Test("without background tasks the first signal is the end, through background to terminated")
    func idle() async {
        let changes = host.phaseChanges
        #expect(host.phase == .active)
        #expect(host.backgroundTimeRemaining == nil)
        send.yield(.terminate)
        #expect(await host.run(signals: signals) == .completed)
        var seen: [Phase] = []
        for await phase in changes { seen.append(phase) }
        #expect(seen == [.background, .terminated])
        #expect(LinuxHost.Outcome.completed.exitCode == 0)
        #expect(throws: BackgroundError.self) { try host.beginBackgroundTask(named: "late") }
    }

    @Test("a background task keeps the process alive while the remaining time counts down")
    func keepsAlive() async throws {
        let task = try host.beginBackgroundTask(named: "upload")
        var changes = host.phaseChanges.makeAsyncIterator()
        async let outcome = host.run(signals: signals)
        send.yield(.interrupt)
        #expect(await changes.next() == .background)
        #expect(host.backgroundTimeRemaining == .seconds(30))
        time.advance(by: .seconds(10))
        #expect(host.backgroundTimeRemaining == .seconds(20))
        #expect(host.phase == .background)
        task.end()
        #expect(await outcome == .completed)
    }

    @Test("near the end the tasks expire, and one that winds up in time is not cut")
    func expires() async throws {
        let (expired, expire) = AsyncStream.makeStream(of: Void.self)
        let task = try host.beginBackgroundTask(named: "upload") { expire.finish() }
        var changes = host.phaseChanges.makeAsyncIterator()
        async let outcome = host.run(signals: signals)
        send.yield(.terminate)
        #expect(await changes.next() == .background)
        time.advance(by: .seconds(26))
        for await _ in expired {}
        #expect(await outcome == .completed)
        task.end()
    }

    @Test("a task that does not wind up is cut and named, and the exit code says so")
    func cuts() async throws {
        let (never, hold) = AsyncStream.makeStream(of: Void.self)
        defer { hold.finish() }
        let (expired, expire) = AsyncStream.makeStream(of: Void.self)
        let deaf = try host.beginBackgroundTask(named: "deaf") {
            expire.finish()
            for await _ in never {}
        }
        let good = try host.beginBackgroundTask(named: "good")
        var changes = host.phaseChanges.makeAsyncIterator()
        async let outcome = host.run(signals: signals)
        send.yield(.terminate)
        #expect(await changes.next() == .background)
        good.end()
        time.advance(by: .seconds(26))
        for await _ in expired {}
        #expect(throws: BackgroundError.self) { try host.beginBackgroundTask(named: "late") }
        time.advance(by: .seconds(4))
        #expect(host.backgroundTimeRemaining == .zero)
        #expect(await outcome == .cut(names: ["deaf"]))
        #expect(LinuxHost.Outcome.cut(names: ["deaf"]).exitCode == 75)
        deaf.end()
    }

    @Test("a second signal expires the tasks at once, a third one ends the run")
    func impatience() async throws {
        let (never, hold) = AsyncStream.makeStream(of: Void.self)
        defer { hold.finish() }
        let (expired, expire) = AsyncStream.makeStream(of: Void.self)
        let task = try host.beginBackgroundTask(named: "deaf") {
            expire.finish()
            for await _ in never {}
        }
        async let outcome = host.run(signals: signals)
        send.yield(.interrupt)
        send.yield(.interrupt)
        for await _ in expired {}
        #expect(host.backgroundTimeRemaining == .seconds(30))
        send.yield(.interrupt)
        #expect(await outcome == .cut(names: ["deaf"]))
        task.end()
    }

    @Test("a request to stop is a signal without a signal")
    func requestStop() async {
        send.finish()
        host.requestStop()
        #expect(await host.run(signals: signals) == .completed)
    }

    @Test("tasks that come and go while the process is active do not end it")
    func activeIdle() async throws {
        try host.beginBackgroundTask(named: "before").end()
        let task = try host.beginBackgroundTask(named: "later")
        var changes = host.phaseChanges.makeAsyncIterator()
        async let outcome = host.run(signals: signals)
        send.yield(.terminate)
        #expect(await changes.next() == .background)
        task.end()
        #expect(await outcome == .completed)
    }

    @Test("cancelling the run ends it and names what was open")
    func cancellation() async throws {
        let host = host
        let signals = signals
        let (never, hold) = AsyncStream.makeStream(of: Void.self)
        defer { hold.finish() }
        let task = try host.beginBackgroundTask(named: "open") { for await _ in never {} }
        let run = Task { await host.run(signals: signals) }
        run.cancel()
        #expect(await run.value == .cut(names: ["open"]))
        task.end()
    }

    @Test("the countdown runs on the engine's clock, and leaves no timer behind")
    func countsDownOnTheEngine() async throws {
        let time = VirtualTime()
        let host = LinuxHost(
            engine: time.engine,
            configuration: .init(gracePeriod: .seconds(10), expirationMargin: .seconds(4)),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        let (expired, expire) = AsyncStream.makeStream(of: Void.self)
        let task = try host.beginBackgroundTask(named: "upload") { expire.finish() }
        host.requestStop()
        var changes = host.phaseChanges.makeAsyncIterator()
        let signals = signals
        async let outcome = host.run(signals: signals)
        #expect(await changes.next() == .background)
        time.advance(by: .milliseconds(5_999))
        #expect(host.backgroundTimeRemaining == .milliseconds(4_001))
        time.advance(by: .milliseconds(1))
        for await _ in expired {}
        #expect(await outcome == .completed)
        #expect(time.pendingTimers == 0)
        task.end()
    }
}
