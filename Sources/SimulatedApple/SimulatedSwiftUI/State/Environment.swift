#if SimulatedApple
    /// A value of the environment, whose change causes the view to be evaluated again.
    ///
    /// Rule: Apple, "Environment".
    @propertyWrapper
    public struct Environment<Value>: GraphProperty {
        private let read: (EnvironmentValues) -> Value
        private var value: Value?

        /// Creates a property for the value at a key path.
        public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: keyPath] } }

        /// The value; outside of a body, it is the default.
        public var wrappedValue: Value { value ?? read(EnvironmentValues()) }

        mutating func install(in node: ViewNode, at key: Int) {
            let read = read
            value = read(node.environment)
            node.dependOnEnvironment { !Sameness.areSame(read($0), read($1)) }
        }
    }

    extension Environment where Value: AnyObject & Observable {
        /// Creates a property for the object of this type that a view above has set.
        ///
        /// Without such an object the app stops, as on a phone.
        public init(_ objectType: Value.Type) {
            read = { environment in
                guard let object = environment.object(of: objectType) else {
                    fatalError(
                        "the environment has no Observable object of type \(objectType); set it with .environment(_:) "
                            + "in a view above"
                    )
                }
                return object
            }
        }
    }

    extension Environment {
        /// Creates a property for an object from the environment; it is `nil` if none of this type is set.
        public init<Object: AnyObject & Observable>(_ objectType: Object.Type) where Value == Object? {
            read = { $0.object(of: objectType) }
        }
    }

    /// A view or scene that changes the environment of its content.
    struct EnvironmentChange<Content>: Wrapper {
        let content: Content
        let change: (inout EnvironmentValues) -> Void

        func environment(from environment: EnvironmentValues) -> EnvironmentValues {
            var new = environment
            change(&new)
            return new
        }
    }

    extension EnvironmentChange: View where Content: View { typealias Body = Never }
    extension EnvironmentChange: Scene where Content: Scene { typealias Body = Never }

    extension View {
        /// Sets a value of the environment for the view and the views inside.
        ///
        /// Rule: Apple, "environment(_:_:)".
        public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
            EnvironmentChange(content: self) { $0[keyPath: keyPath] = value }
        }

        /// Adds an object to the environment.
        ///
        /// Rule: Apple, "environment(_:)".
        public func environment<T: AnyObject & Observable>(_ object: T?) -> some View {
            EnvironmentChange(content: self) { $0.set(object, for: T.self) }
        }

        /// Adds an object to the environment.
        ///
        /// Rule: Apple, "environmentObject(_:)".
        public func environmentObject<T: ObservableObject>(_ object: T) -> some View {
            EnvironmentChange(content: self) { $0.set(object, for: T.self) }
        }

        /// Disables the controls in the view while `disabled` is true.
        ///
        /// Rule: Apple, "disabled(_:)".
        public func disabled(_ disabled: Bool) -> some View {
            EnvironmentChange(content: self) { $0.isEnabled = $0.isEnabled && !disabled }
        }
    }

    extension Scene {
        /// Sets a value of the environment for the scene.
        ///
        /// Rule: Apple, "environment(_:_:)".
        public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some Scene {
            EnvironmentChange(content: self) { $0[keyPath: keyPath] = value }
        }

        /// Adds an object to the environment.
        ///
        /// Rule: Apple, "environment(_:)".
        public func environment<T: AnyObject & Observable>(_ object: T?) -> some Scene {
            EnvironmentChange(content: self) { $0.set(object, for: T.self) }
        }

        /// Adds an object to the environment.
        ///
        /// Rule: Apple, "environmentObject(_:)".
        public func environmentObject<T: ObservableObject>(_ object: T) -> some Scene {
            EnvironmentChange(content: self) { $0.set(object, for: T.self) }
        }
    }

    /// A key of the environment, with the default value.
    ///
    /// Rule: Apple, "EnvironmentKey".
    public protocol EnvironmentKey {
        /// The type of the value.
        associatedtype Value
        /// The value when no view has set it.
        static var defaultValue: Value { get }
    }

    /// The values that views inherit from the views above them.
    ///
    /// Rule: Apple, "EnvironmentValues".
    public struct EnvironmentValues {
        private var values: [ObjectIdentifier: Any] = [:]
        private var objects: [ObjectIdentifier: AnyObject] = [:]

        /// Creates an environment in which all values have their defaults.
        public init() {}

        /// The value of a key.
        public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
            get { (values[ObjectIdentifier(key)] as? K.Value) ?? K.defaultValue }
            set { values[ObjectIdentifier(key)] = newValue }
        }

        func object<Object: AnyObject>(of type: Object.Type) -> Object? { objects[ObjectIdentifier(type)] as? Object }

        mutating func set(_ object: AnyObject?, for type: Any.Type) { objects[ObjectIdentifier(type)] = object }
    }

    /// The phase of a scene.
    ///
    /// Rule: Apple, "ScenePhase".
    public enum ScenePhase: Int, Comparable, Hashable, Sendable {
        /// The scene is not visible.
        case background
        /// The scene is visible but inactive: it is appearing or disappearing, or something covers it.
        case inactive
        /// The scene is in the foreground and active.
        case active

        /// Orders the phases: background, inactive, active.
        public static func < (first: ScenePhase, second: ScenePhase) -> Bool { first.rawValue < second.rawValue }
    }

    /// The color scheme of the interface.
    ///
    /// Rule: Apple, "ColorScheme".
    public enum ColorScheme: Hashable, Sendable, CaseIterable {
        /// Light with dark text, or dark with light text.
        case light, dark
    }

    private struct ScenePhaseKey: EnvironmentKey { static var defaultValue: ScenePhase { .background } }
    private struct EnabledKey: EnvironmentKey { static var defaultValue: Bool { true } }
    private struct ColorSchemeKey: EnvironmentKey { static var defaultValue: ColorScheme { .light } }
    private struct LocaleKey: EnvironmentKey { static var defaultValue: Locale { .current } }
    private struct CalendarKey: EnvironmentKey { static var defaultValue: Calendar { .current } }
    private struct TimeZoneKey: EnvironmentKey { static var defaultValue: TimeZone { .current } }
    private struct SceneIsConnectedKey: EnvironmentKey { static var defaultValue: Bool { false } }

    extension EnvironmentValues {
        /// The phase of the scene.
        ///
        /// In the app and its scenes, it is the combined phase of all scenes. Here that is the phase of the only scene.
        ///
        /// A view is first evaluated in the phase `inactive`, which is followed by `active`. When the app comes from
        /// the home screen, the phases are `inactive` and `active`. When the app returns there, they are `inactive` and
        /// `background`. An app that was launched in the background has the phase `background`, and no view.
        public var scenePhase: ScenePhase {
            get { self[ScenePhaseKey.self] }
            set { self[ScenePhaseKey.self] = newValue }
        }

        /// Whether controls can be pressed.
        public var isEnabled: Bool {
            get { self[EnabledKey.self] }
            set { self[EnabledKey.self] = newValue }
        }

        /// The color scheme: light, unless a view sets another one.
        public var colorScheme: ColorScheme {
            get { self[ColorSchemeKey.self] }
            set { self[ColorSchemeKey.self] = newValue }
        }

        /// The locale of the user's language and region.
        public var locale: Locale {
            get { self[LocaleKey.self] }
            set { self[LocaleKey.self] = newValue }
        }

        /// The user's calendar.
        public var calendar: Calendar {
            get { self[CalendarKey.self] }
            set { self[CalendarKey.self] = newValue }
        }

        /// The user's time zone.
        public var timeZone: TimeZone {
            get { self[TimeZoneKey.self] }
            set { self[TimeZoneKey.self] = newValue }
        }

        /// Whether the scene is connected, so that its window has views.
        ///
        /// It is false until the app first comes to the foreground, and again after the scene was disconnected.
        var isSceneConnected: Bool {
            get { self[SceneIsConnectedKey.self] }
            set { self[SceneIsConnectedKey.self] = newValue }
        }
    }
#endif
