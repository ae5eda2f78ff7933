#if SimulatedApple
    // Types that describe how a view looks. Nothing is drawn, so they have names and no more. Rules: Apple, the pages
    // of the same names.

    /// How letters look.
    public struct Font: Hashable, Sendable {
        /// How thick letters are.
        public enum Weight: Hashable, Sendable {
            /// From the thinnest to the thickest.
            case ultraLight, thin, light, regular, medium, semibold, bold, heavy, black
        }
        /// What letters are like.
        public enum Design: Hashable, Sendable {
            /// Of the system, with serifs, with round ends, or all of one width.
            case `default`, serif, rounded, monospaced
        }
        /// What a text is.
        public enum TextStyle: Hashable, Sendable, CaseIterable {
            /// From the largest to the smallest.
            case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption, caption2
        }

        /// The font of that style.
        public static let largeTitle = Font(), title = Font(), title2 = Font(), title3 = Font()
        /// The font of that style.
        public static let headline = Font(), subheadline = Font(), body = Font(), callout = Font()
        /// The font of that style.
        public static let footnote = Font(), caption = Font(), caption2 = Font()

        /// The system's font of a size.
        public static func system(size: CGFloat, weight: Weight? = nil, design: Design? = nil) -> Font { Font() }
        /// The system's font of a style.
        public static func system(_ style: TextStyle, design: Design? = nil, weight: Weight? = nil) -> Font { Font() }
        /// With digits of one width.
        public func monospacedDigit() -> Font { self }
        /// With letters of one width.
        public func monospaced() -> Font { self }
        /// Bold.
        public func bold() -> Font { self }
        /// Of that weight.
        public func weight(_ weight: Weight) -> Font { self }
    }

    /// What something is filled with.
    public protocol ShapeStyle: Sendable {}

    /// A colour; it is also a view.
    public struct Color: ShapeStyle, View, Primitive, Hashable {
        /// None; the graph knows it.
        public typealias Body = Never

        /// A colour of the system.
        public static let red = Color(), orange = Color(), yellow = Color(), green = Color(), blue = Color()
        /// A colour of the system.
        public static let purple = Color(), pink = Color(), gray = Color(), black = Color(), white = Color(),
            clear = Color()
        /// A colour of the system.
        public static let primary = Color(), secondary = Color(), mint = Color(), teal = Color()

        private init() {}
        /// A colour by its parts.
        public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {}
        /// A colour of the app.
        public init(_ name: String, bundle: Bundle? = nil) {}
        /// The colour, more or less transparent.
        public func opacity(_ opacity: Double) -> Color { self }
    }

    extension ShapeStyle where Self == Color {
        /// A colour of the system.
        public static var red: Color { .red }
        /// A colour of the system.
        public static var orange: Color { .orange }
        /// A colour of the system.
        public static var yellow: Color { .yellow }
        /// A colour of the system.
        public static var green: Color { .green }
        /// A colour of the system.
        public static var blue: Color { .blue }
        /// A colour of the system.
        public static var gray: Color { .gray }
        /// A colour of the system.
        public static var black: Color { .black }
        /// A colour of the system.
        public static var white: Color { .white }
    }

    /// A step of what is in front.
    public struct HierarchicalShapeStyle: ShapeStyle {}
    extension ShapeStyle where Self == HierarchicalShapeStyle {
        /// The first step.
        public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
        /// The second step.
        public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
        /// The third step.
        public static var tertiary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
    }

    /// Where views stand beside each other.
    public enum HorizontalAlignment: Sendable {
        /// At that side.
        case leading, center, trailing
    }

    /// Where views stand below each other.
    public enum VerticalAlignment: Sendable {
        /// At that side.
        case top, center, bottom, firstTextBaseline, lastTextBaseline
    }

    /// Where views stand in front of each other.
    public enum Alignment: Sendable {
        /// At that corner or side.
        case center, leading, trailing, top, bottom, topLeading, topTrailing, bottomLeading, bottomTrailing
    }

    /// Where the lines of a text begin.
    public enum TextAlignment: Sendable {
        /// At that side.
        case leading, center, trailing
    }

    /// A direction.
    public enum Axis: Sendable {
        /// Across or down.
        case horizontal, vertical

        /// Directions.
        public struct Set: OptionSet, Sendable {
            /// The bits.
            public let rawValue: Int
            /// Directions with these bits.
            public init(rawValue: Int) { self.rawValue = rawValue }
            /// Across.
            public static let horizontal = Set(rawValue: 1)
            /// Down.
            public static let vertical = Set(rawValue: 2)
        }
    }

    /// A side.
    public enum Edge: Sendable {
        /// That side.
        case top, leading, bottom, trailing

        /// Sides.
        public struct Set: OptionSet, Sendable {
            /// The bits.
            public let rawValue: Int
            /// Sides with these bits.
            public init(rawValue: Int) { self.rawValue = rawValue }
            /// One side.
            public static let top = Set(rawValue: 1), leading = Set(rawValue: 2)
            /// One side.
            public static let bottom = Set(rawValue: 4), trailing = Set(rawValue: 8)
            /// Several sides.
            public static let horizontal = Set(rawValue: 10), vertical = Set(rawValue: 5), all = Set(rawValue: 15)
        }
    }

    /// What a button is for.
    public enum ButtonRole: Sendable {
        /// It deletes, or it leaves.
        case destructive, cancel
    }

    /// How buttons look.
    public enum ButtonStyleName: Sendable {
        /// That look.
        case automatic, bordered, borderedProminent, borderless, plain
    }

    /// How lists look.
    public enum ListStyleName: Sendable {
        /// That look.
        case automatic, plain, grouped, insetGrouped, inset, sidebar
    }

    /// How large controls are.
    public enum ControlSize: Sendable {
        /// That size.
        case mini, small, regular, large, extraLarge
    }

    /// How something moves. It is there at once.
    public struct Animation: Hashable, Sendable {
        /// A movement.
        public static let `default` = Animation(), linear = Animation(), easeIn = Animation(), easeOut = Animation()
        /// A movement.
        public static let easeInOut = Animation(), spring = Animation()
        /// A movement of that many seconds.
        public static func linear(duration: TimeInterval) -> Animation { Animation() }
        /// A movement of that many seconds.
        public static func easeInOut(duration: TimeInterval) -> Animation { Animation() }
    }

    /// Calls `body`; nothing moves. Rule: Apple, "withAnimation(_:_:)".
    @MainActor @preconcurrency
    public func withAnimation<Result>(
        _ animation: Animation? = .default, _ body: () throws -> Result
    ) rethrows -> Result {
        try body()
    }
#endif
