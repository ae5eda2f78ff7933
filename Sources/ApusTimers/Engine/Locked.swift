package import Synchronization

#if os(Linux)
    import CApus

    /// A value protected by a lock that is not recursive, used like `Synchronization.Mutex`.
    ///
    /// On Linux, a contended `Mutex` is handed over inside the kernel. Waiting threads cannot win it by spinning, and
    /// the thread sanitizer does not see the hand-over and reports a race for everything that the mutex protects.
    ///
    /// For `@unchecked Sendable`: the value is accessed only in `withLock`, under the lock `word`.
    package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // The lock and the value are on the heap, side by side, because the kernel identifies a lock by its address,
        // which must not change. There are two pointers, because with one pointer to a generic struct of both values, a
        // program built with Swift 6.3 crashes when a closure that outlives the lock's scope looks up the struct's
        // metadata.
        @usableFromInline let word: UnsafeMutablePointer<Atomic<UInt32>>
        @usableFromInline let value: UnsafeMutablePointer<Value>

        package init(_ value: consuming sending Value) {
            let alignment = max(8, MemoryLayout<Value>.alignment)
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: alignment + MemoryLayout<Value>.size, alignment: alignment
            )
            word = memory.bindMemory(to: Atomic<UInt32>.self, capacity: 1)
            word.initialize(to: Atomic(CAPUS_LOCK_FREE.rawValue))
            self.value = (memory + alignment).bindMemory(to: Value.self, capacity: 1)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            word.deinitialize(count: 1)
            UnsafeMutableRawPointer(word).deallocate()
        }

        // This is inlinable, because debug builds of other modules optimize this module file by file, and would not
        // inline it otherwise.
        @inlinable
        @inline(__always)
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            let (exchanged, _) = word.pointee.compareExchange(
                expected: CAPUS_LOCK_FREE.rawValue, desired: CAPUS_LOCK_HELD.rawValue, successOrdering: .acquiring,
                failureOrdering: .relaxed
            )
            if !exchanged { capus_lock_wait(address) }
            defer {
                if word.pointee.exchange(CAPUS_LOCK_FREE.rawValue, ordering: .releasing)
                    == CAPUS_LOCK_CONTENDED.rawValue
                {
                    capus_lock_wake(address)
                }
            }
            return try body(&value.pointee)
        }

        @inlinable var address: UnsafeMutablePointer<UInt32> {
            UnsafeMutableRawPointer(word).assumingMemoryBound(to: UInt32.self)
        }
    }
#else
    /// A value protected by a lock; on Darwin, this is the standard mutex.
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

extension Locked {
    /// Replaces a part of the value and returns the old part, so that it is released outside the lock.
    ///
    /// Releasing what a closure captured may run any code.
    @discardableResult
    package borrowing func exchange<Part: Sendable>(
        _ part: any WritableKeyPath<Value, Part> & Sendable, with new: Part
    ) -> Part {
        withLock { value in
            let old = value[keyPath: part]
            value[keyPath: part] = new
            return old
        }
    }
}
