/// A color, which is not drawn here but can be compared in tests.
///
/// It can be used on any thread.
open class UIColor: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing changes after `init`.

    private let components: [CGFloat]

    /// Creates a color from three components and an opacity, each from 0 to 1.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        components = [red, green, blue, alpha]
        super.init()
    }

    /// Creates a shade of gray with an opacity, each from 0 to 1.
    public convenience init(white: CGFloat, alpha: CGFloat) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    /// Returns the same color with another opacity.
    open func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
        UIColor(red: components[0], green: components[1], blue: components[2], alpha: alpha)
    }

    /// The color in the form that layers use.
    open var cgColor: CGColor {
        CGColor(red: components[0], green: components[1], blue: components[2], alpha: components[3])
    }

    /// Whether the other object is a color with the same components.
    override open func isEqual(_ object: Any?) -> Bool { (object as? UIColor)?.components == components }

    override open var hash: Int { components.hashValue }

    /// The components in words.
    override open var description: String {
        "UIColor(\(components.map(String.init(describing:)).joined(separator: " ")))"
    }
}

// The dynamic colors (`label`, `systemRed` …) have only their value for the light appearance.
extension UIColor {
    private class func rgb(_ red: Int, _ green: Int, _ blue: Int, _ alpha: CGFloat = 1) -> UIColor {
        UIColor(red: CGFloat(red) / 255, green: CGFloat(green) / 255, blue: CGFloat(blue) / 255, alpha: alpha)
    }

    /// Black.
    public class var black: UIColor { UIColor(white: 0, alpha: 1) }
    /// Dark gray.
    public class var darkGray: UIColor { UIColor(white: 1.0 / 3, alpha: 1) }
    /// Gray.
    public class var gray: UIColor { UIColor(white: 0.5, alpha: 1) }
    /// Light gray.
    public class var lightGray: UIColor { UIColor(white: 2.0 / 3, alpha: 1) }
    /// White.
    public class var white: UIColor { UIColor(white: 1, alpha: 1) }
    /// Fully transparent black.
    public class var clear: UIColor { UIColor(white: 0, alpha: 0) }
    /// Red.
    public class var red: UIColor { rgb(255, 0, 0) }
    /// Green.
    public class var green: UIColor { rgb(0, 255, 0) }
    /// Blue.
    public class var blue: UIColor { rgb(0, 0, 255) }
    /// Cyan.
    public class var cyan: UIColor { rgb(0, 255, 255) }
    /// Yellow.
    public class var yellow: UIColor { rgb(255, 255, 0) }
    /// Magenta.
    public class var magenta: UIColor { rgb(255, 0, 255) }
    /// Orange.
    public class var orange: UIColor { UIColor(red: 1, green: 0.5, blue: 0, alpha: 1) }
    /// Purple.
    public class var purple: UIColor { UIColor(red: 0.5, green: 0, blue: 0.5, alpha: 1) }
    /// Brown.
    public class var brown: UIColor { UIColor(red: 0.6, green: 0.4, blue: 0.2, alpha: 1) }

    /// The system's red.
    public class var systemRed: UIColor { rgb(255, 59, 48) }
    /// The system's orange.
    public class var systemOrange: UIColor { rgb(255, 149, 0) }
    /// The system's yellow.
    public class var systemYellow: UIColor { rgb(255, 204, 0) }
    /// The system's green.
    public class var systemGreen: UIColor { rgb(52, 199, 89) }
    /// The system's teal.
    public class var systemTeal: UIColor { rgb(48, 176, 199) }
    /// The system's blue.
    public class var systemBlue: UIColor { rgb(0, 122, 255) }
    /// The system's indigo.
    public class var systemIndigo: UIColor { rgb(88, 86, 214) }
    /// The system's purple.
    public class var systemPurple: UIColor { rgb(175, 82, 222) }
    /// The system's pink.
    public class var systemPink: UIColor { rgb(255, 45, 85) }
    /// The system's gray.
    public class var systemGray: UIColor { rgb(142, 142, 147) }
    /// A lighter gray of the system.
    public class var systemGray2: UIColor { rgb(174, 174, 178) }
    /// A lighter gray of the system.
    public class var systemGray3: UIColor { rgb(199, 199, 204) }
    /// A lighter gray of the system.
    public class var systemGray4: UIColor { rgb(209, 209, 214) }
    /// A lighter gray of the system.
    public class var systemGray5: UIColor { rgb(229, 229, 234) }
    /// A lighter gray of the system.
    public class var systemGray6: UIColor { rgb(242, 242, 247) }
    /// The color of text.
    public class var label: UIColor { black }
    /// The color of less important text.
    public class var secondaryLabel: UIColor { rgb(60, 60, 67, 0.6) }
    /// The color of the background.
    public class var systemBackground: UIColor { white }
    /// The color of the background of groups.
    public class var secondarySystemBackground: UIColor { rgb(242, 242, 247) }
}
