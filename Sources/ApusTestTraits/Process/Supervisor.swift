import ApusTimers
import CProcessClock
import Foundation

/// The supervisor of one process, on a thread: it reads the process's output, and ends the process at its time limit.
struct Supervisor {
    private static let graceForReport = Duration.seconds(5)

    private let process: Int32
    private let wake: WakePipe
    private let events: Int32
    private let errors: Int32
    private let control: Int32
    private let limit: Duration
    private var outcome = ChildOutcome(ending: .unknown)
    private var deadline: UptimeInstant
    private var isEnding = false

    /// Starts the program, and a thread that waits for its end.
    static func start(
        _ command: ChildCommand, wake: WakePipe, limit: Duration, loadLimit: Duration
    ) -> Result<Supervisor, ChildProcess.SystemError> {
        var arguments = command.arguments.map { strdup($0) } + [nil]
        var variables = command.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var started = test_process()
        let error = test_process_start(command.path, &arguments, &variables, &started)
        guard error == 0 else { return .failure(ChildProcess.SystemError(number: error)) }
        let process = started.process
        SystemThread(named: "apus-waiter") {
            test_process_wait(process)
            wake.send(.ended)
        }.detach()
        return .success(
            Supervisor(
                process: process, wake: wake, events: started.events, errors: started.errors,
                control: started.control, limit: limit, deadline: SystemTime().uptime().advanced(by: loadLimit)))
    }

    private init(
        process: Int32, wake: WakePipe, events: Int32, errors: Int32, control: Int32, limit: Duration,
        deadline: UptimeInstant
    ) {
        self.process = process
        self.wake = wake
        self.events = events
        self.errors = errors
        self.control = control
        self.limit = limit
        self.deadline = deadline
    }

    mutating func run() -> ChildOutcome {
        defer { for descriptor in [events, errors, control] { close(descriptor) } }
        var hasEnded = false
        while !hasEnded {
            for reason in waitForNews() {
                switch reason {
                case .ended: hasEnded = true
                case .cancelled: kill(process, SIGKILL)
                }
            }
            readErrors()
            readControl()
            if !hasEnded, SystemTime().uptime() >= deadline { endInTime() }
        }
        // The other processes of the session are ended before the status is taken, because the number of the process,
        // which is also that of the session, can be reused afterwards.
        test_process_end_others(process)
        readErrors()
        outcome.ending = takeStatus()
        outcome.events = readEvents()
        return outcome
    }

    /// Waits for output to read, for a byte in the wake pipe or for the deadline, and returns the reasons that were
    /// written to the wake pipe.
    private func waitForNews() -> [WakePipe.Reason] {
        var waits = [wake.reader, errors, control].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // A pipe whose other end is closed is always ready, so it is left out of the wait.
        if isAtEnd.errors { waits[1].fd = -1 }
        if isAtEnd.control { waits[2].fd = -1 }
        let left = max(0, SystemTime().uptime().duration(to: deadline).wholeNanoseconds)
        _ = poll(&waits, nfds_t(waits.count), Int32(clamping: left / 1_000_000 + 1))
        return waits[0].revents == 0 ? [] : wake.received()
    }

    private var isAtEnd = (errors: false, control: false)

    private mutating func readErrors() {
        var end = false
        Self.readAll(errors, isAtEnd: &end) { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            outcome.errorOutput = Array((outcome.errorOutput + bytes).suffix(ChildProcess.errorOutputLimit))
        }
        isAtEnd.errors = end
    }

    private mutating func readControl() {
        var end = false
        var received: [UInt8] = []
        Self.readAll(control, isAtEnd: &end) { received += $0 }
        isAtEnd.control = end
        if !outcome.hasBegun, received.first == ChildProcess.begunByte {
            received.removeFirst()
            outcome.hasBegun = true
            if !isEnding { deadline = SystemTime().uptime().advanced(by: limit) }
        }
        outcome.clockReport += String(decoding: received, as: UTF8.self)
    }

    /// Ends the process at its time limit, after it has reported the state of its clock.
    ///
    /// The first call asks the process for the report, after which the process exits by itself. If it cannot be asked,
    /// or is still running at the next call, it is killed.
    private mutating func endInTime() {
        guard !isEnding else {
            kill(process, SIGKILL)
            deadline = UptimeInstant(nanoseconds: .max)
            return
        }
        isEnding = true
        outcome.exceededLimit = limit
        deadline = SystemTime().uptime().advanced(by: Self.graceForReport)
        var question = UInt8(ascii: "?")
        if !outcome.hasBegun || test_control_send(control, &question, 1) != 1 {
            kill(process, SIGKILL)
        }
    }

    private func takeStatus() -> ChildOutcome.Ending {
        var status: Int32 = 0
        var result: Int32
        repeat { result = waitpid(process, &status, 0) } while result < 0 && errno == EINTR
        guard result == process else { return .unknown }
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
    }

    private func readEvents() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer: [UInt8] = Array(repeating: 0, count: 65_536)
        while true {
            let count = pread(events, &buffer, buffer.count, off_t(bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
    }

    private static func readAll(_ descriptor: Int32, isAtEnd: inout Bool, use: ([UInt8]) -> Void) {
        var buffer: [UInt8] = Array(repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count == 0 { isAtEnd = true }
            guard count > 0 else { return }
            use(Array(buffer.prefix(count)))
        }
    }
}
