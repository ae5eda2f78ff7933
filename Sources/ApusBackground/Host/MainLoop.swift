import Dispatch

/// Whether work on an app's main loop may run while the user scrolls.
public enum MainLoopMode: Sendable, Hashable, CaseIterable {
    /// Work always runs, even while the user scrolls, as the display of a clock requires.
    case common
    /// Work waits while the user scrolls or drags, and then runs in order.
    case `default`
}

/// An app's main loop, which runs work on the main actor, first in first out within a mode.
public protocol MainLoop: Sendable {
    /// Runs `work` soon, never before this function returns.
    ///
    /// May be called from any thread.
    func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void)
}

extension MainLoop {
    /// Runs `work` soon in `common` mode, never before this function returns.
    ///
    /// May be called from any thread.
    public func run(_ work: @escaping @MainActor @Sendable () -> Void) { run(in: .common, work) }
}

/// The main queue of the process.
///
/// The program must run the queue: with an async `main`, `dispatchMain()`, or an app's event loop. There is no
/// scrolling in a plain process, so both modes are the same.
public struct SystemMainLoop: MainLoop {
    /// Creates the main loop of this process.
    public init() {}

    /// Runs `work` on the main actor, first in first out.
    public func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async(execute: work)
    }
}
