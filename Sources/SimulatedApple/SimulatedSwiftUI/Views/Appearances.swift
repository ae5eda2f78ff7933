#if SimulatedApple
    // Types that describe how views look. Nothing is drawn, so they contain no more than their names. Rules: Apple, the
    // pages of the same names.

    /// The font of a text.
    public struct Font: Hashable, Sendable {
        /// The thickness of letters.
        public enum Weight: Hashable, Sendable {
            /// A weight, from the thinnest to the thickest.
            case ultraLight, thin, light, regular, medium, semibold, bold, heavy, black
        }
        /// The design of letters.
        public enum Design: Hashable, Sendable {
            /// The design of the system, with serifs, with rounded letters, or with a fixed width.
            case `default`, serif, rounded, monospaced
        }
        /// The role of a text.
        public enum TextStyle: Hashable, Sendable, CaseIterable {
            /// A style, from the largest to the smallest.
            case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption, caption2
        }

        /// The font of the style with this name.
        public static let largeTitle = Font(), title = Font(), title2 = Font(), title3 = Font()
        /// The font of the style with this name.
        public static let headline = Font(), subheadline = Font(), body = Font(), callout = Font()
        /// The font of the style with this name.
        public static let footnote = Font(), caption = Font(), caption2 = Font()

        /// Returns the system's font with a size.
        public static func system(size: CGFloat, weight: Weight? = nil, design: Design? = nil) -> Font { Font() }
        /// Returns the system's font for a style.
        public static func system(_ style: TextStyle, design: Design? = nil, weight: Weight? = nil) -> Font { Font() }
        /// Returns the font with digits of one width.
        public func monospacedDigit() -> Font { self }
        /// Returns the font with letters of one width.
        public func monospaced() -> Font { self }
        /// Returns the bold font.
        public func bold() -> Font { self }
        /// Returns the font with a weight.
        public func weight(_ weight: Weight) -> Font { self }
    }

    /// A style that fills a shape.
    public protocol ShapeStyle: Sendable {}

    extension Color: ShapeStyle, View, Primitive {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
    }

    extension ShapeStyle where Self == Color {
        /// A color of the system.
        public static var red: Color { .red }
        /// A color of the system.
        public static var orange: Color { .orange }
        /// A color of the system.
        public static var yellow: Color { .yellow }
        /// A color of the system.
        public static var green: Color { .green }
        /// A color of the system.
        public static var blue: Color { .blue }
        /// A color of the system.
        public static var gray: Color { .gray }
        /// A color of the system.
        public static var black: Color { .black }
        /// A color of the system.
        public static var white: Color { .white }
    }

    /// A level of the foreground style.
    public struct HierarchicalShapeStyle: ShapeStyle {}
    extension ShapeStyle where Self == HierarchicalShapeStyle {
        /// The first level.
        public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
        /// The second level.
        public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
        /// The third level.
        public static var tertiary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
    }

    /// The horizontal alignment of views that are stacked vertically.
    public enum HorizontalAlignment: Sendable {
        /// The edge or center of the alignment.
        case leading, center, trailing
    }

    /// The vertical alignment of views that are placed side by side.
    public enum VerticalAlignment: Sendable {
        /// The edge, center or baseline of the alignment.
        case top, center, bottom, firstTextBaseline, lastTextBaseline
    }

    /// The alignment of views that overlap.
    public enum Alignment: Sendable {
        /// The center, edge or corner of the alignment.
        case center, leading, trailing, top, bottom, topLeading, topTrailing, bottomLeading, bottomTrailing
    }

    /// The alignment of the lines of a text.
    public enum TextAlignment: Sendable {
        /// The edge or center of the alignment.
        case leading, center, trailing
    }

    /// An axis of the screen.
    public enum Axis: Sendable {
        /// The horizontal or the vertical axis.
        case horizontal, vertical

        /// A set of axes.
        public struct Set: OptionSet, Sendable {
            /// The bits of the set.
            public let rawValue: Int
            /// Creates a set with these bits.
            public init(rawValue: Int) { self.rawValue = rawValue }
            /// The horizontal axis.
            public static let horizontal = Set(rawValue: 1)
            /// The vertical axis.
            public static let vertical = Set(rawValue: 2)
        }
    }

    /// An edge of a rectangle.
    public enum Edge: Sendable {
        /// One of the four edges.
        case top, leading, bottom, trailing

        /// A set of edges.
        public struct Set: OptionSet, Sendable {
            /// The bits of the set.
            public let rawValue: Int
            /// Creates a set with these bits.
            public init(rawValue: Int) { self.rawValue = rawValue }
            /// One edge.
            public static let top = Set(rawValue: 1), leading = Set(rawValue: 2)
            /// One edge.
            public static let bottom = Set(rawValue: 4), trailing = Set(rawValue: 8)
            /// Several edges.
            public static let horizontal = Set(rawValue: 10), vertical = Set(rawValue: 5), all = Set(rawValue: 15)
        }
    }

    /// The role of a button.
    public enum ButtonRole: Sendable {
        /// The button deletes something, or cancels an operation.
        case destructive, cancel
    }

    /// The style of buttons.
    public enum ButtonStyleName: Sendable {
        /// A style of buttons, without effect.
        case automatic, bordered, borderedProminent, borderless, plain
    }

    /// The style of lists.
    public enum ListStyleName: Sendable {
        /// A style of lists, without effect.
        case automatic, plain, grouped, insetGrouped, inset, sidebar
    }

    /// The size of controls.
    public enum ControlSize: Sendable {
        /// A size of controls, without effect.
        case mini, small, regular, large, extraLarge
    }

    /// An animation, which is skipped here: views change at once.
    public struct Animation: Hashable, Sendable {
        /// A standard animation.
        public static let `default` = Animation(), linear = Animation(), easeIn = Animation(), easeOut = Animation()
        /// A standard animation.
        public static let easeInOut = Animation(), spring = Animation()
        /// Returns a linear animation with a duration in seconds.
        public static func linear(duration: TimeInterval) -> Animation { Animation() }
        /// Returns an animation that starts and ends slowly, with a duration in seconds.
        public static func easeInOut(duration: TimeInterval) -> Animation { Animation() }
    }

    /// Calls `body` without an animation.
    ///
    /// Rule: Apple, "withAnimation(_:_:)".
    @MainActor @preconcurrency
    public func withAnimation<Result>(
        _ animation: Animation? = .default, _ body: () throws -> Result
    ) rethrows -> Result {
        try body()
    }
#endif
