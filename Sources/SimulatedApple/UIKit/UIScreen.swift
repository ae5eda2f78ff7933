import SimulatedAppleCore

/// The phone's screen: 390 × 844 points and 60 frames per second, as ``CADisplayLink`` here has it.
@preconcurrency @MainActor
open class UIScreen: NSObject {
    /// The screen.
    public class var main: UIScreen { SimulatedPhone.process.shared.object(of: UIScreen.self) { UIScreen() } }

    /// The size, in points, from the origin.
    open var bounds: CGRect { CGRect(x: 0, y: 0, width: 390, height: 844) }
    /// Pixels for each point.
    open var scale: CGFloat { 3 }
    /// The most frames in a second.
    open var maximumFramesPerSecond: Int { 60 }
    /// How bright it is, from 0 to 1. Without effect here.
    open var brightness: CGFloat = 0.5

    override fileprivate init() { super.init() }
}
