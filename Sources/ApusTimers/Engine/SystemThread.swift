import CApus
import PlatformC

/// Runs one closure on a system thread with signals blocked: see `capus_start_thread`.
///
/// The thread must be joined or detached once.
// For `@unchecked Sendable`: `id` never changes, and on Darwin, where it is a pointer, it is never dereferenced.
package struct SystemThread: @unchecked Sendable {
    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let id: pthread_t

    /// Starts a thread, and traps if the system cannot start one.
    ///
    /// - Parameters:
    ///   - name: The thread's name in debuggers and similar tools, at most 15 bytes.
    ///   - run: Called once on the thread, which then ends.
    package init(named name: StaticString, _ run: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(run)).toOpaque()
        #if canImport(Darwin)
            var started: pthread_t?
        #else
            var started: pthread_t? = pthread_t()
        #endif
        let error = name.withUTF8Buffer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { name in
                #if canImport(Darwin)
                    capus_start_thread(name.baseAddress!, { Self.main($0!) }, work, &started)
                #else
                    capus_start_thread(name.baseAddress!, { Self.main($0!) }, work, &started!)
                #endif
            }
        }
        guard error == 0, let started else {
            preconditionFailure("the thread \(name) cannot be started: error \(error)")
        }
        id = started
    }

    /// Whether the caller runs on this thread.
    package var isCurrent: Bool { pthread_equal(id, pthread_self()) != 0 }

    /// Waits for the thread's end; must not be called on the thread itself.
    package func join() { pthread_join(id, nil) }

    /// Lets the system free the thread at its end.
    package func detach() { pthread_detach(id) }

    private static func main(_ context: UnsafeMutableRawPointer) {
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
    }
}
