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
#endif
