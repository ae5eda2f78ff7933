#if SimulatedApple
    /// A text. Rule: Apple, "Text".
    public struct Text: View, ScreenItem, Equatable {
        /// None; the graph knows it.
        public typealias Body = Never
        private let string: String

        /// A text; it is not looked up in a table here.
        public init(
            _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
        ) { string = key.string }

        /// A text that is not looked up.
        public init(verbatim content: String) { string = content }

        /// A text that is not looked up.
        @_disfavoredOverload
        public init(_ content: some StringProtocol) { string = String(content) }

        /// A value in a format.
        public init<F: FormatStyle>(_ input: F.FormatInput, format: F)
        where F.FormatInput: Equatable, F.FormatOutput == String {
            string = format.format(input)
        }

        /// Two texts as one.
        public static func + (first: Text, second: Text) -> Text { Text(verbatim: first.string + second.string) }

        func title(in node: ViewNode) -> String { string }

        /// The same text: fonts are not drawn.
        public func font(_ font: Font?) -> Text { self }
        /// The same text: weights are not drawn.
        public func fontWeight(_ weight: Font.Weight?) -> Text { self }
        /// The same text: colours are not drawn.
        public func foregroundColor(_ color: Color?) -> Text { self }
        /// The same text: weights are not drawn.
        public func bold() -> Text { self }
        /// The same text: slants are not drawn.
        public func italic() -> Text { self }
        /// The same text: widths of digits are not drawn.
        public func monospacedDigit() -> Text { self }
    }

    /// A text for the user, with values in it. Rule: Apple, "LocalizedStringKey". No table is looked up here.
    public struct LocalizedStringKey: ExpressibleByStringInterpolation, Equatable {
        let string: String

        /// A text.
        public init(_ value: String) { string = value }
        /// A text.
        public init(stringLiteral value: String) { string = value }
        /// A text with values.
        public init(stringInterpolation: StringInterpolation) { string = stringInterpolation.string }

        /// Puts values into a text.
        public struct StringInterpolation: StringInterpolationProtocol {
            var string = ""

            /// Begins without text.
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

    /// A picture, of which there is no text. Rule: Apple, "Image".
    public struct Image: View, Primitive {
        /// None; the graph knows it.
        public typealias Body = Never
        /// How large symbols are.
        public enum Scale: Sendable {
            /// Small, medium or large.
            case small, medium, large
        }

        /// A symbol of the system.
        public init(systemName: String) {}
        /// A picture of the app.
        public init(_ name: String, bundle: Bundle? = nil) {}
        /// The same picture.
        public func resizable() -> Image { self }
    }

    /// A text with a symbol. Rule: Apple, "Label".
    public struct Label<Title: View, Icon: View>: View {
        private let title: Title

        /// A text with a symbol.
        public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) { self.title = title() }

        /// The text.
        public var body: some View { title }
    }

    extension Label where Title == Text, Icon == Image {
        /// A text with a symbol of the system.
        public init(_ title: LocalizedStringKey, systemImage: String) {
            self.init {
                Text(title)
            } icon: {
                Image(systemName: systemImage)
            }
        }

        /// A text with a symbol of the system.
        @_disfavoredOverload
        public init(_ title: some StringProtocol, systemImage: String) {
            self.init {
                Text(title)
            } icon: {
                Image(systemName: systemImage)
            }
        }
    }

    /// How far something is. Rule: Apple, "ProgressView". The line is the title, and how much of the total is done.
    public struct ProgressView<Title: View>: View, ScreenItem {
        /// None; the graph knows it.
        public typealias Body = Never
        private let content: Title
        private let done: String

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }

        func line(in node: ViewNode) -> String {
            [title(in: node), done].filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    extension ProgressView where Title == EmptyView {
        /// Something of unknown length.
        public init() { (content, done) = (EmptyView(), "") }

        /// How much of a total is done.
        public init<V: BinaryFloatingPoint>(value: V?, total: V = 1) {
            (content, done) = (EmptyView(), Self.percent(value, of: total))
        }
    }

    extension ProgressView where Title == Text {
        /// Something of unknown length.
        public init(_ title: LocalizedStringKey) { (content, done) = (Text(title), "") }

        /// How much of a total is done.
        public init<V: BinaryFloatingPoint>(_ title: LocalizedStringKey, value: V?, total: V = 1) {
            (content, done) = (Text(title), Self.percent(value, of: total))
        }
    }

    extension ProgressView {
        fileprivate static func percent<V: BinaryFloatingPoint>(_ value: V?, of total: V) -> String {
            value.map { "\(Int((Double($0) / Double(total) * 100).rounded())) %" } ?? ""
        }
    }
#endif
