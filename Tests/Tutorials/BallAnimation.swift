// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import QuartzCore

/// A ball that rolls at 120 points a second, if there are 60 frames in one: each frame moves it by two points.
public class SteppedBall {
    /// In points.
    public private(set) var position = 0.0
    public var onFrame: ((Double) -> Void)?

    private var displayLink: CADisplayLink?

    public init() {}

    /// With 0 the display decides.
    public func start(framesPerSecond: Int = 0) {
        displayLink = CADisplayLink { [weak self] _ in self?.update() }
        displayLink?.preferredFramesPerSecond = framesPerSecond
        // While the user scrolls there are no frames in this mode.
        displayLink?.add(to: .main, forMode: .default)
    }

    public func stop() {
        displayLink?.invalidate()
        displayLink = nil
    }

    private func update() {
        position += 2
        onFrame?(position)
    }
}

/// A ball that rolls at 120 points a second, however many frames there are.
public class TimedBall {
    /// In points: where the ball is when the frame is shown.
    public private(set) var position = 0.0
    public var onFrame: ((Double) -> Void)?

    private var displayLink: CADisplayLink?
    private var startTime: CFTimeInterval?

    public init() {}

    /// With 0 the display decides.
    public func start(framesPerSecond: Int = 0) {
        startTime = nil
        displayLink = CADisplayLink { [weak self] link in self?.update(link) }
        displayLink?.preferredFramesPerSecond = framesPerSecond
        displayLink?.add(to: .main, forMode: .common)
    }

    public func stop() {
        displayLink?.invalidate()
        displayLink = nil
    }

    private func update(_ link: CADisplayLink) {
        let start = startTime ?? link.timestamp
        startTime = start
        position = 120 * (link.targetTimestamp - start)
        onFrame?(position)
    }
}
