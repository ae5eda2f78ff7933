import ApusClient
import NIOCore
import NIOPosix

/// Where the tasks of a daemon run.
public enum EventLoopExecutor {
    /// Lets Swift's tasks run on the event loops that serve connections, instead of in Dispatch's global queues.
    ///
    /// On Linux, libdispatch watches the threads of its global queues with a timer of one second, which it starts with
    /// the first of them and never stops (`_dispatch_workq_monitor_pools`). A process whose tasks run there wakes once a
    /// second for ever, and a laptop notices. A task must not block an event loop, and no task of the daemon does: the
    /// store, commands and conditions have threads of their own.
    ///
    /// `Task.sleep` goes to a global queue all the same, so nothing in the daemon may call it; timers are the engine's.
    ///
    /// Call it once, on the main thread, before the process starts its first task.
    /// - Returns: whether tasks run there; if the runtime does not allow it, all works as before.
    @discardableResult
    public static func install() -> Bool {
        NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor()
    }
}
