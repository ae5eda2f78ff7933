import Dispatch

/// When a piece of work may run on an app's main loop.
public enum MainLoopMode: Sendable, Hashable, CaseIterable {
    /// Always, also while the user scrolls: what a clock on the screen needs.
    case common
    /// Not while the user scrolls or drags something; afterwards, what waited runs in order.
    case `default`
}

/// The app's main loop: work that is handed to it runs on the main actor, first in first out within a mode.
public protocol MainLoop: Sendable {
    /// Runs `work` soon, never before this returns. May be called from any thread.
    func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void)
}

extension MainLoop {
    /// Runs `work` soon in `common` mode, never before this returns. May be called from any thread.
    public func run(_ work: @escaping @MainActor @Sendable () -> Void) { run(in: .common, work) }
}

/// The process's main queue. The program has to run it: an async `main`, `dispatchMain()`, or an app's event loop.
///
/// A plain process has no scrolling, so both modes are the same here.
public struct SystemMainLoop: MainLoop {
    /// The main loop of this process.
    public init() {}

    /// Runs `work` on the main actor, first in first out.
    public func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async(execute: work)
    }
}
