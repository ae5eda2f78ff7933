// The declarations are public for the tests; the code is as people copy it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import QuartzCore

/// A ball that moves by two points in each frame, and so by 120 points a second if there are 60 frames in a second.
public class SteppedBall {
    /// The position of the ball in points.
    public private(set) var position = 0.0
    public var onFrame: ((Double) -> Void)?

    private var displayLink: CADisplayLink?

    public init() {}

    /// Starts to roll at the given number of frames per second; 0 lets the display decide.
    public func start(framesPerSecond: Int = 0) {
        displayLink = CADisplayLink { [weak self] _ in self?.update() }
        displayLink?.preferredFramesPerSecond = framesPerSecond
        // In this mode, there are no frames while the user scrolls.
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

/// A ball that rolls at 120 points a second, at any number of frames per second.
public class TimedBall {
    /// The position of the ball in points, at the time at which the frame is shown.
    public private(set) var position = 0.0
    public var onFrame: ((Double) -> Void)?

    private var displayLink: CADisplayLink?
    private var startTime: CFTimeInterval?

    public init() {}

    /// Starts to roll at the given number of frames per second; 0 lets the display decide.
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
