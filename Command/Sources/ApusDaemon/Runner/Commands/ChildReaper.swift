import ApusClient
import ApusTimers
import CApus
import Dispatch

/// The way in which a process ended.
enum ProcessExit: Hashable, Sendable {
    case code(Int)
    case signal(Int)

    init(status: Int32) { self = status >= 0 ? .code(Int(status)) : .signal(Int(-1 - status)) }
}

/// Reaps every child of this process, on one thread and without descriptors, and reports the ends of watched children.
///
/// On Linux, the process also adopts the orphans of its commands (as a subreaper), so that orphans do not become
/// zombies of another process and the end of each is noticed. No other code in the process may wait for children.
final class ChildReaper: Sendable {
    static let shared = ChildReaper()

    private struct State {
        var isRunning = false
        var watched: [Int32: @Sendable (ProcessExit) -> Void] = [:]
        /// The number of starts in progress; a child that ends before its start has returned is kept in ``unclaimed``.
        var starting = 0
        var unclaimed: [Int32: ProcessExit] = [:]

        mutating func endStart() {
            starting -= 1
            if starting == 0 { unclaimed = [:] }
        }
    }

    private let state = Locked(State())
    /// A semaphore that is signalled when this process may have a child again.
    private let children = DispatchSemaphore(value: 0)

    /// Begins to adopt and to reap processes; further calls have no effect.
    ///
    /// - Throws: `DaemonError` if the system has no thread for the reaper.
    func start() throws {
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        // Without adoption, the kernel gives orphans to the init process, which reaps them too.
        _ = capus_adopt_orphans()
        let error = capus_start_thread("apus-reaper", reap, Unmanaged.passUnretained(self).toOpaque(), nil)
        guard error == 0 else {
            state.withLock { $0.isRunning = false }
            throw DaemonError(.unavailable, "no thread can be started (error \(error)): raise the limit of processes")
        }
    }

    /// Runs `start`, and calls `onEnd` once when the child that it returns has ended.
    ///
    /// The child may have ended already. No child is watched if `start` throws.
    func watch<Failure: Error>(
        _ start: () throws(Failure) -> Int32, onEnd: @escaping @Sendable (ProcessExit) -> Void
    ) throws(Failure) {
        state.withLock { $0.starting += 1 }
        defer { children.signal() }
        let process: Int32
        do {
            process = try start()
        } catch {
            state.withLock { $0.endStart() }
            throw error
        }
        let early = state.withLock { state in
            let early = state.unclaimed.removeValue(forKey: process)
            if early == nil { state.watched[process] = onEnd }
            state.endStart()
            return early
        }
        if let early { onEnd(early) }
    }

    fileprivate func run() {
        while true {
            var process: Int32 = 0
            var status: Int32 = 0
            guard capus_child_wait(&process, &status) == 0 else {
                // There is no child; the next start signals the semaphore.
                children.wait()
                continue
            }
            let exit = ProcessExit(status: status)
            let onEnd = state.withLock { state in
                let onEnd = state.watched.removeValue(forKey: process)
                if onEnd == nil, state.starting > 0 { state.unclaimed[process] = exit }
                return onEnd
            }
            onEnd?(exit)
        }
    }
}

/// Runs the reaper on its thread, which lasts as long as the process.
private func reap(_ context: UnsafeMutableRawPointer?) {
    guard let context else { preconditionFailure("the thread is started with its reaper") }
    Unmanaged<ChildReaper>.fromOpaque(context).takeUnretainedValue().run()
}
