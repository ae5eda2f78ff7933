import ApusClient
import ApusTimers
import PlatformC

/// A command that was started.
///
/// The command is over when its process has ended and the output of that process has been read, even if a background
/// child still has the output open. It needs one descriptor, the reading end of the pipe.
final class RunningCommand: Sendable {
    private struct State {
        var process: Int32 = 0
        var output: Int32 = -1
        var exit: ProcessExit?
        var isOutputClosing = false
        var isOutputClosed = false
        /// Whether the output is read beyond the exit, because the command's children are being ended too.
        var isFollowed = false
        /// The number of bytes that were in the pipe at the exit and are not read yet; later bytes are from other
        /// processes.
        var rest: Int?
        var waiting: [AsyncStream<ProcessExit>.Continuation] = []
    }

    private static let pieceSize = 64 * 1024

    private let state = Locked(State())
    private let receive: @Sendable ([UInt8]) -> Void

    private init(receive: @escaping @Sendable ([UInt8]) -> Void) { self.receive = receive }

    /// Starts a command, and blocks the thread until the program runs or has failed to start.
    ///
    /// `receive` is called with each piece of output, in order, on the thread of the ``OutputLoop``.
    static func start(
        _ launch: CommandLaunch, receive: @escaping @Sendable ([UInt8]) -> Void
    ) throws(CommandLaunchError) -> RunningCommand {
        let command = RunningCommand(receive: receive)
        let start = { () throws(CommandLaunchError) in
            let started = try launch.start()
            command.read(started)
            return started.process
        }
        try ChildReaper.shared.watch(start, onEnd: { command.hasEnded($0) })
        return command
    }

    /// The identifier of the process, which is also that of its group and of its session.
    var process: Int32 { state.withLock { $0.process } }
    /// The way in which the process ended; `nil` while it has not.
    var exit: ProcessExit? { state.withLock { $0.exit } }
    /// Whether the output is closed, so that nothing more is read.
    var isOutputClosed: Bool { state.withLock { $0.isOutputClosed } }

    /// Waits until the command is over.
    ///
    /// - Returns: the way in which its process ended; `nil` if the task was cancelled before that.
    func end() async -> ProcessExit? {
        let (ends, continuation) = AsyncStream.makeStream(of: ProcessExit.self)
        let exit = state.withLock { state -> ProcessExit? in
            if let exit = state.exit, state.isOutputClosed { return exit }
            state.waiting.append(continuation)
            return nil
        }
        if let exit { return exit }
        for await exit in ends { return exit }
        return nil
    }

    /// Continues to read after the exit, until all processes have closed the output, or until ``closeOutput()``.
    func followOutput() { state.withLock { $0.isFollowed = true } }

    /// Stops reading the output, and closes it.
    func closeOutput() {
        let output = state.withLock { state -> Int32? in
            defer { state.isOutputClosing = true }
            return state.isOutputClosing ? nil : state.output
        }
        guard let output else { return }
        OutputLoop.shared.close(output) { self.change { $0.isOutputClosed = true } }
    }

    private func hasEnded(_ exit: ProcessExit) {
        change { $0.exit = exit }
        // The whole output of the process is in the pipe by now.
        OutputLoop.shared.perform { self.readPiece() }
    }

    private func change(_ body: (inout State) -> Void) {
        let (exit, waiting) = state.withLock { state -> (ProcessExit?, [AsyncStream<ProcessExit>.Continuation]) in
            body(&state)
            guard let exit = state.exit, state.isOutputClosed else { return (nil, []) }
            defer { state.waiting = [] }
            return (exit, state.waiting)
        }
        guard let exit else { return }
        for continuation in waiting {
            continuation.yield(exit)
            continuation.finish()
        }
    }

    private func read(_ started: CommandLaunch.Started) {
        state.withLock { ($0.process, $0.output) = (started.process, started.output) }
        OutputLoop.shared.watch(started.output) { self.readPiece() }
    }

    /// Reads a piece, on the thread of the loop, which retains the command until the output is closed.
    private func readPiece() {
        let (output, limit) = state.withLock { state -> (Int32?, Int?) in
            if state.isOutputClosing { return (nil, nil) }
            guard state.exit != nil, !state.isFollowed else { return (state.output, nil) }
            let rest = state.rest ?? Self.available(in: state.output)
            state.rest = rest
            return (state.output, rest)
        }
        guard let output else { return }
        let (piece, isOver) = Self.piece(of: output, limit: limit)
        if !piece.isEmpty { receive(piece) }
        let isLast = limit.map { $0 <= piece.count } ?? false
        if limit != nil { state.withLock { $0.rest? -= piece.count } }
        if isOver || isLast { closeOutput() }
    }

    private static func available(in output: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(output, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Returns the bytes in the pipe, at most one piece, and whether the output has ended.
    private static func piece(of output: Int32, limit: Int?) -> (bytes: [UInt8], isOver: Bool) {
        let size = min(limit ?? pieceSize, pieceSize)
        guard size > 0 else { return ([], false) }
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, length in
            repeat { count = systemRead(output, buffer.baseAddress, size) } while count < 0 && errno == EINTR
            length = max(0, count)
        }
        return (bytes, count == 0 || count < 0 && errno != EAGAIN)
    }
}

/// Calls read(2), whose name a method of the command hides.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ size: Int) -> Int {
    read(descriptor, buffer, size)
}
