import Foundation
import Subprocess
import Synchronization
import Testing

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A pseudo-terminal, at which the test types and reads in place of a user.
final class PseudoTerminal: Sendable {
    /// The side on which the test types and reads.
    private let outside: Int32
    /// The side that is the program's input, output and error.
    let inside: FileDescriptor
    private let text = Mutex("")
    /// A stream with an element for each printed piece, which ends when no program has the terminal.
    private let pieces: AsyncStream<Void>

    init(rows: UInt16 = 24, columns: UInt16 = 100) throws {
        // Swift cannot import posix_openpt(3), unlockpt(3) and ptsname(3); TIOCSPTLCK and TIOCGPTN do the same.
        outside = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, number): (Int32, UInt32) = (0, 0)
        try #require(outside >= 0 && ioctl(outside, 0x4004_5431, &isLocked) == 0)
        try #require(ioctl(outside, 0x8004_5430, &number) == 0)
        let descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(descriptor >= 0)
        inside = FileDescriptor(rawValue: descriptor)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(outside, UInt(TIOCSWINSZ), &size) == 0)
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        pieces = stream
        // Reading blocks this thread, which ends when the last descriptor of the inside is closed.
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(outside, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                let piece = String(decoding: buffer.prefix(count), as: UTF8.self)
                text.withLock { $0 += piece }
                continuation.yield()
            }
            continuation.finish()
        }
    }

    deinit { close(outside) }

    /// The text that was printed so far.
    var shown: String { text.withLock { $0 } }

    /// Changes the size.
    ///
    /// The kernel sends no SIGWINCH, because this is not the controlling terminal of a program.
    func resize(rows: UInt16, columns: UInt16) throws {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(outside, UInt(TIOCSWINSZ), &size) == 0)
    }

    func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = bytes.withUnsafeBytes { write(outside, $0.baseAddress, $0.count) }
    }

    /// Waits until a text was printed the given number of times.
    func wait(for expected: String, times: Int = 1) async {
        func isShown() -> Bool { shown.components(separatedBy: expected).count > times }
        if isShown() { return }
        for await _ in pieces where isShown() { return }
    }

    /// Whether the terminal echoes and reads lines, the state that a program finds and must restore.
    var isInLineMode: Bool {
        var settings = termios()
        guard tcgetattr(inside.rawValue, &settings) == 0 else { return false }
        return settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }
}

extension ApusUnderTest {
    /// Runs the command at a terminal, while `body` types and reads there.
    ///
    /// - Returns: The exit code and the terminal's whole text.
    func atTerminal(
        _ arguments: [String], program: String = Self.program, rows: UInt16 = 24, columns: UInt16 = 100,
        _ body: (PseudoTerminal) async throws -> Void
    ) async throws -> (code: Int, shown: String) {
        let terminal = try PseudoTerminal(rows: rows, columns: columns)
        let environment = subprocessEnvironment
        async let ended = Subprocess.run(
            .path(FilePath(program)), arguments: Arguments(arguments), environment: environment,
            input: .fileDescriptor(terminal.inside, closeAfterSpawningProcess: false),
            output: .fileDescriptor(terminal.inside, closeAfterSpawningProcess: false),
            error: .fileDescriptor(terminal.inside, closeAfterSpawningProcess: false))
        try await body(terminal)
        let status = try await ended.terminationStatus
        #expect(terminal.isInLineMode, "the terminal is as it was")
        try terminal.inside.close()
        await terminal.wait(for: "\u{0}")
        guard case .exited(let code) = status else { return (-1, terminal.shown) }
        return (Int(code), terminal.shown)
    }
}
