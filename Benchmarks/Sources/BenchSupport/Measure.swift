#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Returns the duration of `body` in seconds.
package func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let time = try await ContinuousClock().measure(body)
    return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
}

package func median(_ values: [Double]) -> Double { quantile(values, 0.5) }

/// Returns the value that the given share of `values` does not exceed; 0 for no values.
package func quantile(_ values: [Double], _ share: Double) -> Double {
    values.isEmpty ? 0 : values.sorted()[min(values.count - 1, Int(Double(values.count) * share))]
}

/// Runs `body` for each number, in as many tasks as there are callers.
package func concurrently(
    _ callers: Int, _ range: Range<Int>, _ body: @escaping @Sendable (Int) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for caller in 0..<callers {
            group.addTask {
                for number in stride(from: range.lowerBound + caller, to: range.upperBound, by: callers) {
                    try await body(number)
                }
            }
        }
        try await group.waitForAll()
    }
}

/// Returns the resident memory of a process in MB; 0 if it is not reported.
///
/// Without an argument, it is that of this process.
package func residentMegabytes(of process: Int32? = nil) -> Double {
    guard let file = fopen("/proc/\(process.map(String.init) ?? "self")/status", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 256)
    while fgets(&buffer, Int32(buffer.count), file) != nil {
        let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if line.hasPrefix("VmRSS:"), let number = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) {
            return number / 1024
        }
    }
    return 0
}

/// Returns the processor time of another process in seconds, in steps of 10 ms; 0 if it is unknown.
package func processorSeconds(of process: Int32?) -> Double {
    guard let process, let file = fopen("/proc/\(process)/stat", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 1024)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return 0 }
    let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The program's name, in parentheses, may contain spaces; fields 14 and 15 are the 12th and 13th after it.
    let fields = line.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let own = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (own + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
}

/// Waits for half a second, and returns the share of all processors that was busy; 0 if it is unknown.
package func busyShare() -> Double {
    func ticks() -> (busy: Double, all: Double) {
        guard let file = fopen("/proc/stat", "r") else { return (0, 0) }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return (0, 0) }
        let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // user, nice, system, idle, iowait, irq, softirq, steal; the time of guests is included in the first two.
        let fields = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        guard fields.count == 8 else { return (0, 0) }
        let all = fields.reduce(0, +)
        return (all - fields[3] - fields[4], all)
    }
    let before = ticks()
    usleep(500_000)
    let after = ticks()
    return after.all > before.all ? (after.busy - before.busy) / (after.all - before.all) : 0
}

/// Returns the monotonic clock in nanoseconds.
@inline(__always)
package func monotonicNanoseconds() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// Returns the processor time of this process in nanoseconds, including threads that have ended.
package func processCPUNanoseconds() -> UInt64 { nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

@inline(__always)
private func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
