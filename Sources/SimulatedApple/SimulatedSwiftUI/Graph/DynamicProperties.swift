#if SimulatedApple
    @_spi(Reflection) import Swift

    /// A stored property of a view that has its value from the graph: a property wrapper, or a structure with such
    /// wrappers.
    ///
    /// Rule: Apple, "DynamicProperty": the view gives values to these properties before it evaluates its body.
    public protocol DynamicProperty {
        /// Called before the body is evaluated, when the wrappers inside have their values.
        mutating func update()
    }

    extension DynamicProperty {
        /// Does nothing.
        public mutating func update() {}
    }

    /// A property wrapper that the graph knows.
    protocol GraphProperty: DynamicProperty {
        /// Connects the property with what belongs to the node, under that key of ``ViewNode/properties``.
        @MainActor mutating func install(in node: ViewNode, at key: Int)
    }

    extension ViewNode {
        /// What belongs to the property of that key; the first evaluation makes it.
        func property<Object: AnyObject>(_ key: Int, orMake make: () -> Object) -> Object {
            if let object = properties[key] as? Object { return object }
            let new = make()
            properties[key] = new
            return new
        }
    }

    /// Finds the dynamic properties of a type. They are connected in place, because a view is a value: two copies of
    /// one view have different state.
    @MainActor
    enum DynamicProperties {
        private struct Property {
            let type: any DynamicProperty.Type
            let offset: Int
        }

        private static var known: [ObjectIdentifier: [Property]] = [:]

        static func install<Owner>(in owner: inout Owner, of node: ViewNode) {
            let properties = properties(of: Owner.self)
            guard !properties.isEmpty else { return }
            withUnsafeMutableBytes(of: &owner) { bytes in
                guard let base = bytes.baseAddress else { return }
                for property in properties { connect(property.type, at: base + property.offset, node, property.offset) }
            }
        }

        private static func connect<P: DynamicProperty>(
            _ type: P.Type, at place: UnsafeMutableRawPointer, _ node: ViewNode, _ key: Int
        ) {
            let pointer = place.assumingMemoryBound(to: type)
            if var property = pointer.pointee as? any GraphProperty {
                property.install(in: node, at: key)
                if let installed = property as? P { pointer.pointee = installed }
            } else {
                pointer.pointee.update()
            }
        }

        private static func properties(of type: Any.Type) -> [Property] {
            if let properties = known[ObjectIdentifier(type)] { return properties }
            var found: [Property] = []
            // Of classes there are none: a view is a structure or an enumeration.
            if !(type is AnyClass) { collect(type, at: 0, into: &found) }
            known[ObjectIdentifier(type)] = found
            return found
        }

        private static func collect(_ type: Any.Type, at base: Int, into found: inout [Property]) {
            _ = _forEachField(of: type, options: []) { _, offset, field, _ in
                guard let property = field as? any DynamicProperty.Type else { return true }
                // What lies in it first, so that its `update` finds values.
                if !(property is any GraphProperty.Type) { collect(property, at: base + offset, into: &found) }
                found.append(Property(type: property, offset: base + offset))
                return true
            }
        }
    }
#endif
