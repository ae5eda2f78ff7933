/// A copy-on-write box, for the large part of a value that is copied often.
struct Shared<Value: Sendable>: Sendable {
    /// The value with its storage, which several copies of a `Shared` may refer to.
    ///
    /// The class is `@unchecked Sendable` because the value is changed only while one `Shared` refers to the storage.
    /// The property is `@exclusivity(unchecked)` because it is accessed only through that `Shared`, whose own accesses
    /// are checked.
    private final class Storage: @unchecked Sendable {
        @exclusivity(unchecked)
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    init(_ value: Value) { storage = Storage(value) }

    var value: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}

extension Shared: Equatable where Value: Equatable {
    static func == (lhs: Self, rhs: Self) -> Bool { lhs.storage === rhs.storage || lhs.value == rhs.value }
}

extension Shared: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
