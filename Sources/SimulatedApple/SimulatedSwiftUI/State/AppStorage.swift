#if SimulatedApple
    import ApusTimers

    /// A value of the user defaults.
    ///
    /// Rule: Apple, "AppStorage": the value outlives the process, and the view is evaluated again when the value
    /// changes. Changes that are not made through an `@AppStorage` are noticed at the next evaluation.
    @propertyWrapper
    public struct AppStorage<Value>: GraphProperty {
        private let key: String
        private let store: UserDefaults
        private let read: (UserDefaults, String) -> Value
        private let write: (UserDefaults, String, Value) -> Void

        private init(
            _ key: String, _ store: UserDefaults?, read: @escaping (UserDefaults, String) -> Value,
            write: @escaping (UserDefaults, String, Value) -> Void = { $0.set($2, forKey: $1) }
        ) {
            (self.key, self.store) = (key, store ?? .standard)
            (self.read, self.write) = (read, write)
        }

        /// The stored value, or the default.
        public var wrappedValue: Value {
            get {
                StorageReaders.of(key).noteRead()
                return read(store, key)
            }
            nonmutating set {
                write(store, key, newValue)
                StorageReaders.of(key).invalidate()
            }
        }

        /// A binding to the value.
        public var projectedValue: Binding<Value> { Binding(get: { wrappedValue }, set: { wrappedValue = $0 }) }

        func install(in node: ViewNode, at key: Int) {}
    }

    extension AppStorage where Value: StorableValue {
        /// Creates a property that has the default value while no value is stored.
        public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) {
            self.init(key, store) { $0.object(forKey: $1).flatMap { Value(stored: $0) } ?? wrappedValue }
        }
    }

    extension AppStorage where Value: ExpressibleByNilLiteral {
        /// Creates a property that is `nil` while no value is stored.
        public init<Wrapped: StorableValue>(_ key: String, store: UserDefaults? = nil) where Value == Wrapped? {
            self.init(key, store) {
                $0.object(forKey: $1).flatMap { Wrapped(stored: $0) }
            } write: { store, key, value in
                if let value { store.set(value, forKey: key) } else { store.removeObject(forKey: key) }
            }
        }
    }

    extension AppStorage where Value: RawRepresentable, Value.RawValue: StorableValue {
        /// Creates a property with an enumeration's value, which is stored as its raw value.
        public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) {
            self.init(key, store) {
                $0.object(forKey: $1).flatMap { Value.RawValue(stored: $0) }.flatMap { Value(rawValue: $0) }
                    ?? wrappedValue
            } write: {
                $0.set($2.rawValue, forKey: $1)
            }
        }
    }

    /// A type whose values user defaults can store.
    public protocol StorableValue {
        /// Creates the value from an object of the user defaults.
        init?(stored object: Any)
    }

    extension StorableValue {
        /// Creates the value from an object of this type.
        public init?(stored object: Any) {
            guard let value = object as? Self else { return nil }
            self = value
        }
    }

    extension Bool: StorableValue {}
    extension Int: StorableValue {}
    extension String: StorableValue {}
    extension Data: StorableValue {}

    extension Double: StorableValue {
        /// Creates the value from a floating-point number or an integer.
        public init?(stored object: Any) {
            guard let value = (object as? Double) ?? (object as? Int).map(Double.init) else { return nil }
            self = value
        }
    }

    /// The dependents of each key.
    private enum StorageReaders {
        private static let all = Locked<[String: Dependents]>([:])

        static func of(_ key: String) -> Dependents {
            all.withLock { all in
                if let readers = all[key] { return readers }
                let new = Dependents()
                all[key] = new
                return new
            }
        }
    }
#endif
