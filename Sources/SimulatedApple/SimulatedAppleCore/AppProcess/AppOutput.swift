import ApusTimers
import CProcessClock
import Foundation
import PlatformC

/// The text that an app's process writes to its two outputs, in the order of writing.
final class AppOutput: Sendable {
    private struct State {
        /// The number of bytes that were read.
        var offset: Int64 = 0
        /// The beginning of a line that is not complete yet.
        var rest: [UInt8] = []
        /// Whether the runtime of Swift has begun to print the stack of a crash.
        ///
        /// Everything from there on is skipped, because the addresses differ between runs.
        var isInStackTrace = false
        var lastLines: [String] = []
    }

    let descriptor: Int32
    private let state = Locked(State())

    init() throws {
        descriptor = app_output_make()
        guard descriptor >= 0 else {
            throw AppProcessError.cannotStart("its output has no file in memory: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Returns the lines that were completed since the last call, without line ends.
    ///
    /// At the end of the process, an incomplete last line is returned too.
    func takeLines(isAtEnd: Bool) -> [String] {
        state.withLock { state in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = app_output_read(descriptor, &buffer, UInt(buffer.count), state.offset)
                guard count > 0 else { break }
                state.offset += Int64(count)
                state.rest += buffer[..<count]
            }
            var lines = state.rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let rest = lines.removeLast()
            if isAtEnd, !rest.isEmpty { lines.append(rest) }
            state.rest = isAtEnd ? [] : Array(rest)
            var texts = lines.map { String(decoding: $0, as: UTF8.self) }
            if let trace = state.isInStackTrace ? 0 : texts.firstIndex(of: "Current stack trace:") {
                state.isInStackTrace = true
                texts.removeSubrange(trace...)
            }
            state.lastLines = (state.lastLines + texts).suffix(Self.lastLineCount)
            return texts
        }
    }

    /// The last lines that ``takeLines(isAtEnd:)`` returned.
    var lastLines: [String] { state.withLock { $0.lastLines } }

    private static let lastLineCount = 3
}
