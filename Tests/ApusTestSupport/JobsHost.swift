package import ApusBackground
package import ApusTimers
package import ApusVirtualTime
import Logging

/// A host in virtual time whose phase, conditions and background tasks a test scripts. Its main loop is run by
/// ``settle()``.
package final class JobsHost: BackgroundHost {
    private struct State {
        var remaining: Duration?
        var refuses = false
        var begunClaims = 0
        var open: [Int: BackgroundTaskRequest] = [:]
        var diary: [String] = []
        var faults = 0
        var conditionsWhenFollowed: DeviceConditions?
        var readings = 0
    }

    package let time: VirtualTime
    package let waitsForExpiredTasks: Bool
    package let bootID: String?
    private let loop = JobsLoop()
    private let phases: Broadcast<Phase>
    private let device: Broadcast<DeviceConditions>
    private let state = Locked(State())

    package init(
        _ conditions: DeviceConditions = DeviceConditions(), phase: Phase = .active, waitsForExpiredTasks: Bool = true,
        bootID: String? = "boot 1", time: VirtualTime = VirtualTime()
    ) {
        self.time = time
        self.waitsForExpiredTasks = waitsForExpiredTasks
        self.bootID = bootID
        phases = Broadcast(phase, mainLoop: loop)
        device = Broadcast(conditions)
    }

    package var phase: Phase { phases.value }
    package func phaseChanges() -> PhaseChanges { phases.changes() }
    package var backgroundTimeRemaining: Duration? { state.withLock { $0.remaining } }
    package var conditions: DeviceConditions {
        state.withLock { $0.readings += 1 }
        return device.value
    }
    package func conditionChanges() -> Changes<DeviceConditions> {
        if let unseen = state.withLock({ $0.conditionsWhenFollowed }) { device.set(unseen) }
        return device.changes()
    }
    package var engine: TimerEngine { time.engine }
    package var mainLoop: any MainLoop { loop }

    package func observePhase(_ observer: @escaping @MainActor @Sendable (Phase) -> Void) -> Observation {
        phases.observe(observer)
    }

    package func start(_ work: @escaping @Sendable () async -> Void) { time.start(work) }

    package func beginBackgroundTask(_ request: BackgroundTaskRequest) throws(BackgroundError) -> BackgroundTask {
        let number = state.withLock { state -> Int? in
            guard !state.refuses else { return nil }
            state.begunClaims += 1
            state.open[state.begunClaims] = request
            return state.begunClaims
        }
        guard let number else {
            mainLoop.run(request.onExpiration)
            throw BackgroundError(code: .tooLate, message: "“\(request.name)” came too late")
        }
        let logger = Logger(label: "test") { _ in FaultCounter(host: self) }
        return BackgroundTask(request, logger: logger) { [self] in end(number) }
    }

    fileprivate func countFault() { state.withLock { $0.faults += 1 } }

    private func end(_ number: Int) -> Bool {
        state.withLock { $0.open.removeValue(forKey: number) != nil }
    }

    // MARK: The script

    /// The names of the open background tasks.
    package var claims: [String] { state.withLock { $0.open.sorted { $0.key < $1.key }.map(\.value.name) } }
    package var begunClaims: Int { state.withLock { $0.begunClaims } }
    /// Background tasks that were dropped without an end.
    package var faults: Int { state.withLock { $0.faults } }
    /// Whether the conditions or the phase are followed.
    package var isFollowed: (conditions: Bool, phase: Bool) { (device.hasListeners, phases.hasListeners) }

    /// How often the conditions were looked at.
    package var readings: Int { state.withLock { $0.readings } }

    /// The device is like this from now on; for tests that run the time themselves.
    package func become(_ conditions: DeviceConditions) { device.set(conditions) }

    /// The conditions change between the last look at them and the moment when they are followed.
    package func changeUnseen(to conditions: DeviceConditions) {
        state.withLock { $0.conditionsWhenFollowed = conditions }
    }

    package func refuse(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

    @MainActor package func set(_ conditions: DeviceConditions) {
        device.set(conditions)
        settle()
    }

    @MainActor package func change(_ change: (inout DeviceConditions) -> Void) {
        var conditions = device.value
        change(&conditions)
        set(conditions)
    }

    @MainActor package func enter(_ phase: Phase, remaining: Duration? = nil) {
        state.withLock { $0.remaining = remaining }
        phases.set(phase)
        settle()
    }

    /// The time in the background is over: handlers run, and nothing more is granted.
    @MainActor package func expireClaims() {
        let open = state.withLock { state in
            state.refuses = true
            return state.open.sorted { $0.key < $1.key }
        }
        for (number, request) in open {
            mainLoop.run { [self] in
                request.onExpiration()
                if request.endsOnExpiration { _ = end(number) }
            }
        }
        settle()
    }

    /// Runs everything that can run now.
    @MainActor package func settle() {
        repeat { time.settle() } while loop.drain() > 0
    }

    /// Lets time pass in steps, and runs the main loop after each.
    @MainActor package func advance(by duration: Duration, step: Duration = .seconds(1)) {
        settle()
        var left = duration
        while left > .zero {
            time.advance(by: min(step, left))
            left -= step
            settle()
        }
    }

    // MARK: The diary

    /// Whole seconds since the beginning of the test.
    package var second: Int64 {
        time.uptime().nanoseconds.subtractingReportingOverflow(3_600_000_000_000).partialValue.seconds
    }
    package var diary: [String] { state.withLock { $0.diary } }

    package func note(_ text: String) {
        let second = second
        state.withLock { $0.diary.append("\(second) \(text)") }
    }
}

extension UInt64 {
    fileprivate var seconds: Int64 { Int64(self / 1_000_000_000) }
}

private final class JobsLoop: MainLoop {
    private let waiting = Locked<[@MainActor @Sendable () -> Void]>([])

    func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        waiting.withLock { $0.append(work) }
    }

    @MainActor func drain() -> Int {
        var count = 0
        while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            work()
            count += 1
        }
        return count
    }
}

/// Counts what is logged: a background task that was not ended is.
private struct FaultCounter: LogHandler {
    let host: JobsHost
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { host.countFault() }
}
