public import ApusTimers
import Dispatch
import Synchronization

/// An executor that runs its jobs on demand, on the calling thread, in first-in, first-out order.
///
/// Tasks started with it as their preferred executor run on it, as do their structured children and the default actors
/// that they call. An actor may also name it as its own executor.
public final class VirtualExecutor: TaskExecutor, SerialExecutor, SteppedExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Jobs before this index have run.
        var head = 0
    }

    private let state = Locked(State())
    /// The number of jobs that wait.
    ///
    /// It is an atomic that is read without a lock, because each step reads it several times, and mostly finds zero.
    private let pending = Atomic(0)
    /// Signalled when there may be work; see `VirtualTime.perform(waitingForForeignWork:…)`.
    let signal = DispatchSemaphore(value: 0)

    init() {}

    deinit {
        guard state.withLock({ $0.jobs.count == $0.head }) else {
            fatalError("jobs are left on a virtual executor that ends")
        }
    }

    /// Appends a job; Swift's runtime calls this from any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        pending.add(1, ordering: .acquiringAndReleasing)
        signal.signal()
    }

    /// The reference that Swift's runtime uses.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package var pendingJobs: Int { pending.load(ordering: .acquiring) }

    /// Runs the oldest job.
    ///
    /// - Returns: Whether there was one.
    package func runOne() -> Bool {
        guard pendingJobs > 0 else { return false }
        let job = state.withLock { state -> UnownedJob? in
            guard state.head < state.jobs.count else { return nil }
            defer {
                state.head += 1
                if state.head == state.jobs.count {
                    state.jobs.removeAll(keepingCapacity: true)
                    state.head = 0
                }
            }
            return state.jobs[state.head]
        }
        guard let job else { return false }
        pending.subtract(1, ordering: .acquiringAndReleasing)
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        return true
    }
}

/// The number of tasks that were started and have not returned.
final class TaskCounter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .acquiring) }
    func add(_ number: Int) { count.wrappingAdd(number, ordering: .acquiringAndReleasing) }
}
