/// The name of a field in the coded form.
struct FieldName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
}

/// A field that need not be there: a property and its name in the coded form.
///
/// Reading leaves the property as it is when the field is missing or null, so a type's own initializer decides the
/// defaults. Writing leaves out what has no value.
///
/// All fields that are added to a type after its first version are of this kind: what an earlier version wrote can be
/// read then.
struct CodedField<Root>: Sendable {
    let encode: @Sendable (Root, inout KeyedEncodingContainer<FieldName>) throws -> Void
    let decode: @Sendable (inout Root, KeyedDecodingContainer<FieldName>) throws -> Void

    init<Value: Codable & Sendable>(_ name: FieldName, _ path: any WritableKeyPath<Root, Value> & Sendable) {
        encode = { try $1.encode($0[keyPath: path], forKey: name) }
        decode = { root, container in
            if let value = try container.decodeIfPresent(Value.self, forKey: name) { root[keyPath: path] = value }
        }
    }

    init<Value: Codable & Sendable>(_ name: FieldName, _ path: any WritableKeyPath<Root, Value?> & Sendable) {
        encode = { try $1.encodeIfPresent($0[keyPath: path], forKey: name) }
        decode = { root, container in
            if let value = try container.decodeIfPresent(Value.self, forKey: name) { root[keyPath: path] = value }
        }
    }

    /// `name` is without the unit.
    init(duration name: String, _ path: any WritableKeyPath<Root, Duration> & Sendable) {
        encode = { try $1.encode(duration: $0[keyPath: path], forKey: name) }
        decode = { root, container in
            if let value = try container.decodeDurationIfPresent(forKey: name) { root[keyPath: path] = value }
        }
    }

    /// `name` is without the unit.
    init(duration name: String, _ path: any WritableKeyPath<Root, Duration?> & Sendable) {
        encode = { root, container in
            if let value = root[keyPath: path] { try container.encode(duration: value, forKey: name) }
        }
        decode = { root, container in
            if let value = try container.decodeDurationIfPresent(forKey: name) { root[keyPath: path] = value }
        }
    }

    /// Bytes, which are written as base64.
    init(bytes name: FieldName, _ path: any WritableKeyPath<Root, [UInt8]> & Sendable) {
        encode = { try $1.encode(bytes: $0[keyPath: path], forKey: name) }
        decode = { root, container in
            if let value = try container.decodeBytesIfPresent(forKey: name) { root[keyPath: path] = value }
        }
    }

    /// Bytes, which are written as base64.
    init(bytes name: FieldName, _ path: any WritableKeyPath<Root, [UInt8]?> & Sendable) {
        encode = { root, container in
            if let value = root[keyPath: path] { try container.encode(bytes: value, forKey: name) }
        }
        decode = { root, container in
            if let value = try container.decodeBytesIfPresent(forKey: name) { root[keyPath: path] = value }
        }
    }
}

extension Array {
    /// Writes the fields of a value, in their order.
    func encode<Root>(
        _ root: Root, to container: inout KeyedEncodingContainer<FieldName>
    ) throws where Element == CodedField<Root> {
        for field in self { try field.encode(root, &container) }
    }

    /// Reads those fields that are there into a value that has the defaults.
    func decode<Root>(
        into root: inout Root, from container: KeyedDecodingContainer<FieldName>
    ) throws where Element == CodedField<Root> {
        for field in self { try field.decode(&root, container) }
    }
}
