public import ApusTimers
import Dispatch
import Synchronization

/// Time that a test moves by hand: three clocks, an engine on them, and an executor whose jobs run on demand.
///
/// Everything runs on the calling thread, in a total order: first jobs of the ``executor``, first in first out; then
/// timers of the ``engine`` by (deadline, order of scheduling). The clocks stand at a timer's instant before its action
/// runs. A test may be an ordinary synchronous function:
///
/// ```swift
/// let time = VirtualTime()
/// time.engine.schedule(after: .seconds(3)) { print("three") }
/// time.advance(by: .seconds(3))   // prints "three"
/// ```
///
/// One thread at a time may drive it; work that runs in it must not. What sleeps by other means than the engine
/// (the standard clocks, Dispatch) does not follow it.
public final class VirtualTime: TimeSource {
    /// An engine that runs on these clocks.
    public let engine: TimerEngine
    /// Runs Swift tasks in virtual time; see ``start(_:)``.
    public let executor: VirtualExecutor

    package let clocks: VirtualClocks
    private let wakeup: VirtualWakeup
    private let processes = Locked<[VirtualProcess]>([])
    private let processChanges = Atomic(0)
    /// The processes and the change that they are of, for the thread that drives time: a step takes no lock.
    ///
    /// For `nonisolated(unsafe)`: ``drive(_:)`` admits one thread at a time.
    private nonisolated(unsafe) var stepped: (change: Int, processes: [VirtualProcess]) = (0, [])
    private let isDriven = Atomic(false)
    /// Where ``advance(by:)`` goes to; 0 when time stands still.
    private let reach = Atomic<UInt64>(0)
    private let unfinishedTasks = TaskCounter()
    private let work = Atomic(0)

    /// How many pieces of work have run so far.
    var workCount: Int { work.load(ordering: .relaxed) }

    /// Clocks at the given instants (an hour of uptime, 2026-01-01T00:00:00Z), with no sleep so far.
    public init(
        uptime: UptimeInstant = UptimeInstant(nanoseconds: 3_600_000_000_000),
        wall: WallInstant = WallInstant(secondsSince1970: 1_767_225_600)
    ) {
        let executor = VirtualExecutor()
        let signal = executor.signal
        clocks = VirtualClocks(uptime: uptime, wall: wall)
        wakeup = VirtualWakeup(clocks: clocks) { signal.signal() }
        engine = TimerEngine(time: wakeup, wakeup: wakeup)
        self.executor = executor
    }

    // Sleeping tasks end with `CancellationError`, and what they do then still runs.
    deinit {
        for process in processes.withLock({ $0 }) { process.end() }
        engine.stop()
        while executor.runOne() {}
    }

    // MARK: Reading

    /// A `Clock` for code that takes one: its sleeps end when a test moves the time.
    ///
    /// It is the continuous clock, as everywhere in Apus where no clock is named; `TimerClock.uptime(engine:)` and
    /// `TimerClock.wall(engine:)` make the others of the ``engine``.
    public var clock: TimerClock<ContinuousInstant> { .continuous(engine: engine) }

    /// Time since boot without machine sleep.
    public func uptime() -> UptimeInstant { clocks.uptime() }
    /// Time since boot with machine sleep.
    public func continuous() -> ContinuousInstant { clocks.continuous() }
    /// The time of day.
    public func wall() -> WallInstant { clocks.wall() }

    /// Timers that have neither started nor been cancelled, sleeps included.
    public var pendingTimerCount: Int { engine.liveTimerCount }

