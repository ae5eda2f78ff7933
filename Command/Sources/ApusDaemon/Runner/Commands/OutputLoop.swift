import ApusClient
import ApusTimers
import CApus
import PlatformC

/// One thread that reads what all commands print: a piece of one after a piece of another, so that no command is read
/// faster than its output is handled.
///
/// Not Dispatch: on Linux it reports the closing of a pipe once, and may do so for a source that has gone.
final class OutputLoop: Sendable {
    static let shared = OutputLoop()

    /// Reads a piece. Called on the loop's thread while there is something to read, or nothing will follow.
    typealias Reader = @Sendable () -> Void

    private struct State {
        var isRunning = false
        /// What is done on the thread before it waits again.
        var work: [@Sendable (inout [Int32: Reader]) -> Void] = []
        /// A pipe that wakes the thread: its ends for reading and writing.
        var wakeup: (reading: Int32, writing: Int32) = (-1, -1)
    }

    private let state = Locked(State())

    /// Begins to read. Idempotent.
    /// - Throws: `DaemonError` if the system has no thread or no descriptors for it.
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
                "commands cannot be read (\(String(cString: strerror(error)))): raise the limits of processes and files"
            )
        }
    }

    /// Calls `reader` while the descriptor can be read, until ``close(_:onClose:)``.
    func watch(_ descriptor: Int32, _ reader: @escaping Reader) {
        perform { $0[descriptor] = reader }
    }

    /// Calls `body` on the thread, between readers, after what was asked for before.
    func perform(_ body: @escaping @Sendable () -> Void) {
        perform { _ in body() }
    }

    /// Closes a watched descriptor, then calls `onClose`; both on the thread, so that no reader meets another's
    /// descriptor with the same number.
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
        // A full pipe has woken the thread already.
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

/// A function of its own, because a method named `close` hides the system call.
private func systemClose(_ descriptor: Int32) { close(descriptor) }

/// The loop's thread, which lasts as long as the process.
private func readOutput(_ context: UnsafeMutableRawPointer?) {
    guard let context else { preconditionFailure("the thread is started with its loop") }
    Unmanaged<OutputLoop>.fromOpaque(context).takeUnretainedValue().run()
}
