import ApusBackground
import ApusTimers

/// A balloon that rises for three seconds, by one step in each frame of the display.
@MainActor
final class Balloon {
    private static let framesPerSecond = 60
    private static let length = 3 * framesPerSecond

    private let report: @MainActor (BalloonSnapshot?) -> Void
    private var frames: FrameTimer?
    private var drawn = 0
    /// The number of frames that have passed, including dropped frames, so that the balloon arrives on time.
    private var passed = 0

    /// Creates a balloon that stands still.
    init(host: any BackgroundHost, report: @escaping @MainActor (BalloonSnapshot?) -> Void) {
        self.report = report
        do throws(TimerError) {
            frames = try FrameTimer(
                maximumFramesPerSecond: Self.framesPerSecond, clock: .uptime, on: .engine, engine: host.engine
            ) { [weak self, mainLoop = host.mainLoop] frame in
                mainLoop.run { [weak self] in self?.rise(frame) }
            }
        } catch {
            preconditionFailure("60 is a rate that displays have: \(error)")
        }
    }

    /// Whether the balloon stands still, in which case nothing wakes the device.
    var isPaused: Bool {
        get { frames?.isPaused ?? true }
        set { frames?.isPaused = newValue }
    }

    var snapshot: BalloonSnapshot {
        BalloonSnapshot(progress: min(1, Double(passed) / Double(Self.length)), frames: drawn)
    }

    private func rise(_ frame: Frame) {
        guard frames != nil else { return }
        drawn += 1
        passed += 1 + frame.droppedFrameCount
        report(snapshot)
        guard passed >= Self.length else { return }
        frames?.cancel()
        frames = nil
        report(nil)
    }
}

/// The visible state of the balloon.
public struct BalloonSnapshot: Codable, Sendable, Hashable {
    /// The height from 0, at the bottom, to 1.
    public var progress: Double
    /// The number of frames that were drawn.
    public var frames: Int
}
