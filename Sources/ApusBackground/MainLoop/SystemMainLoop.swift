import Dispatch

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
