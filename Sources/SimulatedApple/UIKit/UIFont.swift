/// A font's name for a size and a weight. Nothing is drawn here. From any thread.
open class UIFont: NSObject, @unchecked Sendable {
    // For `@unchecked Sendable`: nothing changes after `init`.

    /// How heavy the strokes are, from -1 to 1.
    public struct Weight: RawRepresentable, Hashable, Sendable {
        /// The number.
        public let rawValue: CGFloat
        /// A weight with that number.
        public init(rawValue: CGFloat) { self.rawValue = rawValue }
        /// Very thin.
        public static let ultraLight = Weight(rawValue: -0.8)
        /// Thin.
        public static let thin = Weight(rawValue: -0.6)
        /// Light.
        public static let light = Weight(rawValue: -0.4)
        /// As usual.
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

    /// What a text is for; decides about its size.
    public struct TextStyle: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String
        /// A style with that name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The largest title.
        public static let largeTitle = TextStyle(rawValue: "UICTFontTextStyleTitle0")
        /// A title.
        public static let title1 = TextStyle(rawValue: "UICTFontTextStyleTitle1")
        /// A title.
        public static let title2 = TextStyle(rawValue: "UICTFontTextStyleTitle2")
        /// A headline.
        public static let headline = TextStyle(rawValue: "UICTFontTextStyleHeadline")
        /// Text.
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

    /// The system's font.
    open class func systemFont(ofSize fontSize: CGFloat, weight: Weight = .regular) -> UIFont {
        UIFont(".SFUI", fontSize)
    }
    /// The system's bold font.
    open class func boldSystemFont(ofSize fontSize: CGFloat) -> UIFont { systemFont(ofSize: fontSize, weight: .bold) }
    /// The system's font with digits of one width, so that a running time does not jitter.
    open class func monospacedDigitSystemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont {
        UIFont(".SFUI", fontSize)
    }
    /// The system's font with letters of one width.
    open class func monospacedSystemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont {
        UIFont(".SFMono", fontSize)
    }
    /// The font for a style, at the default text size.
    open class func preferredFont(forTextStyle style: TextStyle) -> UIFont {
        UIFont(".SFUI", [.largeTitle: 34, .title1: 28, .title2: 22, .footnote: 13][style] ?? 17)
    }
}
