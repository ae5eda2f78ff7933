#if SimulatedApple
    import SimulatedAppleCore

    /// An object that belongs to a view's place in the tree. Rule: Apple, "StateObject": it is made once, before the
    /// first evaluation; the view is evaluated again after each of its changes.
    @propertyWrapper
    public struct StateObject<ObjectType: ObservableObject>: GraphProperty {
        private let make: () -> ObjectType
        private var observer: ObjectObserver?

        /// Makes the object, once for each place.
        public init(wrappedValue make: @autoclosure @escaping () -> ObjectType) { self.make = make }

        /// The object. Outside of a body it is a new one each time, as on a phone.
        public var wrappedValue: ObjectType { (observer?.object as? ObjectType) ?? make() }

        /// Bindings to its properties.
        public var projectedValue: ObservedObject<ObjectType>.Wrapper { ObservedObject.Wrapper(object: wrappedValue) }

        mutating func install(in node: ViewNode, at key: Int) {
            let observer = node.property(key) { ObjectObserver() }
            if observer.object == nil { observer.observe(make(), for: node) }
            self.observer = observer
        }
    }

    /// An object that belongs elsewhere. Rule: Apple, "ObservedObject": the view is evaluated again after each of its
    /// changes. A view that makes the object itself gets a new one whenever its parent is evaluated.
    @propertyWrapper
    public struct ObservedObject<ObjectType: ObservableObject>: GraphProperty {
        /// The object.
        public var wrappedValue: ObjectType

        /// The object.
        public init(wrappedValue: ObjectType) { self.wrappedValue = wrappedValue }
        /// The object.
        public init(initialValue: ObjectType) { wrappedValue = initialValue }

        /// Bindings to its properties.
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

    /// An object that a view above has put into the environment. Rule: Apple, "EnvironmentObject".
    @propertyWrapper
    public struct EnvironmentObject<ObjectType: ObservableObject>: GraphProperty {
        private var object: ObjectType?

        /// The object of that type.
        public init() {}

        /// The object. Without one the app stops, as on a phone.
        public var wrappedValue: ObjectType {
            guard let object else {
                preconditionFailure(
                    "no ObservableObject of type \(ObjectType.self) in the environment; a view above needs "
                        + ".environmentObject(_:)")
            }
            return object
        }

        /// Bindings to its properties.
        public var projectedValue: ObservedObject<ObjectType>.Wrapper { ObservedObject.Wrapper(object: wrappedValue) }

        mutating func install(in node: ViewNode, at key: Int) {
            object = node.environment.object(of: ObjectType.self)
            node.dependOnEnvironment { $0.object(of: ObjectType.self) !== $1.object(of: ObjectType.self) }
            if let object { node.property(key) { ObjectObserver() }.observe(object, for: node) }
        }
    }

    /// Has a node evaluated again after each change of an object.
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

        /// Xcode says this too. Rule: Apple, "Published": changes come on the main thread.
        private static func warnOfThread(_ type: Any.Type) {
            SimulatedPhone.warnIfRunning(
                "SwiftUI: a published property of \(type) was changed on another thread than the main one")
        }
    }
#endif
