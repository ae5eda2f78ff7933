#if os(Linux)
    import CApus

    /// A value behind a lock, used like `Synchronization.Mutex`.
    ///
    /// Why not that: on Linux, a contended `Mutex` is handed over inside the kernel. Waiters cannot win it by
    /// spinning, and the thread sanitizer does not see the hand-over and reports a race for everything that the mutex
    /// protects.
    ///
    /// Not recursive. The protecting lock, for `@unchecked Sendable`, is `lock`: the value is touched in `withLock`
    /// only.
    package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // On the heap: the kernel knows a lock by its address, which must not change.
        private let lock: UnsafeMutablePointer<capus_lock>
        private let value: UnsafeMutablePointer<Value>

        package init(_ value: consuming sending Value) {
            lock = .allocate(capacity: 1)
            lock.initialize(to: capus_lock())
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            lock.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            capus_lock_lock(lock)
            defer { capus_lock_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#else
    import Synchronization

    /// A value behind a lock; on Darwin, the standard mutex is the best lock there is.
    package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
        private let mutex: Mutex<Value>

        package init(_ value: consuming sending Value) { mutex = Mutex(value) }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#endif
