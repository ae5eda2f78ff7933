public import ApusTimers
import CProcessClock
import Foundation

/// Virtual time for a whole process, controlled by a test, for code that does not use Apus.
///
/// A program with this module defines libc's clocks and waiting calls itself, and forwards them to libc until
/// ``begin(_:uptime:wall:)`` makes time virtual. From then on `Date()`, `ContinuousClock`, `DispatchTime.now()` and
/// `clock_gettime` read the same virtual time. `Task.sleep`, `DispatchSourceTimer`, `asyncAfter`, `Timer`,
/// `Thread.sleep`, a semaphore's time-out, `epoll_wait` and the other waiting calls end when a step has reached their
/// deadline. The code under test does not change.
///
/// ```swift
/// try ProcessClock.begin(.stepped)
/// DispatchQueue.global().asyncAfter(deadline: .now() + 3600) { print("an hour") }
/// try ProcessClock.advance(by: .seconds(3600))   // prints "an hour", and comes back at once
/// ```
///
/// A step moves to the earliest deadline of the process, ends the wait for it, and waits until every thread is asleep
/// in the kernel. All effects of a deadline have therefore happened before time moves again. Time stays virtual for the
/// rest of the process, and for other tests in it, so a test with the trait `.virtualClock` runs in a process of its
/// own.
///
/// Virtual time needs Linux with glibc, without sanitizers (``isAvailable``). Other processes and machines are not
/// simulated, so a thread that waits for a socket counts as asleep. In a child of `fork`, time is real. Processor time,
/// file dates and the kernel's own time-outs stay real.
public enum ProcessClock {
    /// The rule by which time moves.
    public enum Mode: Sendable, Hashable {
        /// Time stands still until ``ProcessClock/advance(by:limit:)-24daq`` or another step.
        case stepped
        /// Time moves to the next deadline by itself whenever nothing in the process can run.
        case automatic
        /// Time moves by itself, and a second of virtual time takes this duration of real time.
        case paced(Duration)
    }

    /// The default limit, in real time, for which a step waits for running threads: 60 s.
    public static let defaultLimit: Duration = .seconds(60)

    /// Whether time can be virtual in this program.
    public static var isAvailable: Bool { process_clock_is_available() }
    /// Whether time is virtual in this process.
    public static var isVirtual: Bool { process_clock_is_virtual() }

    /// Makes time virtual for the rest of the process.
    ///
    /// Waits that began before this call end in real time. Timers of Dispatch and other timer descriptors keep the time
    /// that they had left.
    ///
    /// - Parameters:
    ///   - mode: The rule by which time moves.
    ///   - uptime: The first reading of both monotonic clocks.
    ///   - wall: The first reading of the wall clock.
    /// - Throws: ``ProcessClockError`` with `unavailable` or `alreadyVirtual`.
    public static func begin(
        _ mode: Mode = .stepped, uptime: UptimeInstant = UptimeInstant(nanoseconds: 3_600_000_000_000),
        wall: WallInstant = WallInstant(secondsSince1970: 1_767_225_600)
    ) throws {
        guard isAvailable else { throw ProcessClockError.unavailable }
        guard !isVirtual else { throw ProcessClockError.alreadyVirtual }
        let monotonic = Int64(clamping: uptime.nanoseconds)
        let error = process_clock_begin(
            process_clock_reading(
                uptime: monotonic, continuous: monotonic, wall: Int64(clamping: wall.nanoseconds)))
        guard error == 0 else { throw ProcessClockError.unavailable }
        switch mode {
        case .stepped: break
        case .automatic: try runByItself(pace: .zero)
        case .paced(let pace): try runByItself(pace: pace)
        }
    }

    private static func runByItself(pace: Duration) throws {
        guard process_clock_run_by_itself(pace.wholeNanoseconds) == 0 else { throw ProcessClockError.unavailable }
    }

    // MARK: Moving

    /// Lets `duration` pass on every clock, from deadline to deadline.
    ///
    /// All effects of a deadline happen before time moves to the next one. The calling thread is blocked meanwhile.
    /// Work that needs this thread, such as the main thread of a synchronous test, does not run;
    /// ``advance(by:limit:)-9312s`` is an asynchronous form that leaves the thread free.
    ///
    /// - Parameters:
    ///   - duration: The time to pass; with zero or less, the call fires what is overdue and waits until nothing can
    ///     run.
    ///   - limit: The longest wait for running threads, in real time.
    /// - Throws: ``ProcessClockError`` with `notVirtual`, or with `busy` when a thread does not come to rest; the
    ///   clocks then stay where they are.
    public static func advance(by duration: Duration, limit: Duration = defaultLimit) throws {
        try move(limit) { process_clock_advance(max(.zero, duration).wholeNanoseconds, $0) }
    }

    /// Lets `duration` pass like the synchronous form, and leaves the caller's thread free for work that becomes due.
    public static func advance(by duration: Duration, limit: Duration = defaultLimit) async throws {
        try await onThreadOfItsOwn { try advance(by: duration, limit: limit) }
    }

    /// Waits until nothing in the process can run, while time stands still.
    ///
    /// - Throws: ``ProcessClockError`` with `notVirtual` or `busy`.
    public static func settle(limit: Duration = defaultLimit) throws {
        try move(limit) { process_clock_settle($0) }
    }

    /// Waits until nothing in the process can run, like the synchronous form, without blocking the caller's thread.
    public static func settle(limit: Duration = defaultLimit) async throws {
        try await onThreadOfItsOwn { try settle(limit: limit) }
    }

