#if SimulatedApple
    /// A value of the environment. The view is evaluated again when it changes. Rule: Apple, "Environment".
    @propertyWrapper
    public struct Environment<Value>: GraphProperty {
        private let read: (EnvironmentValues) -> Value
        private var value: Value?

        /// The value that a key path names.
        public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: keyPath] } }

        /// The value. Outside of a body it is the default.
        public var wrappedValue: Value { value ?? read(EnvironmentValues()) }

        mutating func install(in node: ViewNode, at key: Int) {
            let read = read
            value = read(node.environment)
            node.dependOnEnvironment { !Sameness.areSame(read($0), read($1)) }
        }
    }

    extension Environment where Value: AnyObject & Observable {
        /// The object of that type that a view above has put there. Without one the app stops, as on a phone.
        public init(_ objectType: Value.Type) {
            read = { environment in
                guard let object = environment.object(of: objectType) else {
                    preconditionFailure(
                        "no Observable object of type \(objectType) in the environment; a view above needs .environment(_:)"
                    )
                }
                return object
            }
        }
    }

    extension Environment {
        /// The object of that type that a view above has put there, if there is one.
        public init<Object: AnyObject & Observable>(_ objectType: Object.Type) where Value == Object? {
            read = { $0.object(of: objectType) }
        }
    }

    /// Changes the environment of what lies in it.
    struct EnvironmentChange<Content>: Primitive {
        let content: Content
        let change: (inout EnvironmentValues) -> Void

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }

        func environment(from environment: EnvironmentValues) -> EnvironmentValues {
            var new = environment
            change(&new)
            return new
        }
    }

    extension EnvironmentChange: View where Content: View { typealias Body = Never }
    extension EnvironmentChange: Scene where Content: Scene { typealias Body = Never }

    extension View {
        /// Sets a value of the environment for the view and all that lies in it. Rule: Apple, "environment(_:_:)".
        public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
            EnvironmentChange(content: self) { $0[keyPath: keyPath] = value }
        }

        /// Puts an object into the environment. Rule: Apple, "environment(_:)".
        public func environment<T: AnyObject & Observable>(_ object: T?) -> some View {
            EnvironmentChange(content: self) { $0.set(object, for: T.self) }
        }

        /// Puts an object into the environment. Rule: Apple, "environmentObject(_:)".
        public func environmentObject<T: ObservableObject>(_ object: T) -> some View {
            EnvironmentChange(content: self) { $0.set(object, for: T.self) }
        }

        /// Controls in it cannot be pressed while `disabled`. Rule: Apple, "disabled(_:)".
        public func disabled(_ disabled: Bool) -> some View {
            EnvironmentChange(content: self) { $0.isEnabled = $0.isEnabled && !disabled }
        }
    }

    extension Scene {
        /// Sets a value of the environment for the scene. Rule: Apple, "environment(_:_:)".
        public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some Scene {
            EnvironmentChange(content: self) { $0[keyPath: keyPath] = value }
        }

        /// Puts an object into the environment. Rule: Apple, "environment(_:)".
        public func environment<T: AnyObject & Observable>(_ object: T?) -> some Scene {
            EnvironmentChange(content: self) { $0.set(object, for: T.self) }
        }

        /// Puts an object into the environment. Rule: Apple, "environmentObject(_:)".
        public func environmentObject<T: ObservableObject>(_ object: T) -> some Scene {
            EnvironmentChange(content: self) { $0.set(object, for: T.self) }
        }
    }

    /// Names a value of the environment, and has its default, for when no view has set it. Rule: Apple,
    /// "EnvironmentKey".
    public protocol EnvironmentKey {
        /// What the value is.
        associatedtype Value
        /// The value when no view has set it.
        static var defaultValue: Value { get }
    }

    /// What views get from those above them. Rule: Apple, "EnvironmentValues".
    public struct EnvironmentValues {
        private var values: [ObjectIdentifier: Any] = [:]
        private var objects: [ObjectIdentifier: AnyObject] = [:]

        /// What is there when no view has set anything.
        public init() {}

        /// The value of a key.
        public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
            get { (values[ObjectIdentifier(key)] as? K.Value) ?? K.defaultValue }
            set { values[ObjectIdentifier(key)] = newValue }
        }

        func object<Object: AnyObject>(of type: Object.Type) -> Object? { objects[ObjectIdentifier(type)] as? Object }

        mutating func set(_ object: AnyObject?, for type: Any.Type) { objects[ObjectIdentifier(type)] = object }
    }

    /// Where a scene is. Rule: Apple, "ScenePhase".
    public enum ScenePhase: Int, Comparable, Hashable, Sendable {
        /// Not to be seen.
        case background
        /// To be seen, and not in charge: on the way, or covered.
        case inactive
        /// In front of the user.
        case active

        /// Background is less than inactive, and that less than active.
        public static func < (first: ScenePhase, second: ScenePhase) -> Bool { first.rawValue < second.rawValue }
    }

    /// Light or dark. Rule: Apple, "ColorScheme".
    public enum ColorScheme: Hashable, Sendable, CaseIterable {
        /// Dark on light, or light on dark.
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
        /// The phase of the scene, in a view; in the app and its scenes, that of all scenes together, which is the same
        /// here, where there is one.
        ///
        /// A view is first evaluated in the phase `inactive`, and then comes `active`. From Home to the app it is
        /// `inactive` and `active`, and back `inactive` and `background`. An app that was started in the background has
        /// the phase `background`, and no view.
        public var scenePhase: ScenePhase {
            get { self[ScenePhaseKey.self] }
            set { self[ScenePhaseKey.self] = newValue }
        }

        /// Whether controls can be pressed.
        public var isEnabled: Bool {
            get { self[EnabledKey.self] }
            set { self[EnabledKey.self] = newValue }
        }

        /// Light, unless a view says otherwise.
        public var colorScheme: ColorScheme {
            get { self[ColorSchemeKey.self] }
            set { self[ColorSchemeKey.self] = newValue }
        }

        /// The user's language and region.
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

        /// Whether the scene has a window: not before an app that was started in the background comes to the front.
        var isSceneConnected: Bool {
            get { self[SceneIsConnectedKey.self] }
            set { self[SceneIsConnectedKey.self] = newValue }
        }
    }
#endif
