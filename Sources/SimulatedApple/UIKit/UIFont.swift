/// The name and size of a font, which is not drawn here.
///
/// It can be used on any thread.
open class UIFont: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing changes after `init`.

    /// The thickness of the strokes, from -1 to 1.
    public struct Weight: RawRepresentable, Hashable, Sendable {
        /// The thickness of the strokes.
        public let rawValue: CGFloat
        /// Creates a weight with this thickness of the strokes.
        public init(rawValue: CGFloat) { self.rawValue = rawValue }
        /// Very thin.
        public static let ultraLight = Weight(rawValue: -0.8)
        /// Thin.
        public static let thin = Weight(rawValue: -0.6)
        /// Light.
        public static let light = Weight(rawValue: -0.4)
        /// The normal weight.
        public static let regular = Weight(rawValue: 0)
        /// Between regular and semibold.
        public static let medium = Weight(rawValue: 0.23)
        /// Between medium and bold.
        public static let semibold = Weight(rawValue: 0.3)
        /// Bold.
        public static let bold = Weight(rawValue: 0.4)
        /// Heavier than bold.
        public static let heavy = Weight(rawValue: 0.56)
        /// The heaviest.
        public static let black = Weight(rawValue: 0.62)
    }

    /// The purpose of a text, which determines its size.
    public struct TextStyle: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// Creates a style with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The largest title.
        public static let largeTitle = TextStyle(rawValue: "UICTFontTextStyleTitle0")
        /// A first-level title.
        public static let title1 = TextStyle(rawValue: "UICTFontTextStyleTitle1")
        /// A second-level title.
        public static let title2 = TextStyle(rawValue: "UICTFontTextStyleTitle2")
        /// A headline.
        public static let headline = TextStyle(rawValue: "UICTFontTextStyleHeadline")
        /// The main text.
        public static let body = TextStyle(rawValue: "UICTFontTextStyleBody")
        /// A note.
        public static let footnote = TextStyle(rawValue: "UICTFontTextStyleFootnote")
    }

    /// The size in points.
    public let pointSize: CGFloat
    /// The font's name.
    public let fontName: String

    private init(_ name: String, _ size: CGFloat) {
        fontName = name
        pointSize = size
        super.init()
    }

    /// Returns the system's font; the weight has no effect here.
    open class func systemFont(ofSize fontSize: CGFloat, weight: Weight = .regular) -> UIFont {
        UIFont(".SFUI", fontSize)
    }
    /// Returns the system's font; it is not bold here.
    open class func boldSystemFont(ofSize fontSize: CGFloat) -> UIFont { systemFont(ofSize: fontSize, weight: .bold) }
    /// Returns the system's font with digits of equal width, so that a running time does not jitter; the weight has no
    /// effect here.
    open class func monospacedDigitSystemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont {
        UIFont(".SFUI", fontSize)
    }
    /// Returns the system's font with letters of equal width; the weight has no effect here.
    open class func monospacedSystemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont {
        UIFont(".SFMono", fontSize)
    }
    /// Returns the font for a style at the default text size.
    open class func preferredFont(forTextStyle style: TextStyle) -> UIFont {
        UIFont(".SFUI", [.largeTitle: 34, .title1: 28, .title2: 22, .footnote: 13][style] ?? 17)
    }
}
