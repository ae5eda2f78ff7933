public import ApusTimers
import CProcessClock
import Foundation

/// A wait of this process that ends at an instant.
public struct ProcessWait: Sendable, Hashable, CustomStringConvertible {
    /// The function that waits: "nanosleep", "futex", "timerfd" for timers of Dispatch, run loops and tasks, …
    public let call: String
    /// The thread's number and name; nil for a timer, which belongs to no thread.
    public let thread: String?
    /// The clock on which the deadline is.
    public let clock: ClockKind
    /// How long until then; negative when it is overdue.
    public let left: Duration

    /// For example "nanosleep in thread 4711 “worker”, 3.0 seconds left".
    public var description: String {
        "\(call)\(thread.map { " in thread \($0)" } ?? ""), \(left) left on the \(clock) clock"
    }
}

extension ProcessClock {
    /// The waits that have a deadline, the earliest first. In a process with a thousand of them or more, the first ones.
    public static var waits: [ProcessWait] {
        var rows = [process_clock_wait](repeating: process_clock_wait(), count: 1000)
        let count = rows.withUnsafeMutableBufferPointer { process_clock_waits($0.baseAddress, $0.count) }
        return rows.prefix(count).map { row in
            ProcessWait(
                call: String(cString: row.call), thread: row.thread == 0 ? nil : name(ofThread: row.thread),
                clock: [.uptime, .continuous, .wall][Int(row.clock)], left: .nanoseconds(row.left))
        }
    }

    /// For how long of the machine's time a thread has been running, without a moment in which nothing could run; nil when
    /// everything is asleep.
    public static func stuckFor() -> Duration? {
        process_clock_running_thread() == 0 ? nil : .nanoseconds(process_clock_running_for())
    }

    /// The virtual time, what runs and what waits: several lines for a person who looks for a test that does not end.
    public static var report: String {
        guard isVirtual else { return "time is real in this process" }
        let now = process_clock_now()
        let running = process_clock_running_thread()
        let date = Date(timeIntervalSince1970: Double(now.wall) / 1e9)
        var lines = [
            "this process runs under a virtual clock; it is \(date), "
                + "\(process_clock_steps()) deadlines have been reached",
            running == 0 ? "no thread was running" : "thread \(name(ofThread: running)) was running",
        ]
        let waits = waits
        lines += waits.isEmpty ? ["nothing waits for an instant"] : waits.prefix(20).map { "  \($0)" }
        if waits.count > 20 { lines.append("  and \(waits.count - 20) more") }
        return lines.joined(separator: "\n")
    }

    private static func name(ofThread thread: Int32) -> String {
        let file = "/proc/self/task/\(thread)/comm"
        guard let name = try? String(contentsOfFile: file, encoding: .utf8) else { return "\(thread)" }
        return "\(thread) “\(name.trimmingCharacters(in: .whitespacesAndNewlines))”"
    }
}
