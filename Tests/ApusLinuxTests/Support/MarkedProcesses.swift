import ApusTimers
import Foundation

/// The processes that were started with an argument of this test's own.
struct MarkedProcesses {
    let mark = "apus-test-\(String(SystemRandom().next(), radix: 36))"

    var numbers: [Int32] {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return folders.compactMap(Int32.init).filter { number in
            // One that has ended, and waits for its parent, has no arguments any more.
            let arguments = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
            return String(decoding: arguments, as: UTF8.self).contains(mark)
        }
    }

    /// Looks repeatedly, because the kernel reports the end of a process only to its parent.
    func waitUntilGone() async throws { try await eventually { numbers.isEmpty } }
}
