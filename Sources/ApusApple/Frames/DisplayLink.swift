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
#endif
