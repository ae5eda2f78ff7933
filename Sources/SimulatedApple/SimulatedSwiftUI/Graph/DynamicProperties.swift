#if SimulatedApple
    @_spi(Reflection) import Swift

    /// A stored property of a view whose value comes from the graph: a property wrapper, or a structure with such
    /// wrappers.
    ///
    /// Rule: Apple, "DynamicProperty": a view's properties of this type have their values before its body is evaluated.
    public protocol DynamicProperty {
        /// Updates the value; called before the body is evaluated, after the wrappers inside have received their
        /// values.
        mutating func update()
    }

    extension DynamicProperty {
        /// Does nothing.
        public mutating func update() {}
    }

    /// A property wrapper that the graph handles itself.
    protocol GraphProperty: DynamicProperty {
        /// Connects the property with the object in ``ViewNode/properties`` that has this key.
        @MainActor mutating func install(in node: ViewNode, at key: Int)
    }

    extension ViewNode {
        /// Returns the object of the property with this key, and creates it at the first evaluation.
        func property<Object: AnyObject>(_ key: Int, orMake make: () -> Object) -> Object {
            if let object = properties[key] as? Object { return object }
            let new = make()
            properties[key] = new
            return new
        }
    }

    /// The search for the dynamic properties of a type.
    ///
    /// The properties are connected in the value itself, because a view is a value: copies of one view at two places
    /// have different state.
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
            // Classes are not searched, because a view is a structure or an enumeration.
            if !(type is AnyClass) { collect(type, at: 0, into: &found) }
            known[ObjectIdentifier(type)] = found
            return found
        }

        private static func collect(_ type: Any.Type, at base: Int, into found: inout [Property]) {
            _ = _forEachField(of: type, options: []) { _, offset, field, _ in
                guard let property = field as? any DynamicProperty.Type else { return true }
                // The properties inside this one come first, so that the `update` of this one finds their values.
                if !(property is any GraphProperty.Type) { collect(property, at: base + offset, into: &found) }
                found.append(Property(type: property, offset: base + offset))
                return true
            }
        }
    }
#endif
