public import Foundation

/// A color, which is not drawn; in SwiftUI it is also a view.
public struct Color: Hashable, Sendable {
    /// A color of the system.
    public static let red = Color(), orange = Color(), yellow = Color(), green = Color(), blue = Color()
    /// A color of the system.
    public static let purple = Color(), pink = Color(), gray = Color(), black = Color(), white = Color(),
        clear = Color()
    /// A color of the system.
    public static let primary = Color(), secondary = Color(), mint = Color(), teal = Color()
    // The name is Apple's.
    // swift-format-ignore: DontRepeatTypeInStaticProperties
    /// The color of the app.
    public static let accentColor = Color()

    private init() {}
    /// Creates a color from its components.
    public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {}
    /// Creates a color of the app.
    public init(_ name: String, bundle: Bundle? = nil) {}
    /// Returns the color unchanged, because colors are not drawn.
    public func opacity(_ opacity: Double) -> Color { self }
}
