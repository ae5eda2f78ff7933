import ApusTimers

/// A place for one value that is set in one task and taken in another.
final class Box<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)
    func set(_ new: Value) { value.withLock { $0 = new } }
    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
