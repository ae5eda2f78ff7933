#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Threads that move the clock. Not Dispatch's: those are among what a step waits for.
package enum Mover {
    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Calls `work` on a new thread.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(work))
        #if canImport(Darwin)
            var thread: pthread_t?
            let result = pthread_create(
                &thread, nil,
                {
                    Unmanaged<Work>.fromOpaque($0).takeRetainedValue().run()
                    return nil
                }, work.toOpaque())
            if result == 0, let thread { pthread_detach(thread) }
        #else
            var thread = pthread_t()
            let result = pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, work.toOpaque())
            if result == 0 { pthread_detach(thread) }
        #endif
        precondition(result == 0, "the system starts no thread for the process clock: error \(result)")
    }
}
