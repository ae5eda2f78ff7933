#if SimulatedApple
    // More types that describe how views look, without effect. Rules: Apple, the pages of the same names.

    /// How an image is scaled to the space that it has.
    public enum ContentMode: Hashable, Sendable, CaseIterable {
        /// The whole image is visible, or the image covers the whole space.
        case fit, fill
    }

    extension Text {
        /// The part of a long text that is left out.
        public enum TruncationMode: Sendable {
            /// The beginning, the end or the middle.
            case head, tail, middle
        }
        /// The case of the letters.
        public enum Case: Sendable {
            /// Uppercase or lowercase letters.
            case uppercase, lowercase
        }
    }

    extension Image {
        /// The way in which an image is colored.
        public enum TemplateRenderingMode: Sendable {
            /// The image is drawn in one color, or in its own colors.
            case template, original
        }
        /// Returns the image unchanged.
        public func renderingMode(_ renderingMode: TemplateRenderingMode?) -> Image { self }
        /// Returns the image unchanged.
        public func symbolRenderingMode(_ mode: SymbolRenderingMode?) -> Image { self }
        /// Returns the image unchanged.
        public func font(_ font: Font?) -> Image { self }
        /// Creates an image.
        public init(uiImage: UIImage) { self.init(systemName: "") }
        /// Creates an image that is not read aloud.
        public init(decorative name: String, bundle: Bundle? = nil) { self.init(name) }
    }

    /// The coloring of symbols.
    public struct SymbolRenderingMode: Sendable {
        /// A coloring, without effect.
        public static let monochrome = SymbolRenderingMode(), multicolor = SymbolRenderingMode()
        /// A coloring, without effect.
        public static let hierarchical = SymbolRenderingMode(), palette = SymbolRenderingMode()
    }

    extension Color {
        /// A color of the system.
        public static let cyan = Color(red: 0, green: 1, blue: 1), indigo = Color(red: 0.3, green: 0, blue: 0.5)
        /// A color of the system.
        public static let brown = Color(red: 0.6, green: 0.4, blue: 0.2)
        /// The color of the controls that the user can touch.
        public static let accentColor = Color.blue
        /// Creates a color from a UIKit color.
        public init(_ color: UIColor) { self.init(red: 0, green: 0, blue: 0) }
        /// Creates a color from a UIKit color.
        public init(uiColor: UIColor) { self.init(red: 0, green: 0, blue: 0) }
        /// Creates a shade of gray.
        public init(white: Double, opacity: Double = 1) { self.init(red: white, green: white, blue: white) }
        /// Creates a color from its hue, saturation and brightness.
        public init(hue: Double, saturation: Double, brightness: Double, opacity: Double = 1) {
            self.init(red: 0, green: 0, blue: 0)
        }
        /// The color with a slight gradient.
        public var gradient: LinearGradient { LinearGradient(colors: [self], startPoint: .top, endPoint: .bottom) }
    }

    extension ShapeStyle where Self == Color {
        /// A color of the system.
        public static var purple: Color { .purple }
        /// A color of the system.
        public static var pink: Color { .pink }
        /// A color of the system.
        public static var mint: Color { .mint }
        /// A color of the system.
        public static var teal: Color { .teal }
        /// A color of the system.
        public static var cyan: Color { .cyan }
        /// A color of the system.
        public static var indigo: Color { .indigo }
        /// A color of the system.
        public static var brown: Color { .brown }
        /// A color of the system.
        public static var clear: Color { .clear }
        /// The color of the controls that the user can touch.
        public static var accentColor: Color { .accentColor }
    }

    extension Font {
        /// Returns the font for body text, because the fonts of an app are not drawn.
        public static func custom(_ name: String, size: CGFloat) -> Font { .body }
        /// Returns the font for body text, because the fonts of an app are not drawn.
        public static func custom(_ name: String, size: CGFloat, relativeTo textStyle: TextStyle) -> Font { .body }
        /// Returns the font unchanged, because slants are not drawn.
        public func italic() -> Font { self }
        /// Returns the font unchanged, because small capitals are not drawn.
        public func smallCaps() -> Font { self }
    }

    extension Animation {
        /// Returns an animation with a duration in seconds.
        public static func easeIn(duration: TimeInterval) -> Animation { .default }
        /// Returns an animation with a duration in seconds.
        public static func easeOut(duration: TimeInterval) -> Animation { .default }
        /// Returns an animation of a spring.
        public static func spring(
            response: Double = 0.5, dampingFraction: Double = 0.825, blendDuration: TimeInterval = 0
        ) -> Animation { .default }
        /// Returns the animation unchanged.
        public func delay(_ delay: TimeInterval) -> Animation { self }
        /// Returns the animation unchanged.
        public func speed(_ speed: Double) -> Animation { self }
        /// Returns the animation unchanged.
        public func repeatCount(_ repeatCount: Int, autoreverses: Bool = true) -> Animation { self }
        /// Returns the animation unchanged.
        public func repeatForever(autoreverses: Bool = true) -> Animation { self }
    }

    /// The animation with which a view appears or disappears.
    public struct AnyTransition: Sendable {
        /// A transition, which has no effect here.
        public static let opacity = AnyTransition(), slide = AnyTransition(), identity = AnyTransition()
        /// A transition, which has no effect here.
        public static let scale = AnyTransition()
        /// Returns a transition, which has no effect here.
        public static func move(edge: Edge) -> AnyTransition { AnyTransition() }
        /// Returns a transition, which has no effect here.
        public static func scale(scale: CGFloat, anchor: UnitPoint = .center) -> AnyTransition { AnyTransition() }
        /// Returns a transition, which has no effect here.
        public static func asymmetric(insertion: AnyTransition, removal: AnyTransition) -> AnyTransition { insertion }
        /// Returns the transition unchanged.
        public func combined(with other: AnyTransition) -> AnyTransition { self }
        /// Returns the transition unchanged.
        public func animation(_ animation: Animation?) -> AnyTransition { self }
    }

    /// The animation with which a text changes.
    public struct ContentTransition: Sendable {
        /// A transition, which has no effect here.
        public static let identity = ContentTransition(), opacity = ContentTransition()
        /// Returns a transition, which has no effect here.
        public static func numericText(countsDown: Bool = false) -> ContentTransition { ContentTransition() }
    }

    /// The parts of the screen that belong to the system.
    public struct SafeAreaRegions: OptionSet, Sendable {
        /// The raw value, in which each bit stands for one part of the screen.
        public let rawValue: UInt
        /// Creates a set with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// All of these parts, or all except the keyboard.
        public static let all = SafeAreaRegions(rawValue: 3), container = SafeAreaRegions(rawValue: 1)
        /// The part that the keyboard covers.
        public static let keyboard = SafeAreaRegions(rawValue: 2)
    }

    /// The style of a picker.
    public enum PickerStyleName: Sendable {
        /// A style of a picker, without effect.
        case automatic, inline, menu, segmented, wheel, navigationLink, compact, graphical
    }

    /// The style of a switch, a field, a label, tabs or a stack of views.
    public enum ControlStyleName: Sendable {
        /// A style, without effect.
        case automatic, `switch`, button, plain, roundedBorder, iconOnly, titleOnly, titleAndIcon, linear, circular
        /// A style of a stack of views, without effect.
        case stack, columns
        /// The style of a `TabView` whose pages the user turns.
        case page

        /// When the row of points below the pages is shown, without effect.
        public enum IndexDisplayMode: Sendable {
            /// The row is shown if there are several pages, always, or never.
            case automatic, always, never
        }

        /// Returns the style of a `TabView` whose pages the user turns; the row of points below them has no effect.
        public static func page(indexDisplayMode: IndexDisplayMode) -> ControlStyleName { .page }
    }

    // The name is Apple's.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Returns the style that is written `.page` since iOS 15; the row of points below the pages has no effect.
    public func PageTabViewStyle(
        indexDisplayMode: ControlStyleName.IndexDisplayMode = .automatic
    ) -> ControlStyleName { .page }

    // The name is Apple's.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Returns the style that is written `.segmented` since iOS 15, without effect.
    public func SegmentedPickerStyle() -> PickerStyleName { .segmented }

    /// A style of buttons that an app defines; it has no effect, because nothing is drawn.
    @MainActor @preconcurrency
    public protocol ButtonStyle {
        /// The type of the button's look.
        associatedtype Body: View
        /// The label of a button, and whether it is pressed.
        typealias Configuration = ButtonStyleConfiguration
        /// Returns the look of a button; never called here.
        @ViewBuilder func makeBody(configuration: Configuration) -> Body
    }

    /// The label of a button, and whether it is pressed.
    public struct ButtonStyleConfiguration {
        /// The label.
        public let label: AnyView
        /// Whether the button is pressed.
        public let isPressed: Bool
        /// The role.
        public let role: ButtonRole?
    }

    /// The style of a button without a frame.
    public struct PlainButtonStyle: ButtonStyle {
        /// Creates the style.
        public init() {}
        /// Returns the label.
        public func makeBody(configuration: Configuration) -> some View { configuration.label }
    }

    /// The style of a button in a frame.
    public struct BorderedButtonStyle: ButtonStyle {
        /// Creates the style.
        public init() {}
        /// Returns the label.
        public func makeBody(configuration: Configuration) -> some View { configuration.label }
    }

    /// The style of a button that has no frame and does not select its row.
    public struct BorderlessButtonStyle: ButtonStyle {
        /// Creates the style.
        public init() {}
        /// Returns the label.
        public func makeBody(configuration: Configuration) -> some View { configuration.label }
    }

    /// The outline of a button.
    public struct ButtonBorderShape: Sendable {
        /// An outline, without effect.
        public static let automatic = ButtonBorderShape(), capsule = ButtonBorderShape()
        /// An outline, without effect.
        public static let roundedRectangle = ButtonBorderShape(), circle = ButtonBorderShape()
    }

    /// The navigation bar.
    public enum NavigationBarItem {
        /// The size of the bar's title.
        public enum TitleDisplayMode: Sendable {
            /// A size, without effect.
            case automatic, inline, large
        }
    }

    /// A bar of the interface.
    public struct ToolbarPlacement: Sendable {
        /// A bar, without effect.
        public static let automatic = ToolbarPlacement(), bottomBar = ToolbarPlacement()
        /// A bar, without effect.
        public static let navigationBar = ToolbarPlacement(), tabBar = ToolbarPlacement()
    }

    /// The height of a sheet.
    public enum PresentationDetent: Hashable, Sendable {
        /// Half of the screen, or all of it.
        case medium, large
        /// A height in points.
        case height(CGFloat)
        /// A part of the screen.
        case fraction(CGFloat)
    }

    /// The way in which scrolling hides the keyboard.
    public enum ScrollDismissesKeyboardMode: Sendable {
        /// A way to hide the keyboard, without effect.
        case automatic, immediately, interactively, never
    }

    /// The letters that the keyboard capitalizes.
    public enum TextInputAutocapitalization: Sendable {
        /// The letters to capitalize, without effect.
        case never, words, sentences, characters
    }

    /// The title of the keyboard's return key.
    public enum SubmitLabel: Sendable {
        /// A title, without effect.
        case done, go, send, join, route, search, `return`, next, `continue`
    }

    /// How the elements in a view are read aloud.
    public enum AccessibilityChildBehavior: Sendable {
        /// A way to read the elements aloud, without effect.
        case ignore, contain, combine
    }

    /// The traits of an element that is read aloud.
    public struct AccessibilityTraits: OptionSet, Sendable {
        /// The raw value, in which each bit stands for one trait.
        public let rawValue: UInt
        /// Creates a set with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Traits, without effect.
        public static let isButton = AccessibilityTraits(rawValue: 1), isHeader = AccessibilityTraits(rawValue: 2)
        /// Traits, without effect.
        public static let isSelected = AccessibilityTraits(rawValue: 4), isImage = AccessibilityTraits(rawValue: 8)
        /// Traits, without effect.
        public static let isStaticText = AccessibilityTraits(rawValue: 16), isModal = AccessibilityTraits(rawValue: 32)
        /// A trait, without effect.
        public static let updatesFrequently = AccessibilityTraits(rawValue: 64)
    }

    /// Why content is hidden.
    public struct RedactionReasons: OptionSet, Sendable {
        /// The raw value, in which each bit stands for one reason.
        public let rawValue: Int
        /// Creates a set with these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// A reason, without effect.
        public static let placeholder = RedactionReasons(rawValue: 1), privacy = RedactionReasons(rawValue: 2)
    }

    /// A gesture; only taps are recognized here.
    public protocol Gesture<Value> {
        /// The type of the gesture's value.
        associatedtype Value
    }

    extension Gesture {
        /// Returns the gesture; the action is never called, because only taps are recognized here.
        public func onChanged(_ action: @escaping (Value) -> Void) -> some Gesture<Value> { self }
        /// Returns the gesture; the action is never called, because only taps are recognized here.
        public func onEnded(_ action: @escaping (Value) -> Void) -> some Gesture<Value> { self }
    }

    /// A movement of a finger.
    public struct DragGesture: Gesture {
        /// The movement up to now.
        public struct Value: Equatable, Sendable {
            /// The distance, in points.
            public var translation: CGSize
            /// The present position of the finger, or the position at which the movement began, in points.
            public var location: CGPoint, startLocation: CGPoint
        }
        /// Creates a gesture.
        public init(minimumDistance: CGFloat = 10, coordinateSpace: CoordinateSpace = .local) {}
    }

    /// A movement of two fingers.
    public struct MagnificationGesture: Gesture {
        /// The type of the gesture's value, which is the scale.
        public typealias Value = CGFloat
        /// Creates a gesture.
        public init(minimumScaleDelta: CGFloat = 0.01) {}
    }

    /// A long press.
    public struct LongPressGesture: Gesture {
        /// The type of the gesture's value, which is true if the press has lasted long enough.
        public typealias Value = Bool
        /// Creates a gesture.
        public init(minimumDuration: Double = 0.5, maximumDistance: CGFloat = 10) {}
    }
#endif
