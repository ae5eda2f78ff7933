import ApusTimers
import ApusVirtualTime
import CProcessClock
import Foundation

/// Connects a process under a virtual clock with the test run that started the process.
///
/// The process sends one byte when virtual time begins. When the run sends one byte, the process answers with the
/// clock's report. When the run ends, the connection ends, and so does the process.
struct RunnerConnection {
    /// The exit statuses of the process: after it has sent a report, and after the test run has ended.
    static let reportedStatus: Int32 = 113
    static let abandonedStatus: Int32 = 114

    let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
        // Programs that the test starts must not keep the connection open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(ChildProcess.eventsDescriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Starts a thread that waits until the run asks for the clock's report.
    ///
    /// The thread sleeps in the kernel, so the clock counts it as idle.
    func answerRequests() {
        let descriptor = descriptor
        SystemThread(named: "apus-report") {
            var byte: UInt8 = 0
            var count = 0
            repeat { count = test_control_receive(descriptor, &byte, 1) } while count < 0 && errno == EINTR
            guard count == 1 else {
                if getsid(0) == getpid() { test_process_end_others(getpid()) }
                _exit(Self.abandonedStatus)
            }
            Self.write(Array(ProcessClock.report.utf8), to: descriptor)
            _exit(Self.reportedStatus)
        }.detach()
    }

    func sayBegun() {
        Self.write([ChildProcess.begunByte], to: descriptor)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { test_control_send(descriptor, $0.baseAddress, UInt($0.count)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
