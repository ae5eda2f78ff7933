#if SimulatedApple
    /// A text on the screen.
    ///
    /// Rule: Apple, "Text".
    public struct Text: View, ScreenItem, Equatable {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        private let string: String

        /// Creates a text, which is not localized here.
        public init(
            _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
        ) { string = key.string }

        /// Creates a text that is not localized.
        public init(verbatim content: String) { string = content }

        /// Creates a text that is not localized.
        @_disfavoredOverload
        public init(_ content: some StringProtocol) { string = String(content) }

        /// Creates the text of a value in a format.
        public init<F: FormatStyle>(_ input: F.FormatInput, format: F)
        where F.FormatInput: Equatable, F.FormatOutput == String {
            string = format.format(input)
        }

        /// Returns the concatenation of two texts.
        public static func + (first: Text, second: Text) -> Text { Text(verbatim: first.string + second.string) }

        func title(in node: ViewNode) -> String { string }

        /// Returns the text unchanged, because fonts are not drawn.
        public func font(_ font: Font?) -> Text { self }
        /// Returns the text unchanged, because weights are not drawn.
        public func fontWeight(_ weight: Font.Weight?) -> Text { self }
        /// Returns the text unchanged, because colors are not drawn.
        public func foregroundColor(_ color: Color?) -> Text { self }
        /// Returns the text unchanged, because weights are not drawn.
        public func bold() -> Text { self }
        /// Returns the text unchanged, because slants are not drawn.
        public func italic() -> Text { self }
        /// Returns the text unchanged, because the widths of digits are not drawn.
        public func monospacedDigit() -> Text { self }
    }

    /// A text for the user that may contain values; it is not localized here.
    ///
    /// Rule: Apple, "LocalizedStringKey".
    public struct LocalizedStringKey: ExpressibleByStringInterpolation, Equatable {
        let string: String

        /// Creates a text.
        public init(_ value: String) { string = value }
        /// Creates a text.
        public init(stringLiteral value: String) { string = value }
        /// Creates a text with values.
        public init(stringInterpolation: StringInterpolation) { string = stringInterpolation.string }

        /// The text and the values of an interpolation.
        public struct StringInterpolation: StringInterpolationProtocol {
            var string = ""

            /// Creates an empty text.
            public init(literalCapacity: Int, interpolationCount: Int) {}
            /// Adds text.
            public mutating func appendLiteral(_ literal: String) { string += literal }
            /// Adds a value as text.
            public mutating func appendInterpolation<T>(_ value: T) { string += "\(value)" }
            /// Adds a number, as `String(format:)` does.
            public mutating func appendInterpolation<T: CVarArg>(_ value: T, specifier: String) {
                string += String(format: specifier, value)
            }
            /// Adds a value in a format.
            public mutating func appendInterpolation<F: FormatStyle>(_ input: F.FormatInput, format: F)
            where F.FormatInput: Equatable, F.FormatOutput == String { string += format.format(input) }
        }
    }

    /// An image, which has no text on the screen.
    ///
    /// Rule: Apple, "Image".
    public struct Image: View, Primitive {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        /// The size of symbols.
        public enum Scale: Sendable {
            /// A size of symbols, without effect.
            case small, medium, large
        }

        /// Creates a symbol of the system.
        public init(systemName: String) {}
        /// Creates an image of the app.
        public init(_ name: String, bundle: Bundle? = nil) {}
        /// Returns the image unchanged.
        public func resizable() -> Image { self }
    }

    /// A text with a symbol.
    ///
    /// Rule: Apple, "Label".
    public struct Label<Title: View, Icon: View>: View {
        private let title: Title

        /// Creates a label; its symbol is not shown.
        public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) { self.title = title() }

        /// The title of the label.
        public var body: some View { title }
    }

    extension Label where Title == Text, Icon == Image {
        /// Creates a label with a symbol of the system.
        public init(_ title: LocalizedStringKey, systemImage: String) {
            self.init {
                Text(title)
            } icon: {
                Image(systemName: systemImage)
            }
        }

        /// Creates a label with a symbol of the system.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, systemImage: String) {
            self.init {
                Text(title)
            } icon: {
                Image(systemName: systemImage)
            }
        }
    }

    /// A view that shows the title of an operation and its completed part in percent.
    ///
    /// Rule: Apple, "ProgressView".
    public struct ProgressView<Title: View>: View, ScreenItem {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never
        private let content: Title
        private let done: String

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }

        func line(in node: ViewNode) -> String {
            [title(in: node), done].filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    extension ProgressView where Title == EmptyView {
        /// Creates the view of an operation of unknown length.
        public init() { (content, done) = (EmptyView(), "") }

        /// Creates the view of an operation of which `value` of `total` is completed; if `value` is `nil`, its length
        /// is unknown.
        public init<V: BinaryFloatingPoint>(value: V?, total: V = 1) {
            (content, done) = (EmptyView(), Self.percent(value, of: total))
        }
    }

    extension ProgressView where Title == Text {
        /// Creates the view of an operation of unknown length.
        public init(_ title: LocalizedStringKey) { (content, done) = (Text(title), "") }

        /// Creates the view of an operation of which `value` of `total` is completed; if `value` is `nil`, its length
        /// is unknown.
        public init<V: BinaryFloatingPoint>(_ title: LocalizedStringKey, value: V?, total: V = 1) {
            (content, done) = (Text(title), Self.percent(value, of: total))
        }
    }

    extension ProgressView where Title == Text {
        init(title: some StringProtocol, done: String) { (content, self.done) = (Text(title), done) }
    }

    extension ProgressView {
        static func percent<V: BinaryFloatingPoint>(_ value: V?, of total: V) -> String {
            value.map { "\(Int((Double($0) / Double(total) * 100).rounded())) %" } ?? ""
        }
    }
#endif
