import ApusBackground
import ApusTimers
import ApusVirtualTime
public import SimulatedAppleCore

// The name is Apple's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The phone's uptime in seconds: virtual time.
public func CACurrentMediaTime() -> CFTimeInterval { SimulatedPhone.process.host.engine.time.uptime().inSeconds }

/// Which frame rates a display link wishes for, in frames per second.
public struct CAFrameRateRange: Hashable, Sendable {
    /// The lowest.
    public var minimum: Float
    /// The highest.
    public var maximum: Float
    /// The best, or 0 for any.
    public var preferred: Float?

    /// A range.
    public init(minimum: Float, maximum: Float, preferred: Float? = nil) {
        self.minimum = minimum
        self.maximum = maximum
        self.preferred = preferred
    }

    /// Whatever the display has.
    public static let `default` = CAFrameRateRange(minimum: 0, maximum: 0, preferred: 0)
}

/// Calls a handler once for each frame of a display with 60 Hz, in virtual time.
///
/// Frames come on the main loop, while the app's process runs; while it is suspended there are none.
public final class CADisplayLink: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: what changes is in `state`, protected by its lock.

    private struct State {
        var handler: (@MainActor @Sendable (CADisplayLink) -> Void)?
        var timer: FrameTimer?
        var modes: Set<RunLoop.Mode> = []
        var isPaused = false
        var preferredFrameRateRange = CAFrameRateRange.default
        /// The frame that was shown last.
        var last: Frame?
        /// The frame that waits for the main loop: in `default` mode, while the user scrolls, only the latest does.
        var waiting: Frame?
    }

    private let host: any PhoneHost
    private let state: Locked<State>

    /// A link that calls a method of an object with itself, and retains the object until it is invalidated.
    public convenience init(target: Any, selector: Selector) {
        let target = Handover(target as AnyObject)
        self.init { link in selector(target.value, link) }
    }

    /// A link that calls `handler`, and keeps it until it is invalidated. Apple's systems do not have it: it stands for
    /// `init(target:selector:)` in sources that are compiled without the plugin `RewriteObjC`.
    public init(_ handler: @escaping @MainActor @Sendable (CADisplayLink) -> Void) {
        let process = SimulatedPhone.process
        host = process.host
        state = Locked(State(handler: handler))
        super.init()
        // Not kept: the frame timer's handler does that while the link is in a run loop.
        process.atEnd { [weak self] in self?.invalidate() }
    }

    /// When the frame that is shown began, in seconds of uptime; 0 before the first call.
    public var timestamp: CFTimeInterval { state.withLock { $0.last?.timestamp.inSeconds ?? 0 } }
    /// When the next frame begins; 0 before the first call.
    public var targetTimestamp: CFTimeInterval { state.withLock { $0.last?.targetTimestamp.inSeconds ?? 0 } }
    /// How long a frame of the display is; 0 before the first call.
    public var duration: CFTimeInterval { state.withLock { $0.last?.duration.inSeconds ?? 0 } }

    /// Whether no frames come.
    public var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set { change { $0.isPaused = newValue } }
    }

    /// The wish for a rate. The preferred one counts, else the maximum; the actual rate is the divisor of 60 that is
    /// nearest.
    public var preferredFrameRateRange: CAFrameRateRange {
        get { state.withLock { $0.preferredFrameRateRange } }
        set { change { $0.preferredFrameRateRange = newValue } }
    }

    /// The older form of that wish; 0 is the display's rate.
    public var preferredFramesPerSecond: Int {
        get { Int(preferredFrameRateRange.preferred ?? 0) }
        set {
            let rate = Float(newValue)
            preferredFrameRateRange = CAFrameRateRange(minimum: rate, maximum: rate, preferred: rate)
        }
    }

    /// Begins to call the handler, in that mode: in `default` not while the user scrolls. The run loop is the main one.
    public func add(to runloop: RunLoop, forMode mode: RunLoop.Mode) { change { $0.modes.insert(mode) } }

    /// Ends calling the handler in that mode.
    public func remove(from runloop: RunLoop, forMode mode: RunLoop.Mode) { change { $0.modes.remove(mode) } }

    /// Leaves all modes for good, and releases the handler.
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
            preconditionFailure("60 frames per second of uptime are always possible: \(error)")
        }
    }

    private func deliver(_ frame: Frame) {
        let (mode, isFirst) = state.withLock { state -> (MainLoopMode, Bool) in
            defer { state.waiting = frame }
            return (state.modes.contains(.common) ? .common : .default, state.waiting == nil)
        }
        guard isFirst else { return }
        host.mainLoop.run(in: mode) { [self] in
            // A link that was paused or invalidated meanwhile is not called.
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
