#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    public import ApusBackground
    import Dispatch
    import Foundation

    /// The main run loop of an app with UIKit.
    ///
    /// Work of the `common` mode goes through the main queue, which a run loop empties in all its common modes, also while
    /// the user scrolls. Work of the `default` mode goes that way too, and from there to the run loop in its default mode
    /// alone: while the user scrolls the run loop is in the tracking mode (Apple,
    /// developer.apple.com/documentation/foundation/runloop/mode/tracking), so it waits until the finger is lifted. It
    /// takes the way through the queue because a run loop that sleeps is woken by its main queue, and because
    /// `RunLoop` is not to be used from other threads (Apple, developer.apple.com/documentation/foundation/runloop).
    ///
    /// Both are first in, first out. A suspended app runs neither; what was handed over runs when it is resumed.
    public struct AppleMainLoop: MainLoop {
        /// The main run loop of this process.
        public init() {}

        /// Runs `work` on the main actor. May be called from any thread.
        public func run(in mode: MainLoopMode, _ work: @escaping @MainActor @Sendable () -> Void) {
            switch mode {
            case .common:
                DispatchQueue.main.async { MainActor.assumeIsolated(work) }
            case .default:
                DispatchQueue.main.async {
                    RunLoop.main.perform(inModes: [.default]) { MainActor.assumeIsolated(work) }
                }
            }
        }
    }

    extension MainLoop {
        /// Runs `work` on the main loop and waits for it. `MainActor.run` would leave the order of the main loop, and on a
        /// simulated phone its time.
        func perform<Result: Sendable>(_ work: @escaping @MainActor @Sendable () -> Result) async -> Result {
            await withUnsafeContinuation { continuation in
                run { continuation.resume(returning: work()) }
            }
        }
    }
#endif
