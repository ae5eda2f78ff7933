#if SimulatedApple
    /// A choice, whose line on the screen is its title.
    ///
    /// Rule: Apple, "Picker". Nothing is chosen here; the app's own code sets the binding.
    public struct Picker<Title: View, SelectionValue: Hashable, Content: View>: View {
        /// The label.
        public let body: Title

        /// Creates a choice with a label.
        public init(
            selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content, @ViewBuilder label: () -> Title
        ) { body = label() }

        /// Creates a choice with a label, in the form before iOS 15.
        public init(selection: Binding<SelectionValue>, label: Title, @ViewBuilder content: () -> Content) {
            body = label
        }
    }

    extension Picker where Title == Text {
        /// Creates a choice with a title.
        public init(
            _ title: LocalizedStringKey, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
        ) { body = Text(title) }

        /// Creates a choice with a title.
        @_disfavoredOverload
        public init(
            _ title: some StringProtocol, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
        ) { body = Text(title) }
    }

    /// A choice of a date, whose line on the screen is its title.
    ///
    /// Rule: Apple, "DatePicker". Nothing is chosen here; the app's own code sets the binding.
    public struct DatePicker<Title: View>: View {
        /// The parts of a date that the user chooses.
        public struct Components: OptionSet, Sendable {
            /// The raw value, in which each bit stands for one part of a date.
            public let rawValue: UInt
            /// Creates a set with these bits.
            public init(rawValue: UInt) { self.rawValue = rawValue }
            /// The day.
            public static var date: Components { Components(rawValue: 1) }
            /// The hour and the minute.
            public static var hourAndMinute: Components { Components(rawValue: 2) }
        }

        /// The label.
        public let body: Title

        /// Creates a choice of a date.
        public init(
            selection: Binding<Date>, displayedComponents: Components = [.date, .hourAndMinute],
            @ViewBuilder label: () -> Title
        ) { body = label() }
    }

    extension DatePicker where Title == Text {
        /// Creates a choice of a date with a title.
        public init(
            _ title: LocalizedStringKey, selection: Binding<Date>,
            displayedComponents: Components = [.date, .hourAndMinute]
        ) { body = Text(title) }

        /// Creates a choice of a date in a range with a title.
        public init(
            _ title: LocalizedStringKey, selection: Binding<Date>, in range: PartialRangeFrom<Date>,
            displayedComponents: Components = [.date, .hourAndMinute]
        ) { body = Text(title) }

        /// Creates a choice of a date in a range with a title.
        public init(
            _ title: LocalizedStringKey, selection: Binding<Date>, in range: PartialRangeThrough<Date>,
            displayedComponents: Components = [.date, .hourAndMinute]
        ) { body = Text(title) }

        /// Creates a choice of a date in a range with a title.
        public init(
            _ title: LocalizedStringKey, selection: Binding<Date>, in range: ClosedRange<Date>,
            displayedComponents: Components = [.date, .hourAndMinute]
        ) { body = Text(title) }
    }

    /// A slider, whose line on the screen is its label.
    ///
    /// Rule: Apple, "Slider". It is not moved here; the app's own code sets the binding.
    public struct Slider<Title: View>: View {
        /// The label.
        public let body: Title

        /// Creates a slider with a label.
        public init<V: BinaryFloatingPoint>(
            value: Binding<V>, in bounds: ClosedRange<V> = 0...1, step: V.Stride = 1, @ViewBuilder label: () -> Title
        ) where V.Stride: BinaryFloatingPoint { body = label() }
    }

    extension Slider where Title == EmptyView {
        /// Creates a slider.
        public init<V: BinaryFloatingPoint>(
            value: Binding<V>, in bounds: ClosedRange<V> = 0...1, onEditingChanged: @escaping (Bool) -> Void = { _ in }
        ) where V.Stride: BinaryFloatingPoint { body = EmptyView() }

        /// Creates a slider with steps.
        public init<V: BinaryFloatingPoint>(
            value: Binding<V>, in bounds: ClosedRange<V>, step: V.Stride,
            onEditingChanged: @escaping (Bool) -> Void = { _ in }
        ) where V.Stride: BinaryFloatingPoint { body = EmptyView() }
    }

    /// Two buttons that change a number; their line on the screen is the label.
    ///
    /// Rule: Apple, "Stepper". They are not pressed here; the app's own code sets the binding.
    public struct Stepper<Title: View>: View {
        /// The label.
        public let body: Title

        /// Creates the buttons with a label.
        public init<V: Strideable>(
            value: Binding<V>, in bounds: ClosedRange<V>, step: V.Stride = 1, @ViewBuilder label: () -> Title
        ) { body = label() }
    }

    extension Stepper where Title == Text {
        /// Creates the buttons with a title.
        public init<V: Strideable>(
            _ title: LocalizedStringKey, value: Binding<V>, in bounds: ClosedRange<V>, step: V.Stride = 1
        ) { body = Text(title) }

        /// Creates the buttons with a title.
        @_disfavoredOverload
        public init<V: Strideable>(
            _ title: some StringProtocol, value: Binding<V>, in bounds: ClosedRange<V>, step: V.Stride = 1
        ) { body = Text(title) }
    }

    /// A text of several lines that the user edits.
    ///
    /// Rule: Apple, "TextEditor". No text is entered here; the app's own code sets the binding.
    public struct TextEditor: View {
        private let text: Binding<String>
        /// Creates an editor.
        public init(text: Binding<String>) { self.text = text }
        /// The text.
        public var body: some View { Text(verbatim: text.wrappedValue) }
    }

    /// A text field whose text is hidden, so that its line on the screen is its title.
    ///
    /// Rule: Apple, "SecureField". No text is entered here; the app's own code sets the binding.
    public struct SecureField<Title: View>: View {
        /// The title.
        public let body: Title
    }

    extension SecureField where Title == Text {
        /// Creates a field with a title.
        public init(_ title: LocalizedStringKey, text: Binding<String>) { body = Text(title) }
    }

    /// A button that opens a list of commands, which are always readable here.
    ///
    /// Rule: Apple, "Menu".
    public struct Menu<Title: View, Content: View>: View {
        /// The label and the commands.
        public let body: TupleView<(Title, Content)>
        /// Creates a menu with a label.
        public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Title) {
            body = ViewBuilder.buildBlock(label(), content())
        }
    }

    extension Menu where Title == Text {
        /// Creates a menu with a title.
        public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }
    }

    /// A control that opens a URL; here a press writes the URL into the device's log.
    ///
    /// Rule: Apple, "Link".
    public struct Link<Title: View>: View {
        @Environment(\.openURL) private var openURL
        private let label: Title
        private let destination: URL

        /// Creates a link with a label.
        public init(destination: URL, @ViewBuilder label: () -> Title) {
            (self.label, self.destination) = (label(), destination)
        }

        /// A button that opens the URL.
        public var body: some View {
            let label = label
            return Button {
                openURL(destination)
            } label: {
                label
            }
        }
    }

    extension Link where Title == Text {
        /// Creates a link with a title.
        public init(_ title: LocalizedStringKey, destination: URL) {
            (label, self.destination) = (Text(title), destination)
        }
    }

    /// A label and a value.
    ///
    /// Rule: Apple, "LabeledContent".
    public struct LabeledContent<Title: View, Content: View>: View {
        /// The label and the value.
        public let body: TupleView<(Title, Content)>
        /// Creates a label and a value.
        public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Title) {
            body = ViewBuilder.buildBlock(label(), content())
        }
    }

    extension LabeledContent where Title == Text {
        /// Creates a title and a value.
        public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
            self.init(content: content) { Text(title) }
        }
    }

    extension LabeledContent where Title == Text, Content == Text {
        /// Creates a title and a text.
        public init(_ title: LocalizedStringKey, value: some StringProtocol) {
            self.init {
                Text(value)
            } label: {
                Text(title)
            }
        }
    }

    extension View {
        /// Calls an action when one of the texts in the view is tapped; a test names the text to tap.
        ///
        /// Rule: Apple, "onTapGesture(count:perform:)".
        public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
            EnvironmentChange(content: self) { $0.tap = action }
        }
    }

    private struct TapKey: EnvironmentKey { static var defaultValue: (() -> Void)? { nil } }

    extension EnvironmentValues {
        /// The action of a tap on a text or control that has no action of its own.
        var tap: (() -> Void)? {
            get { self[TapKey.self] }
            set { self[TapKey.self] = newValue }
        }
    }
#endif
