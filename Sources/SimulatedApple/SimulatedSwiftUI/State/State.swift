#if SimulatedApple
    /// A value that belongs to a view's place in the tree, and is kept while the view is evaluated repeatedly.
    ///
    /// Rule: Apple, "State". It may be changed on any thread; views that have read it are evaluated again.
    @propertyWrapper
    public struct State<Value>: GraphProperty {
        private let initial: Value
        private var box: StateBox<Value>?

        /// Creates a property with an initial value.
        public init(wrappedValue: Value) { initial = wrappedValue }
        /// Creates a property with an initial value.
        public init(initialValue: Value) { initial = initialValue }

        /// The value.
        ///
        /// Outside of a body and of the closures that a body creates, it is the initial value and cannot be changed.
        public var wrappedValue: Value {
            get { box?.value ?? initial }
            nonmutating set { box?.value = newValue }
        }

        /// A binding to the value.
        public var projectedValue: Binding<Value> {
            guard let box else { return .constant(initial) }
            return Binding(get: { box.value }, set: { box.value = $0 })
        }

        mutating func install(in node: ViewNode, at key: Int) { box = node.property(key) { StateBox(initial) } }
    }

    extension State where Value: ExpressibleByNilLiteral {
        /// Creates a property without a value.
        public init() { self.init(wrappedValue: nil) }
    }

    /// A value that another part of the app owns.
    ///
    /// Rule: Apple, "Binding".
    @propertyWrapper @dynamicMemberLookup
    public struct Binding<Value> {
        private let get: () -> Value
        private let set: (Value) -> Void

        /// Creates a binding that reads and changes a value with closures.
        public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { (self.get, self.set) = (get, set) }

        /// Creates a copy of a binding.
        public init(projectedValue: Binding<Value>) { self = projectedValue }

        /// Returns a binding to a value that does not change.
        public static func constant(_ value: Value) -> Binding<Value> { Binding(get: { value }, set: { _ in }) }

        /// The value.
        public var wrappedValue: Value {
            get { get() }
            nonmutating set { set(newValue) }
        }

        /// The binding itself.
        public var projectedValue: Binding<Value> { self }

        /// A binding to a part of the value.
        public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
            Binding<Subject>(get: { get()[keyPath: keyPath] }, set: { wrappedValue[keyPath: keyPath] = $0 })
        }
    }

    /// Bindings to the properties of an `@Observable` object.
    ///
    /// Rule: Apple, "Bindable".
    @propertyWrapper @dynamicMemberLookup
    public struct Bindable<Value: AnyObject> {
        /// The object.
        public var wrappedValue: Value

        /// Creates bindings to the properties of an object.
        public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
        /// Creates bindings to the properties of an object.
        public init(_ wrappedValue: Value) { self.wrappedValue = wrappedValue }

        /// The bindings themselves.
        public var projectedValue: Bindable<Value> { self }

        /// A binding to a property.
        public subscript<Subject>(
            dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
        ) -> Binding<Subject> {
            let object = wrappedValue
            return Binding(get: { object[keyPath: keyPath] }, set: { object[keyPath: keyPath] = $0 })
        }
    }
#endif
