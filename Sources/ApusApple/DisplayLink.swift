#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    public import ApusBackground
    public import ApusTimers
    import Foundation
    import QuartzCore

    /// A timer that calls a handler once for each frame of the display: `CADisplayLink` with the members of
    /// `FrameTimer`.
    ///
    /// A new link is paused; set ``isPaused`` to false to start it. It is isolated to the main actor, and uses the
    /// uptime clock (`CACurrentMediaTime()`). Releasing the last reference to a `DisplayLink` ends it. The run loop
    /// retains a `CADisplayLink` with its target, but not a `DisplayLink`.
    ///
    /// The rates are divisors of the display's rate (Apple,
    /// developer.apple.com/documentation/quartzcore/cadisplaylink). The system may choose a lower rate than the
    /// preferred one in the low-power mode, or when the device is hot. A suspended app is not called, and frames in
    /// that time count as dropped, so pause the link when the app enters the background.
    @MainActor
    public final class DisplayLink {
        private let handler: @MainActor (Frame) -> Void
        private var machine = DisplayLinkMachine()
        private var link: OwnedLink?

        /// Creates a paused link.
        ///
        /// - Parameters:
        ///   - preferredFramesPerSecond: The preferred rate; see ``preferredFramesPerSecond``.
        ///   - mode: `common` if the handler is also called while the user scrolls, otherwise `default`.
        ///   - handler: Called with each frame. It is released with this object.
        public init(
            preferredFramesPerSecond: Int? = nil, mode: MainLoopMode = .common,
            handler: @escaping @MainActor (Frame) -> Void
        ) {
            self.handler = handler
            self.preferredFramesPerSecond = preferredFramesPerSecond
            #if os(Linux)
                let link = CADisplayLink { [weak self] in self?.step($0) }
            #else
                let target = DisplayLinkTarget()
                target.owner = self
                let link = CADisplayLink(target: target, selector: #selector(DisplayLinkTarget.step(_:)))
            #endif
            link.isPaused = true
            link.preferredFramesPerSecond = max(0, preferredFramesPerSecond ?? 0)
            link.add(to: .main, forMode: mode == .common ? .common : .default)
            self.link = OwnedLink(link)
        }

        /// Whether the link is paused, so that it delivers no frames.
        ///
        /// A new link is paused. After ``cancel()`` the value is true, and setting it has no effect. Frames during a
        /// pause do not count as dropped.
        public var isPaused: Bool {
            get { link?.link.isPaused ?? true }
            set {
                guard let link, link.link.isPaused != newValue else { return }
                machine.interrupted()
                link.link.isPaused = newValue
            }
        }

        /// The preferred rate in frames per second; if it is `nil`, zero or negative, the display's own rate is
        /// preferred.
        ///
        /// The system chooses the actual rate. At that rate, the length of a frame is `Frame.targetTimestamp` −
        /// `Frame.timestamp`.
        public var preferredFramesPerSecond: Int? {
            didSet {
                machine.interrupted()
                link?.link.preferredFramesPerSecond = max(0, preferredFramesPerSecond ?? 0)
            }
        }

        /// The number of frames that were dropped since the link was created, because the handler or the system was
        /// late.
        ///
        /// It is the sum of the counts in the delivered frames.
        public var droppedFrameCount: Int { machine.droppedFrameCount }

        /// Ends the link for good; it delivers no more frames.
        public func cancel() { link = nil }

        fileprivate func step(_ link: CADisplayLink) {
            let frame = machine.called(
                timestamp: link.timestamp, targetTimestamp: link.targetTimestamp, duration: link.duration)
            if let frame { handler(frame) }
        }
    }

    /// An object that owns a display link, and invalidates the link when the object is released.
    ///
    /// The class is `@unchecked Sendable` because its last reference may be released on any thread, and `invalidate` is
    /// thread-safe (Apple, developer.apple.com/documentation/quartzcore/cadisplaylink/invalidate()). Everything else is
    /// used on the main actor only.
    private final class OwnedLink: @unchecked Sendable {
        let link: CADisplayLink
        init(_ link: CADisplayLink) { self.link = link }
        deinit { link.invalidate() }
    }

    #if !os(Linux)
        /// The object that is the target of a `CADisplayLink` in place of the ``DisplayLink``.
        ///
        /// The run loop retains the link, and the link retains its target, so a ``DisplayLink`` as the target would
        /// never be released.
        @MainActor
        private final class DisplayLinkTarget: NSObject {
            weak var owner: DisplayLink?

            @objc func step(_ link: CADisplayLink) { owner?.step(link) }
        }
    #endif

    /// The conversion of a display link's readings into frames, as a pure state machine; times are in seconds of
    /// uptime.
    ///
    /// After a pause, a link may report that the next frame begins at zero, or before the current one
    /// (github.com/flutter/flutter/pull/186457). The current frame then counts as being as long as the previous one.
    struct DisplayLinkMachine: Sendable {
        /// The sum of the dropped frames of all delivered frames.
        private(set) var droppedFrameCount = 0
        private var nextNumber = 1
        private var lastTimestamp = 0.0
        /// The length of the last frame.
        private var length: Double?
        /// The time at which the next frame is due; `nil` when a delay until then does not count as dropped frames.
        private var expected: Double?

        /// Handles a pause or a change of the rate: frames until the next call do not count as dropped.
        mutating func interrupted() { expected = nil }

        /// Converts the readings of one call of the link into a frame.
        ///
        /// - Returns: The frame; `nil` when the link reports no frame, or one that was already delivered.
        mutating func called(timestamp: Double, targetTimestamp: Double, duration: Double) -> Frame? {
            guard timestamp.isFinite, timestamp > lastTimestamp else { return nil }
            let said = targetTimestamp - timestamp
            // If neither the last length nor the duration is known, a 60th of a second is assumed, as on most displays.
            let usual = length ?? (duration.isFinite && duration > 0 ? duration : 1 / 60)
            let length = said.isFinite && said > 0 ? said : usual
            // A frame that begins less than half a frame late counts as the expected one, so no frame was dropped.
            let late = expected.map { max(0, ((timestamp - $0) / length).rounded()) } ?? 0
            let dropped = Int(min(late, Double(Int32.max)))
            let number = nextNumber + dropped
            droppedFrameCount += dropped
            (nextNumber, lastTimestamp) = (number + 1, timestamp)
            (self.length, expected) = (length, timestamp + length)
            return Frame(
                number: number, timestamp: Self.instant(timestamp), targetTimestamp: Self.instant(timestamp + length),
                duration: .seconds(duration.isFinite && duration > 0 ? duration : length), droppedFrameCount: dropped)
        }

        private static func instant(_ seconds: Double) -> ClockInstant {
            ClockInstant(clock: .uptime, nanoseconds: UInt64(min(max(0, seconds * 1e9), 1e19)))
        }
    }
#endif
