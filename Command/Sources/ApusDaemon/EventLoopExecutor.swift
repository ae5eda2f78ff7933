import ApusClient
import NIOCore
import NIOPosix

/// The executor of a daemon's tasks.
public enum EventLoopExecutor {
    /// Makes Swift's tasks run on the event loops that serve connections, instead of on Dispatch's global queues.
    ///
    /// On Linux, libdispatch watches the threads of its global queues with a timer of one second, which starts with the
    /// first thread and never stops (`_dispatch_workq_monitor_pools`). A process whose tasks run there wakes once a
    /// second forever, which costs a laptop's battery. A task must not block an event loop, and no task of the daemon
    /// does: the store, commands and conditions have threads of their own.
    ///
    /// `Task.sleep` uses a global queue in any case, so no code of the daemon may call it; tasks wait with the timer
    /// engine instead.
    ///
    /// Call this once, on the main thread, before the process starts its first task.
    ///
    /// - Returns: whether tasks run on the event loops; if the runtime does not allow it, they run as before.
    @discardableResult
    public static func install() -> Bool {
        NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor()
    }
}