    /// What is still there, in words: timers, tasks, jobs. Empty at the end of a tidy test.
    public var leaks: [String] {
        [
            (engine.liveTimerCount, "timers are live"),
            (unfinishedTasks.value, "started tasks are not finished"),
            (executor.pendingJobs, "jobs wait for the executor"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }

    // MARK: Moving

    /// Runs everything that can run at this instant.
    public func settle() { drive { runAllRunnable() } }

    /// Lets `duration` pass: settles, moves to the next deadline, and so on; ends settled, exactly `duration` later on
    /// every clock. Zero and negative durations only settle.
    public func advance(by duration: Duration) {
        let target = uptime().advanced(by: max(.zero, duration))
        drive { while !stepOnce(towards: target) {} }
    }

    /// Settles, moves to the engine's next wake-up and settles again. False, without moving, when there is none.
    ///
    /// That is the earliest deadline + tolerance; timers whose deadline has come by then fire with it.
    @discardableResult
    public func advanceToNextDeadline() -> Bool {
        drive {
            runAllRunnable()
            return step()
        }
    }

    /// Moves from deadline to deadline until no timer is left. Never returns while a repeating timer runs.
    public func advanceToLastDeadline() {
        drive {
            runAllRunnable()
            while step() {}
        }
    }

    /// Sets the wall clock, as a person or network time does; the engine is notified. The other clocks do not move.
    public func setWallClock(_ instant: WallInstant) {
        drive {
            changeWall(to: instant)
            runAllRunnable()
        }
    }

    private func changeWall(to instant: WallInstant) {
        clocks.setWallClock(instant)
        wakeup.reportWallClockChange()
        for process in steppedProcesses { process.reportWallClockChange() }
    }

    /// Moves the wall clock forth or (negative) back; otherwise like ``setWallClock(_:)``.
    public func moveWallClock(by duration: Duration) { setWallClock(wall().advanced(by: duration)) }

    /// The machine sleeps for `duration`: nothing runs, the continuous and the wall clock count, uptime stands still.
    /// Afterwards everything that fell due meanwhile runs, as after a real sleep.
    public func sleepMachine(for duration: Duration) {
        drive {
            runAllRunnable()
            clocks.move(asleep: true) { UInt64(max(0, duration.wholeNanoseconds)) }
            runAllRunnable()
        }
    }

    // MARK: Swift tasks

    /// Starts a task on the ``executor``. It begins with the next call that moves or settles.
    @discardableResult
    public func start<Success: Sendable>(
        _ work: @escaping @Sendable () async throws -> Success
    ) -> Task<Success, any Error> {
        let unfinishedTasks = unfinishedTasks
        unfinishedTasks.add(1)
        return Task(executorPreference: executor) {
            defer { unfinishedTasks.add(-1) }
            return try await work()
        }
    }

    /// Runs asynchronous work to its end, without letting time pass unless `advancingTime`.
    ///
    /// - Throws: What the work throws; ``VirtualTimeError`` with `stuck` when it waits and nothing can run (with
    ///   `advancingTime`: and no deadline is left). The work is cancelled then.
    public func perform<Success: Sendable>(
        advancingTime: Bool = false, _ work: @escaping @Sendable () async throws -> Success
    ) throws -> Success {
        let outcome = Outcome<Success>()
        let task = start { await outcome.run(work) }
        return try drive {
            while true {
                runAllRunnable()
                if let result = outcome.value { return try result.get() }
                if advancingTime, step() { continue }
                let error = stuck(advancingTime: advancingTime)
                task.cancel()
                runAllRunnable()
                throw error
            }
        }
    }

    /// Runs asynchronous work to its end, blocking the calling thread while other threads have something to do for it:
    /// a database's queue, a process, a socket. Time does not pass.
    ///
    /// - Parameters:
    ///   - timeout: How much real time may pass without an end.
    ///   - work: The work.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws; ``VirtualTimeError`` with `timedOut`. The work is cancelled then.
    public func perform<Success: Sendable>(
        waitingForForeignWork timeout: Duration, _ work: @escaping @Sendable () async throws -> Success
    ) throws -> Success {
        let outcome = Outcome<Success>()
        let task = start { await outcome.run(work) }
        do {
            return try wait(timeout: timeout) { outcome.value }.get()
        } catch let error as VirtualTimeError where error.code == .timedOut {
            task.cancel()
            settle()
            throw error
        }
    }

    /// Runs what becomes runnable, blocking the calling thread for other threads' work, until `condition` holds. Time
    /// does not pass. The condition is looked at after each piece of work that reaches the executor or the engine.
    ///
    /// - Throws: ``VirtualTimeError`` with `timedOut` after that much real time.
    public func settle(waitingForForeignWork timeout: Duration, until condition: () -> Bool) throws {
        try wait(timeout: timeout) { condition() ? () : nil }
    }

    private func wait<Value>(timeout: Duration, for value: () -> Value?) throws -> Value {
        let real = SystemTime()
        let deadline = real.continuous().advanced(by: timeout)
        return try drive {
            while true {
                runAllRunnable()
                if let value = value() { return value }
                let left = real.continuous().duration(to: deadline)
                // A condition can change without the executor's knowledge, hence the upper limit.
                let slice = min(left, .milliseconds(10)).wholeNanoseconds
                if slice > 0 {
                    _ = executor.signal.wait(timeout: .now() + DispatchTimeInterval.nanoseconds(Int(slice)))
                    continue
                }
                throw VirtualTimeError(
                    code: .timedOut,
                    message: "what was awaited did not happen within \(timeout) of real time; look for work that is "
                        + "never resumed, or that waits for virtual time to pass (\(inventory))"
                )
            }
        }
    }

    // MARK: The step loop

    private func runAllRunnable() {
        while runNext() {}
    }

    private func runNext() -> Bool {
        guard executor.runOne() || wakeup.wakeIfDue() || runProcesses() else { return false }
        work.store(workCount &+ 1, ordering: .relaxed)
        return true
    }

    /// In the order in which they were started; after each piece of work the system is looked at again.
    private func runProcesses() -> Bool {
        for process in steppedProcesses where process.runOne() { return true }
        return false
    }

    private var steppedProcesses: [VirtualProcess] {
        let change = processChanges.load(ordering: .acquiring)
        if change != stepped.change { stepped = (change, processes.withLock { $0 }) }
        return stepped.processes
    }

    /// How long until something falls due; nil when nothing ever will.
    package var untilNextDeadline: UInt64? { drive { nextStep } }

    private var nextStep: UInt64? {
        var earliest = wakeup.untilNextDeadline
        for process in steppedProcesses {
            if let other = process.untilNextDeadline { earliest = min(earliest ?? .max, other) }
        }
        return earliest
    }

    /// How far a process of the operating system may run by itself: nothing else is due in between, and
    /// ``advance(by:)`` goes at least as far.
    package func freeTime(for companion: any SteppedProcess) -> UInt64 {
        let (now, reach) = (clocks.uptime().nanoseconds, reach.load(ordering: .relaxed))
        guard reach > now, executor.pendingJobs == 0 else { return 0 }
        return steppedProcesses.reduce(min(reach - now, wakeup.untilNextDeadline ?? .max)) { free, process in
            process.isRunnable ? 0 : min(free, process.untilNextDeadline(besides: companion) ?? .max)
        }
    }

    private func step() -> Bool {
        guard clocks.move(by: { nextStep }) != nil else { return false }
        runAllRunnable()
        return true
    }

    /// Settles, then moves to the next deadline, but not beyond `target`. True when that is reached and all is settled.
    private func stepOnce(towards target: UptimeInstant) -> Bool {
        reach.store(target.nanoseconds, ordering: .relaxed)
        defer { reach.store(0, ordering: .relaxed) }
        runAllRunnable()
        let now = clocks.uptime()
        // Work that takes its time has moved the clocks, perhaps beyond the target.
        guard now < target else { return true }
        let left = target.nanoseconds - now.nanoseconds
        var arrives = false
        clocks.move {
            let step = nextStep ?? .max
            arrives = step > left
            return min(step, left)
        }
        if arrives { runAllRunnable() }
        return arrives
    }

    private func drive<Result>(_ body: () throws -> Result) rethrows -> Result {
        let wasDriven = isDriven.exchange(true, ordering: .acquiringAndReleasing)
        precondition(
            !wasDriven,
            "virtual time is moved by one thread at a time, and not by work that runs in it: "
                + "start a task or schedule a timer there"
        )
        defer { isDriven.store(false, ordering: .releasing) }
        return try body()
    }

    private func stuck(advancingTime: Bool) -> VirtualTimeError {
        let remedy =
            advancingTime || engine.liveTimerCount == 0
            ? "it waits for something that never happens; for work of other threads use perform(waitingForForeignWork:)"
            : "it may wait for time to pass: use start and advance(by:), or perform(advancingTime: true)"
        return VirtualTimeError(
            code: .stuck, message: "the work is not finished and nothing is runnable; \(remedy) (\(inventory))"
        )
    }

    // MARK: Processes

    /// A process that runs after the system, and after those that were started before it.
    package func startProcess(boot: BootReading = BootReading()) -> VirtualProcess {
        let signal = executor.signal
        let process = VirtualProcess(clocks: clocks, boot: boot) { signal.signal() }
        change { $0.append(process) }
        return process
    }

    /// Ends a process and forgets it.
    package func end(_ process: VirtualProcess) {
        change { $0.removeAll { $0 === process } }
        process.end()
    }

    private func change(_ body: (inout [VirtualProcess]) -> Void) {
        processes.withLock { body(&$0) }
        processChanges.add(1, ordering: .acquiringAndReleasing)
    }

    /// Work that is running takes that long: the clocks move, and nothing else runs meanwhile.
    package func pass(_ nanoseconds: UInt64) { clocks.move { nanoseconds } }

    /// One step of ``advance(by:)``, for those who have something to do between two steps.
    package func step(towards target: UptimeInstant) -> Bool { drive { stepOnce(towards: target) } }

    /// Whether there is anything that ``settle()`` would run.
    package var isRunnable: Bool {
        drive { executor.pendingJobs > 0 || nextStep == 0 || steppedProcesses.contains { $0.isRunnable } }
    }

    /// Runs one piece of work that can run at this instant. False when there is none.
    @discardableResult
    package func runOne() -> Bool { drive { runNext() } }

    /// Moves the clocks to the next deadline, but not beyond `limit`, and runs nothing.
    /// - Returns: whether there was one.
    @discardableResult
    package func moveToNextDeadline(within limit: Duration) -> Bool {
        drive {
            let step = clocks.move {
                nextStep.flatMap { $0 <= UInt64(max(0, limit.wholeNanoseconds)) ? $0 : nil }
            }
            return step != nil
        }
    }

    /// Moves the wall clock, and runs nothing.
    package func moveWallOnly(by duration: Duration) { drive { changeWall(to: wall().advanced(by: duration)) } }

    /// The machine has slept for that long; nothing has run since.
    package func sleepOnly(for duration: Duration) {
        _ = drive { clocks.move(asleep: true) { UInt64(max(0, duration.wholeNanoseconds)) } }
    }

    private var inventory: String {
        let leaks = leaks
        return leaks.isEmpty ? "nothing is pending" : leaks.joined(separator: ", ")
    }
}

/// The result of a task, for a thread that cannot await.
private final class Outcome<Success: Sendable>: Sendable {
    private let result = Locked<Result<Success, any Error>?>(nil)

    var value: Result<Success, any Error>? { result.withLock { $0 } }

    func run(_ work: @Sendable () async throws -> Success) async {
        let value: Result<Success, any Error>
        do { value = .success(try await work()) } catch { value = .failure(error) }
        result.withLock { $0 = value }
    }
}

/// Why a test in virtual time cannot continue.
public struct VirtualTimeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case stuck, timedOut }
        private let kind: Kind

        /// The work waits, nothing is runnable, and no step that was allowed would change that.
        public static var stuck: Code { Code(kind: .stuck) }
        /// Foreign work did not come back in the real time that was allowed.
        public static var timedOut: Code { Code(kind: .timedOut) }

        /// The name of the code, for logs.
        public var description: String { kind.rawValue }
    }

    /// The kind of error, for programs.
    public let code: Code
    /// What is awaited, and what to do about it.
    public let message: String

    /// An error with a code and a message that says what to do.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
