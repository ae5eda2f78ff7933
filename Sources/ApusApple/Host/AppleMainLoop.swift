#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    public import ApusBackground
    import Dispatch
    import Foundation

    /// The main run loop of an app with UIKit.
    ///
    /// Work of the `common` mode goes through the main queue, which the run loop drains in all its common modes, also
    /// while the user scrolls. Work of the `default` mode goes through the main queue too, and from there to the run
    /// loop in its default mode only. While the user scrolls, the run loop is in the tracking mode (Apple,
    /// developer.apple.com/documentation/foundation/runloop/mode/tracking), so this work waits until the finger is
    /// lifted. It goes through the queue because the queue wakes a sleeping run loop, and because `RunLoop` must not be
    /// used from other threads (Apple, developer.apple.com/documentation/foundation/runloop).
    ///
    /// The work of each mode runs first in, first out. The work of a suspended app runs when the app is resumed.
    public struct AppleMainLoop: MainLoop {
        /// Creates the loop of this process.
        public init() {}

        /// Runs `work` on the main actor; it may be called from any thread.
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
        /// Runs `work` on the main loop and waits for it.
        ///
        /// `MainActor.run` is not used, because it keeps neither the order of the main loop nor the time of a simulated
        /// phone.
        func perform<Result: Sendable>(_ work: @escaping @MainActor @Sendable () -> Result) async -> Result {
            await withUnsafeContinuation { continuation in
                run { continuation.resume(returning: work()) }
            }
        }
    }
#endif
