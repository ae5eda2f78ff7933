import ApusTestSupport
import ApusTimers
import Foundation

/// Runs programs to their end.
enum Shell {
    /// Runs a program, and ends it after the given number of seconds.
    ///
    /// - Returns: The program's output.
    /// - Throws: ``Failure`` with the end of its error output, if its exit status is not 0.
    @discardableResult
    static func run(_ command: [String], seconds: Int = 60, environment: [String: String] = [:]) throws -> String {
        let (output, errors) = (try PrivatePipe(), try PrivatePipe())
        let child = try Child(
            ["timeout", "-k", "2", "\(seconds)"] + command, environment: environment, output: output.writer,
            errors: errors.writer)
        close(output.writer)
        close(errors.writer)
        // Programs print few errors, so the pipe of the errors does not fill up while the output is read.
        let text = readToEnd(output.reader)
        let said = readToEnd(errors.reader)
        let status = child.wait()
        guard status == 0 else {
            throw Failure(
                "\(command.prefix(12).joined(separator: " ")) ended with status \(status): " + said.suffix(500))
        }
        return text
    }
}

/// Waits in real time on the continuous clock, because this program measures real time.
func wait(_ duration: Duration) async throws {
    let clock = TimerClock.continuous()
    try await clock.sleep(until: clock.now.advanced(by: duration), tolerance: nil)
}

/// Returns the machine's wall clock, which is the database's too, in nanoseconds since 1970.
func wallNow() -> UInt64 { SystemTime().wall().nanoseconds }

/// Prints a line without buffering it, also if the output is a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
