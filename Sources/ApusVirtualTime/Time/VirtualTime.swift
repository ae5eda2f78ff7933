public import ApusTimers
import Dispatch
import Synchronization

/// Time that a test moves by hand: three clocks, an engine on them, and an executor whose jobs run on demand.
///
/// Everything runs on the calling thread, in a total order: first the jobs of the ``executor``, first in, first out;
/// then the timers of the ``engine``, by deadline and then by the order of scheduling. The clocks stand at a timer's
/// instant before its action runs. A test may be an ordinary synchronous function:
///
/// ```swift
/// let time = VirtualTime()
/// time.engine.schedule(after: .seconds(3)) { print("three") }
/// time.advance(by: .seconds(3))   // prints "three"
/// ```
///
/// Only one thread at a time may move the time, and work that runs in virtual time must not move it. Sleeps and timers
/// that do not use the engine (those of the standard clocks or of Dispatch) do not follow virtual time.
public final class VirtualTime: TimeSource {
    /// The engine that runs on these clocks.
    public let engine: TimerEngine
    /// The executor that runs Swift tasks in virtual time; see ``start(_:)``.
    public let executor: VirtualExecutor

    package let clocks: VirtualClocks
    private let wakeup: VirtualWakeup
    private let processes = Locked<[VirtualProcess]>([])
    private let processChanges = Atomic(0)
    /// A copy of the processes, and the number of the change after which it was made.
    ///
    /// The thread that drives time reads this copy, so it takes the lock of `processes` only after a change.
    ///
    /// For `nonisolated(unsafe)`: ``drive(_:)`` admits one thread at a time.
    private nonisolated(unsafe) var stepped: (change: Int, processes: [VirtualProcess]) = (0, [])
    private let isDriven = Atomic(false)
    /// The target of ``advance(by:)``, in nanoseconds of uptime; 0 when time stands still.
    private let reach = Atomic<UInt64>(0)
    private let unfinishedTasks = TaskCounter()
    private let work = Atomic(0)

    /// The number of pieces of work that have run so far.
    var workCount: Int { work.load(ordering: .relaxed) }

    /// Creates clocks that stand at the given instants, on a machine that has not slept since boot.
    ///
    /// By default, the uptime is an hour and the wall clock stands at 2026-01-01T00:00:00Z.
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

    // Sleeping tasks end with `CancellationError`; the work that this causes still runs.
    deinit {
        for process in processes.withLock({ $0 }) { process.end() }
        engine.stop()
        while executor.runOne() {}
    }

    // MARK: Reading

    /// A `Clock` whose sleeps end when a test moves the time, for code that takes a clock.
    ///
    /// It is the continuous clock, the default of Apus where no clock is named; `TimerClock.uptime(engine:)` and
    /// `TimerClock.wall(engine:)` create the other clocks of the ``engine``.
    public var clock: TimerClock<ContinuousInstant> { .continuous(engine: engine) }

    /// The time since boot without the machine's sleep.
    public func uptime() -> UptimeInstant { clocks.uptime() }
    /// The time since boot with the machine's sleep.
    public func continuous() -> ContinuousInstant { clocks.continuous() }
    /// The time of day.
    public func wall() -> WallInstant { clocks.wall() }

    /// The number of timers that have neither started nor been cancelled, including sleeps.
    public var pendingTimerCount: Int { engine.liveTimerCount }

    /// A description of the timers, tasks and jobs that are left; empty at the end of a tidy test.
    public var leaks: [String] {
        [
            (engine.liveTimerCount, "timer is live", "timers are live"),
            (unfinishedTasks.value, "started task is not finished", "started tasks are not finished"),
            (executor.pendingJobs, "job waits for the executor", "jobs wait for the executor"),
        ].filter { $0.0 > 0 }.map { count, one, several in "\(count) \(count == 1 ? one : several)" }
    }

    // MARK: Moving

    /// Runs everything that can run at this instant.
    public func settle() { drive { runAllRunnable() } }

    /// Lets `duration` pass, from deadline to deadline, and runs everything that becomes due.
    ///
    /// Before each move and at the end, everything that can run has run. Afterwards every clock is exactly `duration`
    /// later. If `duration` is zero or negative, the call only runs what can run at this instant.
    public func advance(by duration: Duration) {
        let target = uptime().advanced(by: max(.zero, duration))
        drive { while !stepOnce(towards: target) {} }
    }

    /// Settles, moves to the engine's next wake-up and settles again.
    ///
    /// The wake-up is at the earliest deadline plus tolerance; all timers whose deadline has come by then fire with it.
    ///
    /// - Returns: Whether there was a wake-up; without one, time does not move.
    @discardableResult
    public func advanceToNextDeadline() -> Bool {
        drive {
            runAllRunnable()
            return step()
        }
    }

    /// Moves from deadline to deadline until no timer is left.
    ///
    /// It never returns while a repeating timer runs.
    public func advanceToLastDeadline() {
        drive {
            runAllRunnable()
            while step() {}
        }
    }

    /// Sets the wall clock, as a person or network time does, and notifies the engine; the other clocks do not move.
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

    /// Moves the wall clock forward or, with a negative duration, back; otherwise like ``setWallClock(_:)``.
    public func moveWallClock(by duration: Duration) { setWallClock(wall().advanced(by: duration)) }

    /// Simulates a sleep of the machine: the uptime stands still, the other clocks advance, and nothing runs.
    ///
    /// Afterwards everything that became due meanwhile runs, as after a real sleep.
    public func sleepMachine(for duration: Duration) {
        drive {
            runAllRunnable()
            clocks.move(asleep: true) { UInt64(max(0, duration.wholeNanoseconds)) }
            runAllRunnable()
        }
    }

