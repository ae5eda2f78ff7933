#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Seconds that `body` takes.
package func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let time = try await ContinuousClock().measure(body)
    return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
}

package func median(_ values: [Double]) -> Double { quantile(values, 0.5) }

/// The value that the given share of `values` does not exceed; 0 of none.
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

/// The memory of a process (this one, unless another is named) that is in RAM, in MB; 0 where it is not reported.
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

/// The seconds that processors were at work for another process, in steps of 10 ms; 0 where it is not known.
package func processorSeconds(of process: Int32?) -> Double {
    guard let process, let file = fopen("/proc/\(process)/stat", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 1024)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return 0 }
    let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The program's name, in parentheses, may have spaces; fields 14 and 15 are the 12th and 13th after it.
    let fields = line.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let own = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (own + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
}

/// Waits for half a second, and returns what share of all processors was at work meanwhile; 0 where it is not known.
package func busyShare() -> Double {
    func ticks() -> (busy: Double, all: Double) {
        guard let file = fopen("/proc/stat", "r") else { return (0, 0) }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return (0, 0) }
        let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // user, nice, system, idle, iowait, irq, softirq, steal; what guests use is in the first two.
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

/// Nanoseconds of the monotonic clock.
@inline(__always)
package func monotonicNanoseconds() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// Nanoseconds that all threads of this process, those that ended too, were at work for it.
package func processCPUNanoseconds() -> UInt64 { nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

@inline(__always)
private func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
