#if SimulatedApple
    import SimulatedAppleCore

    /// The field that the user types into, as a state of the view.
    ///
    /// Here only the app changes the state, because there is no keyboard.
    ///
    /// Rule: Apple, "FocusState".
    @propertyWrapper
    public struct FocusState<Value: FocusValue>: DynamicProperty {
        @State private var value = Value.unfocused

        /// Creates the state, in which no field is focused.
        public init() {}

        /// The focused field.
        public var wrappedValue: Value {
            get { value }
            nonmutating set { value = newValue }
        }

        /// A binding to the focused field.
        public var projectedValue: Binding { Binding(value: $value) }

        /// A binding to the focused field of a view above.
        @propertyWrapper
        public struct Binding {
            let value: SimulatedSwiftUI.Binding<Value>

            /// The focused field.
            public var wrappedValue: Value {
                get { value.wrappedValue }
                nonmutating set { value.wrappedValue = newValue }
            }

            /// The binding.
            public var projectedValue: Binding { self }
        }
    }

    /// A value that shows whether a field is focused or, for several fields, which of them is.
    public protocol FocusValue: Hashable {
        /// The state without a focused field.
        static var unfocused: Self { get }
    }

    extension Bool: FocusValue {
        /// The field is not focused.
        public static var unfocused: Bool { false }
    }

    extension Optional: FocusValue where Wrapped: Hashable {
        /// No field is focused.
        public static var unfocused: Wrapped? { nil }
    }

    /// A number that follows the size of the user's texts, which never changes here.
    ///
    /// Rule: Apple, "ScaledMetric".
    @propertyWrapper
    public struct ScaledMetric<Value: BinaryFloatingPoint> {
        /// The number for the default size.
        public let wrappedValue: Value
        /// Creates a number.
        public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
        /// Creates a number; the style has no effect.
        public init(wrappedValue: Value, relativeTo textStyle: Font.TextStyle) { self.wrappedValue = wrappedValue }
    }

    /// A value that is kept with the scene; here it is kept only as long as the view is in the graph.
    ///
    /// Rule: Apple, "SceneStorage".
    @propertyWrapper
    public struct SceneStorage<Value>: DynamicProperty {
        @State private var value: Value

        /// Creates a property with its first value; the key has no effect.
        public init(wrappedValue: Value, _ key: String) { _value = State(wrappedValue: wrappedValue) }

        /// The value.
        public var wrappedValue: Value {
            get { value }
            nonmutating set { value = newValue }
        }

        /// A binding to the value.
        public var projectedValue: Binding<Value> { $value }
    }

    /// A name space for the identifiers of views that are animated together; it has no effect here.
    ///
    /// Rule: Apple, "Namespace".
    @propertyWrapper
    public struct Namespace: Sendable {
        /// A name space.
        public struct ID: Hashable, Sendable {}
        /// Creates a name space.
        public init() {}
        /// The name space.
        public var wrappedValue: ID { ID() }
    }

    /// The action that opens a URL; here it writes the URL into the device's log, and no app opens the URL.
    ///
    /// Rule: Apple, "OpenURLAction".
    public struct OpenURLAction {
        /// The result of an app's own action.
        public enum Result: Sendable {
            /// The action has opened the URL, has dropped it, or leaves it to the system.
            case handled, discarded, systemAction
        }

        private let handler: @MainActor (URL) -> Result

        /// Creates an action of the app.
        public init(handler: @escaping @MainActor (URL) -> Result) { self.handler = handler }

        /// Opens a URL.
        @MainActor @preconcurrency
        public func callAsFunction(_ url: URL) {
            callAsFunction(url) { _ in }
        }

        /// Opens a URL, and passes to `completion` whether the URL was opened.
        @MainActor @preconcurrency
        public func callAsFunction(_ url: URL, completion: @escaping (_ accepted: Bool) -> Void) {
            switch handler(url) {
            case .handled: completion(true)
            case .discarded: completion(false)
            case .systemAction:
                UIApplication.shared.open(url)
                completion(UIApplication.shared.canOpenURL(url))
            }
        }
    }

    /// The space that is available to an interface.
    public enum UserInterfaceSizeClass: Sendable {
        /// The space is small, or large.
        case compact, regular
    }

    private struct OpenURLKey: EnvironmentKey {
        static var defaultValue: OpenURLAction { OpenURLAction { _ in .systemAction } }
    }

    extension EnvironmentValues {
        /// The action that opens a URL.
        public var openURL: OpenURLAction {
            get { self[OpenURLKey.self] }
            set { self[OpenURLKey.self] = newValue }
        }
        /// The width of a phone: `compact`.
        public var horizontalSizeClass: UserInterfaceSizeClass? { .compact }
        /// The height of a phone: `regular`.
        public var verticalSizeClass: UserInterfaceSizeClass? { .regular }
    }
#endif