    // MARK: Swift tasks

    /// Starts a task on the ``executor``; the task begins with the next call that moves time or settles.
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

    /// Runs asynchronous work to its end; time passes only with `advancingTime`.
    ///
    /// - Throws: The error of the work, or ``VirtualTimeError`` with `stuck` if the work waits and nothing can run.
    ///   With `advancingTime`, `stuck` is thrown only if no deadline is left either. When `stuck` is thrown, the work
    ///   is cancelled.
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

    /// Runs asynchronous work to its end, and blocks the calling thread while other threads work for it.
    ///
    /// For example, the work waits for the queue of a database, for a process or for a socket. Time does not pass.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait, in real time.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work, or ``VirtualTimeError`` with `timedOut`, in which case the work is cancelled.
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

    /// Runs what becomes runnable, and blocks the calling thread for other threads' work, until `condition` holds.
    ///
    /// Time does not pass. The condition is checked after work that reaches the executor or the engine, and at least
    /// every 10 ms.
    ///
    /// - Throws: ``VirtualTimeError`` with `timedOut` if the condition does not hold within `timeout` of real time.
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
                // The condition can change without the executor's knowledge, so each wait is limited.
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

    /// Runs one piece of work of the earliest started process that has any.
    ///
    /// Only one piece is run, so that the system's own work, which comes first, is checked again after it.
    private func runProcesses() -> Bool {
        for process in steppedProcesses where process.runOne() { return true }
        return false
    }

    private var steppedProcesses: [VirtualProcess] {
        let change = processChanges.load(ordering: .acquiring)
        if change != stepped.change { stepped = (change, processes.withLock { $0 }) }
        return stepped.processes
    }

    /// The time until the next deadline, in nanoseconds; `nil` when there is none.
    package var untilNextDeadline: UInt64? { drive { nextStep } }

    private var nextStep: UInt64? {
        var earliest = wakeup.untilNextDeadline
        for process in steppedProcesses {
            if let other = process.untilNextDeadline { earliest = min(earliest ?? .max, other) }
        }
        return earliest
    }

    /// Returns the time, in nanoseconds, for which a process of the operating system may run by itself.
    ///
    /// Nothing else is due in that time, and it does not exceed the rest of the running ``advance(by:)``.
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

    /// Settles, then moves to the next deadline, but not beyond `target`.
    ///
    /// - Returns: Whether the target is reached and everything has settled.
    private func stepOnce(towards target: UptimeInstant) -> Bool {
        reach.store(target.nanoseconds, ordering: .relaxed)
        defer { reach.store(0, ordering: .relaxed) }
        runAllRunnable()
        let now = clocks.uptime()
        // Work that takes virtual time may have moved the clocks to the target or beyond it.
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
        guard !wasDriven else {
            fatalError(
                "virtual time can be moved by one thread at a time, and not by work that runs in it; "
                    + "such work can start a task or schedule a timer")
        }
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

    /// Starts a process, which runs after the system and after the processes that were started before it.
    package func startProcess(boot: BootReading = BootReading()) -> VirtualProcess {
        let signal = executor.signal
        let process = VirtualProcess(clocks: clocks, boot: boot) { signal.signal() }
        change { $0.append(process) }
        return process
    }

    /// Ends a process and removes it.
    package func end(_ process: VirtualProcess) {
        change { $0.removeAll { $0 === process } }
        process.end()
    }

    private func change(_ body: (inout [VirtualProcess]) -> Void) {
        processes.withLock { body(&$0) }
        processChanges.add(1, ordering: .acquiringAndReleasing)
    }

    /// Moves the clocks by the time that the running work takes; nothing else runs meanwhile.
    package func pass(_ nanoseconds: UInt64) { clocks.move { nanoseconds } }

    /// Performs one step of ``advance(by:)``, for callers that act between two steps.
    ///
    /// - Returns: Whether the target is reached and everything has settled.
    package func step(towards target: UptimeInstant) -> Bool { drive { stepOnce(towards: target) } }

    /// Whether ``settle()`` would run anything.
    package var isRunnable: Bool {
        drive { executor.pendingJobs > 0 || nextStep == 0 || steppedProcesses.contains { $0.isRunnable } }
    }

    /// Runs one piece of work that can run at this instant.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    package func runOne() -> Bool { drive { runNext() } }

    /// Moves the clocks to the next deadline if it is at most `limit` away, and runs nothing.
    ///
    /// - Returns: Whether there was a deadline within the limit.
    @discardableResult
    package func moveToNextDeadline(within limit: Duration) -> Bool {
        drive {
            let step = clocks.move {
                nextStep.flatMap { $0 <= UInt64(max(0, limit.wholeNanoseconds)) ? $0 : nil }
            }
            return step != nil
        }
    }

    /// Moves the wall clock without running anything.
    package func moveWallOnly(by duration: Duration) { drive { changeWall(to: wall().advanced(by: duration)) } }

    /// Moves the clocks as a sleep of the machine does, without running anything.
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

/// An error that says why a test in virtual time cannot continue.
public struct VirtualTimeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case stuck, timedOut }
        private let kind: Kind

        /// The work waits, nothing is runnable, and no permitted step would change that.
        public static var stuck: Code { Code(kind: .stuck) }
        /// The work of other threads did not end within the permitted real time.
        public static var timedOut: Code { Code(kind: .timedOut) }

        /// The name of the code, for logs.
        public var description: String { kind.rawValue }
    }

    /// The kind of error, for programs.
    public let code: Code
    /// The description of what is awaited, with the remedy.
    public let message: String

    /// Creates an error with a code and a message that says what to do.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
