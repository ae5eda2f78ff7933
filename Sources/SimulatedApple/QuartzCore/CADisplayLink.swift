import ApusBackground
import ApusTimers
import ApusVirtualTime
public import SimulatedAppleCore

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the phone's uptime in seconds, in virtual time.
public func CACurrentMediaTime() -> CFTimeInterval { SimulatedPhone.process.host.engine.time.uptime().inSeconds }

/// A range of frame rates that an app prefers for a display link, in frames per second.
public struct CAFrameRateRange: Hashable, Sendable {
    /// The lowest rate.
    public var minimum: Float
    /// The highest rate.
    public var maximum: Float
    /// The preferred rate; 0 or `nil` for none.
    public var preferred: Float?

    /// Creates a range.
    public init(minimum: Float, maximum: Float, preferred: Float? = nil) {
        self.minimum = minimum
        self.maximum = maximum
        self.preferred = preferred
    }

    /// The range that leaves the rate to the display.
    public static let `default` = CAFrameRateRange(minimum: 0, maximum: 0, preferred: 0)
}

/// A timer that calls a handler for each frame of a display with 60 Hz, in virtual time.
///
/// Frames are delivered on the main loop while the app's process runs; a suspended app gets none.
public final class CADisplayLink: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: the mutable values are in `state`, protected by its lock.

    private struct State {
        var handler: (@MainActor @Sendable (CADisplayLink) -> Void)?
        var timer: FrameTimer?
        var modes: Set<RunLoop.Mode> = []
        var isPaused = false
        var preferredFrameRateRange = CAFrameRateRange.default
        /// The last frame for which the handler was called.
        var last: Frame?
        /// The frame that waits for the main loop; a newer frame replaces it, for example while the user scrolls.
        var waiting: Frame?
    }

    private let host: any PhoneHost
    private let state: Locked<State>

    /// Creates a link that calls a method of `target` with the link as its argument.
    ///
    /// The link retains `target` until the link is invalidated.
    public convenience init(target: Any, selector: Selector) {
        let target = Handover(target as AnyObject)
        self.init { link in selector(target.value, link) }
    }

    /// Creates a link that calls `handler`, and retains `handler` until the link is invalidated.
    ///
    /// Apple's systems do not have this initializer: it replaces `init(target:selector:)` in sources that are compiled
    /// without the plugin `RewriteObjC`.
    public init(_ handler: @escaping @MainActor @Sendable (CADisplayLink) -> Void) {
        let process = SimulatedPhone.process
        host = process.host
        state = Locked(State(handler: handler))
        super.init()
        // The link is not retained here; while it is in a run loop, the frame timer's handler retains it.
        process.atEnd { [weak self] in self?.invalidate() }
    }

    /// The instant at which the shown frame began, in seconds of uptime; 0 before the first call.
    public var timestamp: CFTimeInterval { state.withLock { $0.last?.timestamp.inSeconds ?? 0 } }
    /// The instant at which the next frame begins, in seconds of uptime; 0 before the first call.
    public var targetTimestamp: CFTimeInterval { state.withLock { $0.last?.targetTimestamp.inSeconds ?? 0 } }
    /// The length of a frame of the display, in seconds; 0 before the first call.
    public var duration: CFTimeInterval { state.withLock { $0.last?.duration.inSeconds ?? 0 } }

    /// Whether the calls of the handler are paused; the frames of that time are not delivered later.
    public var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set { change { $0.isPaused = newValue } }
    }

    /// The range of rates that the app prefers.
    ///
    /// The display uses the divisor of 60 that is nearest to the range's preferred rate, or to its maximum if it has no
    /// preferred rate.
    public var preferredFrameRateRange: CAFrameRateRange {
        get { state.withLock { $0.preferredFrameRateRange } }
        set { change { $0.preferredFrameRateRange = newValue } }
    }

    /// The preferred rate of ``preferredFrameRateRange``, as a whole number; 0 means the display's own rate.
    public var preferredFramesPerSecond: Int {
        get { Int(preferredFrameRateRange.preferred ?? 0) }
        set {
            let rate = Float(newValue)
            preferredFrameRateRange = CAFrameRateRange(minimum: rate, maximum: rate, preferred: rate)
        }
    }

    /// Starts calling the handler in a mode of the main run loop.
    ///
    /// In the `default` mode, the handler is not called while the user scrolls.
    public func add(to runloop: RunLoop, forMode mode: RunLoop.Mode) { change { $0.modes.insert(mode) } }

    /// Stops calling the handler in a mode.
    public func remove(from runloop: RunLoop, forMode mode: RunLoop.Mode) { change { $0.modes.remove(mode) } }

    /// Stops calling the handler for good, and releases it.
    public func invalidate() {
        let (timer, handler) = state.withLock { state in
            state.modes = []
            return (state.timer.take(), state.handler.take())
        }
        timer?.cancel()
        withExtendedLifetime(handler) {}
    }

    private func change(_ body: (inout State) -> Void) {
        let removed = state.withLock { state -> FrameTimer? in
            body(&state)
            guard state.handler != nil, !state.modes.isEmpty else { return state.timer.take() }
            let timer = state.timer ?? makeTimer()
            state.timer = timer
            let wish = state.preferredFrameRateRange
            let preferred = wish.preferred ?? 0 > 0 ? wish.preferred ?? 0 : wish.maximum
            timer.preferredFramesPerSecond = preferred > 0 ? Int(preferred.rounded()) : nil
            timer.isPaused = state.isPaused
            return nil
        }
        removed?.cancel()
    }

    private func makeTimer() -> FrameTimer {
        do {
            return try FrameTimer(
                maximumFramesPerSecond: 60, clock: .uptime, on: .engine, engine: host.engine
            ) { frame in
                self.deliver(frame)
            }
        } catch {
            fatalError("60 frames per second of uptime are always possible: \(error)")
        }
    }

    private func deliver(_ frame: Frame) {
        let (mode, isFirst) = state.withLock { state -> (MainLoopMode, Bool) in
            defer { state.waiting = frame }
            return (state.modes.contains(.common) ? .common : .default, state.waiting == nil)
        }
        guard isFirst else { return }
        host.mainLoop.run(in: mode) { [self] in
            // The handler of a link that was paused or invalidated in the meantime is not called.
            let handler = state.withLock { state -> (@MainActor @Sendable (CADisplayLink) -> Void)? in
                let frame = state.waiting.take()
                guard !state.isPaused, !state.modes.isEmpty else { return nil }
                state.last = frame
                return state.handler
            }
            handler?(self)
        }
    }
}

extension UptimeInstant {
    fileprivate var inSeconds: CFTimeInterval { Double(nanoseconds) / 1e9 }
}

extension ClockInstant {
    fileprivate var inSeconds: CFTimeInterval { Double(nanoseconds) / 1e9 }
}
