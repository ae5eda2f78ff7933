import ApusClient
import ApusTimers
import CApus
import PlatformC

/// Reads the output of all commands in turns on one thread, so that no output is read faster than it is handled.
///
/// Dispatch is not used, because on Linux it reports the closing of a pipe only once, and may deliver that report to a
/// source that no longer exists.
final class OutputLoop: Sendable {
    static let shared = OutputLoop()

    /// A closure that reads a piece; it is called on the loop's thread when there are bytes to read, or at the end of
    /// the output.
    typealias Reader = @Sendable () -> Void

    private struct State {
        var isRunning = false
        /// The closures that the thread calls before it waits again.
        var work: [@Sendable (inout [Int32: Reader]) -> Void] = []
        /// The two ends of the pipe that wakes the thread.
        var wakeup: (reading: Int32, writing: Int32) = (-1, -1)
    }

    private let state = Locked(State())

    /// Begins to read; further calls have no effect.
    ///
    /// - Throws: `DaemonError` if the system has no thread or no descriptors for the loop.
    func start() throws {
        let error = state.withLock { state -> Int32 in
            if state.isRunning { return 0 }
            var ends: [Int32] = [-1, -1]
            let error = capus_pipe(&ends)
            guard error == 0 else { return error }
            state.wakeup = (ends[0], ends[1])
            state.isRunning = true
            return capus_start_thread("apus-output", readOutput, Unmanaged.passUnretained(self).toOpaque(), nil)
        }
        guard error == 0 else {
            throw DaemonError(
                .unavailable,
                "the output of commands cannot be read (\(String(cString: strerror(error)))): raise the limits of processes and files"
            )
        }
    }

    /// Calls `reader` while the descriptor can be read, until ``close(_:onClose:)``.
    func watch(_ descriptor: Int32, _ reader: @escaping Reader) {
        perform { $0[descriptor] = reader }
    }

    /// Calls `body` on the loop's thread, after all earlier requests and never during the call of a reader.
    func perform(_ body: @escaping @Sendable () -> Void) {
        perform { _ in body() }
    }

    /// Closes a watched descriptor, and then calls `onClose`.
    ///
    /// Both happen on the thread, so that no reader reads a new descriptor with the same number.
    func close(_ descriptor: Int32, onClose: @escaping @Sendable () -> Void) {
        perform { readers in
            readers[descriptor] = nil
            systemClose(descriptor)
            onClose()
        }
    }

    private func perform(_ body: @escaping @Sendable (inout [Int32: Reader]) -> Void) {
        let wakeup = state.withLock { state -> Int32? in
            state.work.append(body)
            return state.work.count == 1 ? state.wakeup.writing : nil
        }
        var byte: UInt8 = 0
        // A full pipe has already woken the thread.
        if let wakeup { _ = write(wakeup, &byte, 1) }
    }

    fileprivate func run() {
        let wakeup = state.withLock { $0.wakeup.reading }
        var readers: [Int32: Reader] = [:]
        while true {
            let work = state.withLock { state in
                defer { state.work = [] }
                return state.work
            }
            for body in work { body(&readers) }
            var polled = [pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)]
            polled += readers.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
            if polled[0].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                _ = read(wakeup, &bytes, bytes.count)
            }
            for descriptor in polled.dropFirst() where descriptor.revents != 0 { readers[descriptor.fd]?() }
        }
    }
}

/// Calls close(2), whose name a method of the loop hides.
private func systemClose(_ descriptor: Int32) { close(descriptor) }

/// Runs the loop on its thread, which lasts as long as the process.
private func readOutput(_ context: UnsafeMutableRawPointer?) {
    guard let context else { preconditionFailure("the thread is started with its loop") }
    Unmanaged<OutputLoop>.fromOpaque(context).takeUnretainedValue().run()
}
