#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    public import ApusBackground
    public import ApusTimers
    import Foundation
    import QuartzCore

    /// Calls a handler once for each frame of the display: `CADisplayLink` with the members of `FrameTimer`.
    ///
    /// A new link is paused; set ``isPaused`` to false to start it. It is on the main actor, and on the uptime clock
    /// (`CACurrentMediaTime()`). Dropping the last reference ends it: unlike the target of a `CADisplayLink`, its owner is
    /// not kept.
    ///
    /// The rates are divisors of the display's (Apple, developer.apple.com/documentation/quartzcore/cadisplaylink), and the
    /// system may choose a lower one: in the low-power mode, or when the device is hot. A suspended app is not called;
    /// what passes then counts as dropped, so pause when the app enters the background.
    @MainActor
    public final class DisplayLink {
        private let handler: @MainActor (Frame) -> Void
        private var machine = DisplayLinkMachine()
        private var link: OwnedLink?

        /// A paused link.
        ///
        /// - Parameters:
        ///   - preferredFramesPerSecond: The rate that is wished for; see ``preferredFramesPerSecond``.
        ///   - mode: Whether the handler is called while the user scrolls: `common`, or not: `default`.
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

        /// Whether no frames come. True for a new link, and for good after ``cancel()``, when setting it does nothing.
        /// The frames of a pause are not dropped.
        public var isPaused: Bool {
            get { link?.link.isPaused ?? true }
            set {
                guard let link, link.link.isPaused != newValue else { return }
                machine.interrupted()
                link.link.isPaused = newValue
            }
        }

        /// The rate that is wished for, in frames per second; nil, zero and negative values: the display's own. The actual
        /// one is the system's choice: `Frame.targetTimestamp` − `Frame.timestamp` is the length of a frame.
        public var preferredFramesPerSecond: Int? {
            didSet {
                machine.interrupted()
                link?.link.preferredFramesPerSecond = max(0, preferredFramesPerSecond ?? 0)
            }
        }

        /// How many frames were dropped since the link was made, because the handler or the system was late: the sum of
        /// what the delivered frames said.
        public var droppedFrameCount: Int { machine.droppedFrameCount }

        /// Ends the link for good. No frame comes after this.
        public func cancel() { link = nil }

        fileprivate func step(_ link: CADisplayLink) {
            let frame = machine.called(
                timestamp: link.timestamp, targetTimestamp: link.targetTimestamp, duration: link.duration)
            if let frame { handler(frame) }
        }
    }

    /// A link that is invalidated with the last reference to this.
    ///
    /// For `@unchecked Sendable`, because it may be released on any thread: `invalidate` is thread-safe (Apple,
    /// developer.apple.com/documentation/quartzcore/cadisplaylink/invalidate()); all else is used on the main actor.
    private final class OwnedLink: @unchecked Sendable {
        let link: CADisplayLink
        init(_ link: CADisplayLink) { self.link = link }
        deinit { link.invalidate() }
    }

    #if !os(Linux)
        /// A link keeps its target, and the run loop keeps the link: so the target is not the object that has to go.
        @MainActor
        private final class DisplayLinkTarget: NSObject {
            weak var owner: DisplayLink?

            @objc func step(_ link: CADisplayLink) { owner?.step(link) }
        }
    #endif

    /// Makes frames of what a display link says, without display or link. Times are in seconds of uptime.
    ///
    /// After a pause a link may say that the next frame begins at zero, or before the shown one
    /// (github.com/flutter/flutter/pull/186457); then the length of the frame before is taken.
    struct DisplayLinkMachine: Sendable {
        /// The sum of what the frames said.
        private(set) var droppedFrameCount = 0
        private var nextNumber = 1
        private var lastTimestamp = 0.0
        /// The length of the last frame.
        private var length: Double?
        /// When the next frame is due; nil when a delay until then counts as no dropped frame.
        private var expected: Double?

        /// The link was paused, or has another rate: what passes until its next call was not dropped.
        mutating func interrupted() { expected = nil }

        /// The link has called. Nil when it says nothing new: no frame, or one that was there.
        mutating func called(timestamp: Double, targetTimestamp: Double, duration: Double) -> Frame? {
            guard timestamp.isFinite, timestamp > lastTimestamp else { return nil }
            let said = targetTimestamp - timestamp
            // A 60th of a second where no interval is known yet: what most displays have.
            let usual = length ?? (duration.isFinite && duration > 0 ? duration : 1 / 60)
            let length = said.isFinite && said > 0 ? said : usual
            // A frame that is late by less than half of one is the expected one.
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