    /// Moves to the next deadline, and ends the wait for it.
    ///
    /// - Returns: Whether there was a deadline; without one, time does not move.
    /// - Throws: ``ProcessClockError`` with `notVirtual` or `busy`.
    @discardableResult
    public static func advanceToNextDeadline(limit: Duration = defaultLimit) throws -> Bool {
        var isAny = true
        try move(limit) { limit in
            let result = process_clock_step(.max, limit)
            isAny = result != EAGAIN
            return isAny ? result : 0
        }
        return isAny
    }

    /// Simulates a sleep of the machine: the uptime stands still, the other clocks advance, and nothing runs.
    ///
    /// Deadlines that pass meanwhile are overdue afterwards; the next step fires them in their order.
    public static func sleepMachine(for duration: Duration) {
        process_clock_sleep_machine(max(.zero, duration).wholeNanoseconds)
    }

    /// Advances every clock without running anything, as for a stopped process.
    ///
    /// The next step fires what is overdue.
    public static func skip(_ duration: Duration) {
        let nanoseconds = max(.zero, duration).wholeNanoseconds
        process_clock_jump(nanoseconds, nanoseconds, nanoseconds)
    }

    /// Sets the wall clock, as a person or network time does.
    ///
    /// Deadlines on the wall clock keep their instants.
    public static func setWallClock(_ instant: WallInstant) {
        process_clock_set_wall(Int64(clamping: instant.nanoseconds))
    }

    // MARK: Calls of the C module

    private static func move(_ limit: Duration, _ body: (Int64) -> CInt) throws {
        guard isVirtual else { throw ProcessClockError.notVirtual }
        process_clock_hold()
        defer { process_clock_release() }
        guard body(max(.zero, limit).wholeNanoseconds) != ETIMEDOUT else {
            throw ProcessClockError(
                code: .busy,
                message: "a thread did not come to rest within \(limit) of the machine's time; a loop that waits for "
                    + "the clock to move without sleeping never ends in virtual time\n" + report)
        }
    }

    private static func onThreadOfItsOwn(_ work: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Mover.start { continuation.resume(with: Result(catching: work)) }
        }
    }
}

/// A wait of this process for an instant.
public struct ProcessWait: Sendable, Hashable, CustomStringConvertible {
    /// The function that waits, such as "nanosleep" or "futex"; "timerfd" for timers of Dispatch, run loops and tasks.
    public let call: String
    /// The thread's number and name; `nil` for a timer, which belongs to no thread.
    public let thread: String?
    /// The clock of the deadline.
    public let clock: ClockKind
    /// The time until the deadline; negative when it is overdue.
    public let left: Duration

    /// A text such as "nanosleep in thread 4711 “worker”, 3.0 seconds left on the uptime clock".
    public var description: String {
        "\(call)\(thread.map { " in thread \($0)" } ?? ""), \(left) left on the \(clock) clock"
    }
}

extension ProcessClock {
    /// The waits that have a deadline, in the order of their deadlines; at most 1,000 of them.
    public static var waits: [ProcessWait] {
        var rows = [process_clock_wait](repeating: process_clock_wait(), count: 1000)
        let count = rows.withUnsafeMutableBufferPointer { process_clock_waits($0.baseAddress, $0.count) }
        return rows.prefix(count).map { row in
            ProcessWait(
                call: String(cString: row.call), thread: row.thread == 0 ? nil : name(ofThread: row.thread),
                clock: [.uptime, .continuous, .wall][Int(row.clock)], left: .nanoseconds(row.left))
        }
    }

    /// Returns the real time since the process was last completely at rest.
    ///
    /// - Returns: The time; `nil` if all threads are asleep.
    public static func stuckFor() -> Duration? {
        process_clock_running_thread() == 0 ? nil : .nanoseconds(process_clock_running_for())
    }

    /// A report of the virtual time, the running thread and the pending waits, for finding out why a test does not end.
    ///
    /// It has several lines.
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
        if process_clock_lacks_descriptors() {
            lines.append("no descriptor is free to examine the threads; raise the limit of open files")
        }
        let keptBack = process_clock_bytes_kept_back()
        if keptBack > 0 {
            lines.append(
                "sockets keep back \(keptBack) bytes, which did not move for a second of the machine's time; the steps do "
                    + "not wait for them")
        }
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

/// An error that says why the process's clock cannot be moved.
public struct ProcessClockError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case unavailable, alreadyVirtual, notVirtual, busy }
        private let kind: Kind

        /// Time cannot be virtual in this program.
        public static var unavailable: Code { Code(kind: .unavailable) }
        /// Time is already virtual.
        public static var alreadyVirtual: Code { Code(kind: .alreadyVirtual) }
        /// Time is real, because ``ProcessClock/begin(_:uptime:wall:)`` was not called.
        public static var notVirtual: Code { Code(kind: .notVirtual) }
        /// A thread did not come to rest.
        public static var busy: Code { Code(kind: .busy) }

        /// The name of the code, for logs.
        public var description: String { kind.rawValue }
    }

    /// The kind of error, for programs.
    public let code: Code
    /// The description of the problem, with its remedy.
    public let message: String

    /// Creates an error with a code and a message that says what to do.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    static let unavailable = ProcessClockError(
        code: .unavailable,
        message: "time cannot be virtual in this program: that needs Linux with glibc, a build without the thread, "
            + "address or memory sanitizer, and a kernel that counts how threads run (/proc/self/schedstat)")
    static let alreadyVirtual = ProcessClockError(
        code: .alreadyVirtual,
        message: "time is virtual in this process already; begin only once, and run each test in a process of its own")
    static let notVirtual = ProcessClockError(
        code: .notVirtual, message: "time is real; call ProcessClock.begin first, or use the trait .virtualClock")
}

/// Starts the threads that move the clock.
///
/// They are not threads of Dispatch, because a step waits until Dispatch's threads are asleep.
package enum Mover {
    /// Calls `work` on a new thread.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        SystemThread(named: "apus-clock", work).detach()
    }
}
