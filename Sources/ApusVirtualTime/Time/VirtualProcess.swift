package import ApusTimers
import Synchronization

/// A process of the operating system that follows a ``VirtualProcess``: it is resumed, suspended and ended with it.
package protocol SteppedProcess: AnyObject, Sendable {
    /// Runs what is due at this instant. False when there is nothing.
    func runOne() -> Bool
    /// How long until something is due, in nanoseconds; nil when nothing ever will be.
    var untilNextDeadline: UInt64? { get }
    /// The files whose locks it must not hold while it is stopped.
    var lockedFiles: [String] { get }
    /// Ends it for good.
    func end()
}

/// A program in virtual time beside the system: an engine, an executor and a main loop of its own, which the step loop
/// leaves alone while the process is stopped.
///
/// What falls due while it is stopped waits. When it runs again, everything that is overdue fires at once, so a
/// repeating timer gives one tick with the number of the missed ones.
package final class VirtualProcess: Sendable {
    private enum Standing: Int, AtomicRepresentable { case running, stopped, ended }

    /// What is known of a process that may never come to rest.
    private struct Unrest: Sendable {
        /// How many pieces of work run between two looks at the clock: most take less time than a look.
        static let piecesPerLook = 1 << 16
        /// How many looks at one instant mean that it does not come to rest.
        static let looks = 16

        var instant: UptimeInstant?
        var count = 0
        var action: (@Sendable () -> Void)?
    }

    package let engine: TimerEngine
    package let executor = VirtualExecutor()
    package let mainLoop: VirtualMainLoop

    /// How many pieces of work have run; an action of a timer is one.
    private let pieces = Atomic(0)
    private let unrest = Locked(Unrest())
    private let wakeup: VirtualWakeup
    private let standing = Atomic(Standing.running)
    private let missedWallClockChange = Atomic(false)
    private let unfinished = TaskCounter()
    private let attached = Locked<(any SteppedProcess)?>(nil)
    /// Whether one is attached, without the lock: the step loop asks several times a step, mostly in vain.
    private let hasCompanion = Atomic(false)
    private var companion: (any SteppedProcess)? {
        hasCompanion.load(ordering: .acquiring) ? attached.withLock { $0 } : nil
    }

    /// - Parameters:
    ///   - clocks: The clocks that all processes share.
    ///   - boot: What they showed when the machine was started.
    ///   - onWork: Called from any thread when there may be something to do.
    init(clocks: VirtualClocks, boot: BootReading, onWork: @escaping @Sendable () -> Void) {
        wakeup = VirtualWakeup(clocks: clocks, boot: boot, onArm: onWork)
        engine = TimerEngine(time: wakeup, wakeup: wakeup)
        mainLoop = VirtualMainLoop(onAdd: onWork)
    }

    package var isRunning: Bool { standing.load(ordering: .acquiring) == .running }
    package var isEnded: Bool { standing.load(ordering: .acquiring) == .ended }

    /// Tasks that were started here and have not returned; after the end, those that never will.
    package var unfinishedTasks: Int { unfinished.value }

    /// Starts a task on the executor; after the end, nothing.
    package func start(_ work: @escaping @Sendable () async -> Void) {
        guard !isEnded else { return }
        unfinished.add(1)
        // The task keeps the executor, so that it never ends with jobs, and exists when a caller resumes a task of an
        // ended process.
        Task(executorPreference: executor) { [unfinished, executor] in
            await work()
            unfinished.add(-1)
            withExtendedLifetime(executor) {}
        }
    }

    /// Stops it: not one line of it runs until ``resume()``.
    package func stop() {
        _ = standing.compareExchange(expected: .running, desired: .stopped, ordering: .acquiringAndReleasing)
    }

    package func resume() {
        _ = standing.compareExchange(expected: .stopped, desired: .running, ordering: .acquiringAndReleasing)
    }

    /// Ends it for good. Timers and main-loop work are released without running. Tasks stay where they are, for ever,
    /// and keep what they hold: they are not cancelled, because a program that was killed does not clean up.
    func end() {
        guard standing.exchange(.ended, ordering: .acquiringAndReleasing) != .ended else { return }
        mainLoop.close()
        engine.stop()
        attached.withLock { $0.take() }?.end()
    }

    /// From now on `process` is resumed, suspended and ended with this one.
    package func attach(_ process: any SteppedProcess) {
        guard !isEnded else { return process.end() }
        attached.withLock { $0 = process }
        hasCompanion.store(true, ordering: .releasing)
    }

    /// The files on which the process of the operating system holds exclusive locks, if there is one.
    package var lockedFiles: [String] { companion?.lockedFiles ?? [] }

    /// Calls `action` on the thread of the step loop when a million pieces of work have run at one instant. It may end the
    /// process.
    package func observeUnrest(_ action: @escaping @Sendable () -> Void) { unrest.withLock { $0.action = action } }

    // MARK: For the step loop

    /// Runs one piece of work, or everything that is due. False when there was nothing, or it is stopped.
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
        // A process with a main loop is driven by the main actor; other callers find nothing here.
        if mainLoop.isRunnable { return MainActor.assumeIsolated { mainLoop.runOne() } }
        return wakeup.wakeIfDue() || companion?.runOne() == true
    }

    /// Whether ``runOne()`` would find work in a queue.
    package var isRunnable: Bool { isRunning && (executor.pendingJobs > 0 || mainLoop.isRunnable) }

    package var untilNextDeadline: UInt64? { untilNextDeadline(besides: nil) }

    /// The same, but for what one process of the operating system waits for.
    func untilNextDeadline(besides excluded: (any SteppedProcess)?) -> UInt64? {
        guard isRunning else { return nil }
        let own = wakeup.untilNextDeadline
        let companion = companion
        guard companion !== excluded, let other = companion?.untilNextDeadline else { return own }
        return min(own ?? .max, other)
    }

    /// The wall clock was set; a process that is stopped learns it later.
    func reportWallClockChange() { missedWallClockChange.store(true, ordering: .releasing) }
}
