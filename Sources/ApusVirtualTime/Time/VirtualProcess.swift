package import ApusTimers
import Synchronization

/// A process of the operating system that is resumed, suspended and ended together with a ``VirtualProcess``.
package protocol SteppedProcess: AnyObject, Sendable {
    /// Runs what is due at this instant.
    ///
    /// - Returns: Whether there was anything to run.
    func runOne() -> Bool
    /// The time until something is due, in nanoseconds; `nil` when nothing will ever be due.
    var untilNextDeadline: UInt64? { get }
    /// The files whose locks the process must not hold while it is stopped.
    var lockedFiles: [String] { get }
    /// Ends the process for good.
    func end()
}

/// A program in virtual time, with its own engine, executor and main loop, which run only while it is not stopped.
///
/// Deadlines that pass while the process is stopped wait. When it is resumed, everything that is overdue fires at once,
/// so a repeating timer delivers one tick with the number of missed ticks.
package final class VirtualProcess: Sendable {
    private enum Standing: Int, AtomicRepresentable { case running, stopped, ended }

    /// The state of the checks that detect a process that never comes to rest.
    private struct Unrest: Sendable {
        /// The number of pieces of work between two checks of the clock; most pieces take less time than a check.
        static let piecesPerLook = 1 << 16
        /// The number of checks at the same instant after which the process is considered to never come to rest.
        static let looks = 16

        var instant: UptimeInstant?
        var count = 0
        var action: (@Sendable () -> Void)?
    }

    package let engine: TimerEngine
    package let executor = VirtualExecutor()
    package let mainLoop: VirtualMainLoop

    /// The number of pieces of work that have run; an action of a timer is one piece.
    private let pieces = Atomic(0)
    private let unrest = Locked(Unrest())
    private let wakeup: VirtualWakeup
    private let standing = Atomic(Standing.running)
    private let missedWallClockChange = Atomic(false)
    private let unfinished = TaskCounter()
    private let attached = Locked<(any SteppedProcess)?>(nil)
    /// Whether a process of the operating system is attached.
    ///
    /// It is an atomic that is read without a lock, because each step reads it several times, and mostly finds false.
    private let hasCompanion = Atomic(false)
    private var companion: (any SteppedProcess)? {
        hasCompanion.load(ordering: .acquiring) ? attached.withLock { $0 } : nil
    }

    /// Creates a running process.
    ///
    /// - Parameters:
    ///   - clocks: The clocks that all processes share.
    ///   - boot: The readings of the clocks when the machine was started.
    ///   - onWork: Called from any thread when there may be work.
    init(clocks: VirtualClocks, boot: BootReading, onWork: @escaping @Sendable () -> Void) {
        wakeup = VirtualWakeup(clocks: clocks, boot: boot, onArm: onWork)
        engine = TimerEngine(time: wakeup, wakeup: wakeup)
        mainLoop = VirtualMainLoop(onAdd: onWork)
    }

    package var isRunning: Bool { standing.load(ordering: .acquiring) == .running }
    package var isEnded: Bool { standing.load(ordering: .acquiring) == .ended }

    /// The number of tasks that were started here and have not returned; after the end of the process, they never will.
    package var unfinishedTasks: Int { unfinished.value }

    /// Starts a task on the executor; after the end of the process, this has no effect.
    package func start(_ work: @escaping @Sendable () async -> Void) {
        guard !isEnded else { return }
        unfinished.add(1)
        // The task retains the executor. So the executor is never released while it has jobs, and it still exists when
        // a task of an ended process is resumed.
        Task(executorPreference: executor) { [unfinished, executor] in
            await work()
            unfinished.add(-1)
            withExtendedLifetime(executor) {}
        }
    }

    /// Stops the process: none of its code runs until ``resume()``.
    package func stop() {
        _ = standing.compareExchange(expected: .running, desired: .stopped, ordering: .acquiringAndReleasing)
    }

    package func resume() {
        _ = standing.compareExchange(expected: .stopped, desired: .running, ordering: .acquiringAndReleasing)
    }

    /// Ends the process for good.
    ///
    /// Timers and work of the main loop are released without running. Tasks stay suspended for ever and retain what
    /// they hold. They are not cancelled, because a program that was killed does not clean up.
    func end() {
        guard standing.exchange(.ended, ordering: .acquiringAndReleasing) != .ended else { return }
        mainLoop.close()
        engine.stop()
        attached.withLock { $0.take() }?.end()
    }

    /// Attaches a process of the operating system, which is resumed, suspended and ended together with this process
    /// from now on.
    package func attach(_ process: any SteppedProcess) {
        guard !isEnded else { return process.end() }
        attached.withLock { $0 = process }
        hasCompanion.store(true, ordering: .releasing)
    }

    /// The files whose locks the attached process must not hold while it is stopped; empty if no process is attached.
    package var lockedFiles: [String] { companion?.lockedFiles ?? [] }

    /// Sets the action that is called when the process has run about a million pieces of work at one instant.
    ///
    /// The step loop calls the action on its thread; the action may end the process.
    package func observeUnrest(_ action: @escaping @Sendable () -> Void) { unrest.withLock { $0.action = action } }

    // MARK: For the step loop

    /// Runs one piece of work or, if no work waits, all timers that are due.
    ///
    /// - Returns: Whether anything ran; false while the process is stopped.
    func runOne() -> Bool {
        let fires = engine.fireCount
        guard runPiece() else { return false }
        let count = pieces.add(1 + engine.fireCount - fires, ordering: .relaxed)
        if count.oldValue / Unrest.piecesPerLook < count.newValue / Unrest.piecesPerLook { lookForRest() }
        return true
    }

    private func lookForRest() {
        let now = wakeup.uptime()
        let action = unrest.withLock { unrest -> (@Sendable () -> Void)? in
            (unrest.instant, unrest.count) = (now, unrest.instant == now ? unrest.count + 1 : 1)
            return unrest.count == Unrest.looks ? unrest.action : nil
        }
        action?()
    }

    private func runPiece() -> Bool {
        guard isRunning else { return false }
        if missedWallClockChange.load(ordering: .acquiring) {
            missedWallClockChange.store(false, ordering: .releasing)
            wakeup.reportWallClockChange()
            return true
        }
        if executor.runOne() { return true }
        // The main loop has work only if time is driven on the main actor, as for a simulated device.
        if mainLoop.isRunnable { return MainActor.assumeIsolated { mainLoop.runOne() } }
        return wakeup.wakeIfDue() || companion?.runOne() == true
    }

    /// Whether the process is running and a queue has work.
    package var isRunnable: Bool { isRunning && (executor.pendingJobs > 0 || mainLoop.isRunnable) }

    package var untilNextDeadline: UInt64? { untilNextDeadline(besides: nil) }

    /// Returns the time until the next deadline, in nanoseconds; deadlines of the process `excluded` do not count.
    func untilNextDeadline(besides excluded: (any SteppedProcess)?) -> UInt64? {
        guard isRunning else { return nil }
        let own = wakeup.untilNextDeadline
        let companion = companion
        guard companion !== excluded, let other = companion?.untilNextDeadline else { return own }
        return min(own ?? .max, other)
    }

    /// Records that the wall clock was set; a stopped process is notified when it is resumed.
    func reportWallClockChange() { missedWallClockChange.store(true, ordering: .releasing) }
}
