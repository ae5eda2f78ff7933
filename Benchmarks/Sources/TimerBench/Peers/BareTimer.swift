import CApus
import Foundation

/// One timer descriptor, a thread that blocks in reading it, and the kernel: the highest precision possible here.
enum BareTimer {
    /// Calls `action` with the index of each instant when that instant has come; the instants must be sorted.
    static func wait(for instants: [UInt64], _ action: (Int) -> Void) {
        let timer = capus_timerfd_create(CAPUS_CLOCK_UPTIME)
        guard timer >= 0 else { return }
        defer { close(timer) }
        // The descriptor blocks, because one system call to arm it and one to wait are the minimum.
        guard fcntl(timer, F_SETFL, fcntl(timer, F_GETFL) & ~O_NONBLOCK) == 0 else { return }
        for (index, instant) in instants.enumerated() {
            guard capus_timerfd_arm(timer, instant, 0) == 0 else { return }
            while capus_timerfd_read(timer) <= 0 {}
            action(index)
        }
    }
}
