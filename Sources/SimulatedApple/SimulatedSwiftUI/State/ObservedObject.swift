#if SimulatedApple
    import SimulatedAppleCore

    /// An object that belongs to a view's place in the tree.
    ///
    /// Rule: Apple, "StateObject": the object is created once, before the first evaluation; the view is evaluated again
    /// after each change of the object.
    @propertyWrapper
    public struct StateObject<ObjectType: ObservableObject>: GraphProperty {
        private let make: () -> ObjectType
        private var observer: ObjectObserver?

        /// Creates a property whose object is created once for each place of the view in the tree.
        public init(wrappedValue make: @autoclosure @escaping () -> ObjectType) { self.make = make }

        /// The object.
        ///
        /// Outside of a body, each access creates a new object, as on a phone.
        public var wrappedValue: ObjectType { (observer?.object as? ObjectType) ?? make() }

        /// Bindings to the object's properties.
        public var projectedValue: ObservedObject<ObjectType>.Wrapper { ObservedObject.Wrapper(object: wrappedValue) }

        mutating func install(in node: ViewNode, at key: Int) {
            let observer = node.property(key) { ObjectObserver() }
            if observer.object == nil { observer.observe(make(), for: node) }
            self.observer = observer
        }
    }

    /// An object that another part of the app owns.
    ///
    /// Rule: Apple, "ObservedObject": the view is evaluated again after each of the object's changes. A view that
    /// creates the object itself gets a new one whenever its parent is evaluated.
    @propertyWrapper
    public struct ObservedObject<ObjectType: ObservableObject>: GraphProperty {
        /// The object.
        public var wrappedValue: ObjectType

        /// Creates a property with an object.
        public init(wrappedValue: ObjectType) { self.wrappedValue = wrappedValue }
        /// Creates a property with an object.
        public init(initialValue: ObjectType) { wrappedValue = initialValue }

        /// Bindings to the object's properties.
        public var projectedValue: Wrapper { Wrapper(object: wrappedValue) }

        mutating func install(in node: ViewNode, at key: Int) {
            node.property(key) { ObjectObserver() }.observe(wrappedValue, for: node)
        }

        /// Bindings to the properties of an object.
        @dynamicMemberLookup
        public struct Wrapper {
            let object: ObjectType

            /// A binding to a property.
            public subscript<Subject>(
                dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
            ) -> Binding<Subject> {
                let object = object
                return Binding(get: { object[keyPath: keyPath] }, set: { object[keyPath: keyPath] = $0 })
            }
        }
    }

    /// An object that a view above has added to the environment.
    ///
    /// Rule: Apple, "EnvironmentObject".
    @propertyWrapper
    public struct EnvironmentObject<ObjectType: ObservableObject>: GraphProperty {
        private var object: ObjectType?

        /// Creates a property for the object of this type.
        public init() {}

        /// The object; without one the app stops, as on a phone.
        public var wrappedValue: ObjectType {
            guard let object else {
                fatalError(
                    "the environment has no ObservableObject of type \(ObjectType.self); set it with "
                        + ".environmentObject(_:) in a view above")
            }
            return object
        }

        /// Bindings to the object's properties.
        public var projectedValue: ObservedObject<ObjectType>.Wrapper { ObservedObject.Wrapper(object: wrappedValue) }

        mutating func install(in node: ViewNode, at key: Int) {
            object = node.environment.object(of: ObjectType.self)
            node.dependOnEnvironment { $0.object(of: ObjectType.self) !== $1.object(of: ObjectType.self) }
            if let object { node.property(key) { ObjectObserver() }.observe(object, for: node) }
        }
    }

    /// The subscription to an object's changes, each of which causes a node to be evaluated again.
    final class ObjectObserver {
        private(set) var object: AnyObject?
        private var subscription: AnyCancellable?

        @MainActor
        func observe<Object: ObservableObject>(_ new: Object, for node: ViewNode) {
            guard object !== new else { return }
            object = new
            subscription = new.objectWillChange.sink { [weak node] _ in
                guard let node else { return }
                if !MainThread.isCurrent { Self.warnOfThread(Object.self) }
                node.graph.invalidate(node)
            }
        }

        /// Warns, as Xcode does, that a property was changed on a thread other than the main thread.
        ///
        /// Rule: Apple, "Published": changes must be made on the main thread.
        private static func warnOfThread(_ type: Any.Type) {
            SimulatedPhone.warnIfRunning(
                "SwiftUI: a published property of \(type) was changed on a thread that is not the main thread")
        }
    }
#endif
