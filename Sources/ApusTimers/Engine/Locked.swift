import Synchronization

#if os(Linux)
    import CApus

    /// A value behind a lock, used like `Synchronization.Mutex`.
    ///
    /// Why not that: on Linux, a contended `Mutex` is handed over inside the kernel. Waiters cannot win it by
    /// spinning, and the thread sanitizer does not see the hand-over and reports a race for everything that the mutex
    /// protects.
    ///
    /// Not recursive. The protecting lock, for `@unchecked Sendable`, is `word`: the value is touched in `withLock`
    /// only.
    package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        struct Storage: ~Copyable {
            let word: Atomic<UInt32>
            var value: Value
        }

        // On the heap: the kernel knows a lock by its address, which must not change.
        private let storage: UnsafeMutablePointer<Storage>

        package init(_ value: consuming sending Value) {
            storage = .allocate(capacity: 1)
            storage.initialize(to: Storage(word: Atomic(CAPUS_LOCK_FREE.rawValue), value: value))
        }

        deinit {
            storage.deinitialize(count: 1)
            storage.deallocate()
        }

        @inline(__always)
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            let (exchanged, _) = storage.pointee.word.compareExchange(
                expected: CAPUS_LOCK_FREE.rawValue, desired: CAPUS_LOCK_HELD.rawValue, successOrdering: .acquiring,
                failureOrdering: .relaxed
            )
            if !exchanged { capus_lock_wait(address) }
            defer {
                if storage.pointee.word.exchange(CAPUS_LOCK_FREE.rawValue, ordering: .releasing)
                    == CAPUS_LOCK_CONTENDED.rawValue
                {
                    capus_lock_wake(address)
                }
            }
            return try body(&storage.pointee.value)
        }

        /// The word is the storage's first field.
        private var address: UnsafeMutablePointer<UInt32> {
            UnsafeMutableRawPointer(storage).assumingMemoryBound(to: UInt32.self)
        }
    }
#else
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
