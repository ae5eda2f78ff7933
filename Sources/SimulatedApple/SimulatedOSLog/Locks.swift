import Foundation

/// A lock with the state that it protects.
public struct OSAllocatedUnfairLock<State>: Sendable {
    private final class Guarded: @unchecked Sendable {  // The state is used under the lock.
        let lock = NSLock()
        var state: State

        init(_ state: State) { self.state = state }
    }

    private let guarded: Guarded

    /// Creates a lock of a state that need not be sendable.
    public init(uncheckedState initialState: State) { guarded = Guarded(initialState) }
    /// Creates a lock of a state.
    public init(initialState: State) where State: Sendable { guarded = Guarded(initialState) }

    /// Waits for the lock, and calls `body` with the state.
    ///
    /// - Returns: The result of `body`.
    public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try guarded.lock.withLock { try body(&guarded.state) }
    }

    /// Calls `body` with the state if the lock is free.
    ///
    /// - Returns: The result of `body`, or `nil`.
    public func withLockIfAvailableUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result? {
        guard guarded.lock.try() else { return nil }
        defer { guarded.lock.unlock() }
        return try body(&guarded.state)
    }

    /// Calls `body` with the state if the lock is free.
    ///
    /// - Returns: The result of `body`, or `nil`.
    public func withLockIfAvailable<Result: Sendable>(
        _ body: @Sendable (inout State) throws -> Result
    ) rethrows -> Result? { try withLockIfAvailableUnchecked(body) }

    /// Waits for the lock, and calls `body` with the state.
    ///
    /// - Returns: The result of `body`.
    public func withLock<Result: Sendable>(_ body: @Sendable (inout State) throws -> Result) rethrows -> Result {
        try withLockUnchecked(body)
    }
}

extension OSAllocatedUnfairLock where State == Void {
    /// Creates a lock without a state.
    public init() { self.init(uncheckedState: ()) }

    /// Waits for the lock.
    @available(*, noasync, message: "use withLock")
    public func lock() { guarded.lock.lock() }
    /// Releases the lock.
    @available(*, noasync, message: "use withLock")
    public func unlock() { guarded.lock.unlock() }
    /// Takes the lock if it is free.
    ///
    /// - Returns: Whether the lock was free.
    @available(*, noasync, message: "use withLock")
    public func lockIfAvailable() -> Bool { guarded.lock.try() }

    /// Waits for the lock, and calls `body`.
    ///
    /// - Returns: The result of `body`.
    public func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
        try withLockUnchecked { _ in try body() }
    }
}
