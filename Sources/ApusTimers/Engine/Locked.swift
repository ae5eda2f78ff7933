package import Synchronization

#if os(Linux)
    import CApus

    /// A value protected by a lock, used like `Synchronization.Mutex`.
    ///
    /// Why not that: on Linux, a contended `Mutex` is handed over inside the kernel. Waiters cannot win it by
    /// spinning, and the thread sanitizer does not see the hand-over and reports a race for everything that the mutex
    /// protects.
    ///
    /// Not recursive. The protecting lock, for `@unchecked Sendable`, is `word`: the value is touched in `withLock`
    /// only.
    package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // On the heap, side by side: the kernel knows a lock by its address, which must not change. (Two pointers, and
        // not one to a generic struct of both: Swift 6.3 crashes asking for that struct's metadata in a closure that
        // outlives the lock's scope.)
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

        // Inlinable, so that other modules' builds for debugging, where these are optimized file by file, see it too.
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
    /// A value protected by a lock; on Darwin, the standard mutex is the best lock there is.
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
    /// Replaces a part of the value. The old part is returned, so that it is released outside of the lock: what a closure
    /// captured may do anything when it is released.
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
