import ApusBackground
import ApusVirtualTime
import Logging

@testable import ApusTimers

/// A host in virtual time that does what a test prescribes, and counts background tasks.
///
/// Its main loop is run by hand, so a test is synchronous and on the main actor:
///
/// ```swift
/// let host = ScriptedHost()
/// host.pressHome(remaining: .seconds(30))
/// host.advance(by: .seconds(26))
/// host.expire()
/// ```
final class ScriptedHost: BackgroundHost {
    /// What has become of the background tasks.
    struct Claims {
        var begun = 0
        var ended = 0
        var refused = 0
        var expired = 0
        /// Those that were ended only by the release of their last reference.
        var faults = 0
        var open: [Int: BackgroundTaskRequest] = [:]
    }

    private struct State {
        var remaining: Duration?
        var refuses = false
        var boot: String? = "boot 1"
        var claims = Claims()
    }

    let time: VirtualTime
    let loop = HandLoop()
    private let phases: Broadcast<Phase>
    private let device = Broadcast(DeviceConditions())
    private let state = Locked(State())

    init(_ time: VirtualTime = VirtualTime(), phase: Phase = .active, boot: String? = "boot 1") {
        self.time = time
        phases = Broadcast(phase, mainLoop: loop)
        state.withLock { $0.boot = boot }
    }

    var phase: Phase { phases.value }
    func phaseChanges() -> PhaseChanges { phases.changes() }
    var backgroundTimeRemaining: Duration? { state.withLock { $0.remaining } }
    var waitsForExpiredTasks: Bool { false }
    var conditions: DeviceConditions { device.value }
    func conditionChanges() -> Changes<DeviceConditions> { device.changes() }
    var engine: TimerEngine { time.engine }
    var mainLoop: any MainLoop { loop }
    var bootID: String? { state.withLock { $0.boot } }
    var claims: Claims { state.withLock { $0.claims } }

    func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> Observation {
        phases.observe(observer)
    }

    func start(_ work: @escaping @Sendable () async -> Void) { time.start(work) }

    func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask {
        let number = state.withLock { state -> Int? in
            guard !state.refuses else {
                state.claims.refused += 1
                return nil
            }
            state.claims.begun += 1
            state.claims.open[state.claims.begun] = request
            return state.claims.begun
        }
        guard let number else {
            mainLoop.run(request.onExpiration)
            throw BackgroundError(code: .tooLate, message: "“\(request.name)” came too late")
        }
        let logger = Logger(label: "test") { _ in FaultCounter(host: self) }
        return BackgroundTask(request, logger: logger) { [self] in end(number) }
    }

    private func end(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.claims.open.removeValue(forKey: number) != nil else { return false }
            state.claims.ended += 1
            return true
        }
    }

    fileprivate func countFault() { state.withLock { $0.claims.faults += 1 } }

    // MARK: The script

    /// Whether background tasks are refused from now on.
    func refuse(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

    func pressHome(remaining: Duration? = .seconds(30)) {
        state.withLock { $0.remaining = remaining }
        phases.set(.inactive)
        phases.set(.background)
    }

    func open() {
        state.withLock { state in
            state.remaining = nil
            state.refuses = false
        }
        phases.set(.inactive)
        phases.set(.active)
    }

    /// The time in the background is over: all handlers in one pass on the main loop, then nothing is granted.
    func expire() {
        let open = state.withLock { state in
            state.refuses = true
            state.remaining = .seconds(4)
            state.claims.expired += state.claims.open.count
            return state.claims.open.sorted { $0.key < $1.key }
        }
        for (number, request) in open {
            mainLoop.run { [self] in
                request.onExpiration()
                if request.endsOnExpiration { _ = end(number) }
            }
        }
    }

    /// Runs everything that can run now.
    @MainActor func settle() {
        repeat { time.settle() } while loop.drain() > 0
    }

    /// Lets time pass, and runs the main loop after each step.
    @MainActor func advance(by duration: Duration, step: Duration = .milliseconds(500)) {
        settle()
        var left = duration
        while left > .zero {
            time.advance(by: min(step, left))
            left -= step
            settle()
        }
    }
}

/// A main loop that a test runs. While the user scrolls, work in `default` mode waits.
final class HandLoop: MainLoop {
    private typealias Work = @MainActor @Sendable () -> Void

    private struct State {
        var common: [Work] = []
        var isScrolling = false
        var held: [Work] = []
    }

    private let state = Locked(State())

    func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { state in
            if mode == .default, state.isScrolling { state.held.append(work) } else { state.common.append(work) }
        }
    }

    func scroll(_ isScrolling: Bool) {
        state.withLock { state in
            state.isScrolling = isScrolling
            guard !isScrolling else { return }
            state.common += state.held
            state.held = []
        }
    }

    /// Runs what waits, and what that adds; gives how much that was.
    @MainActor @discardableResult
    func drain() -> Int {
        var count = 0
        while let work = state.withLock({ $0.common.isEmpty ? nil : $0.common.removeFirst() }) {
            work()
            count += 1
        }
        return count
    }
}

/// Counts what is logged: a background task that was not ended is.
private struct FaultCounter: LogHandler {
    let host: ScriptedHost
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { host.countFault() }
}
