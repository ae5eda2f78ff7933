import ApusJobs
import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file for each command that runs, so that a daemon that was killed can end at its next start what it left behind:
/// an interrupted attempt is tried again, and must not meet its own leftovers.
///
/// A process is recognized by its number *and* the instant at which it started, since numbers are used again.
struct RunningRecords: Sendable {
    struct Record: Codable, Hashable, Sendable {
        var job: String
        var occurrence: Int
        var attempt: Int
        var processGroup: Int32
        var startTicks: UInt64
    }

    var folder: String

    func began(processGroup: Int32, context: RunContext) -> String? {
        guard let ticks = Self.startTicks(of: processGroup) else { return nil }
        let record = Record(
            job: context.job.id.rawValue, occurrence: context.occurrence, attempt: context.attempt,
            processGroup: processGroup,
            startTicks: ticks)
        let path = "\(folder)/\(processGroup).json"
        guard let data = try? JSONEncoder().encode(record), (try? data.write(to: URL(filePath: path))) != nil else {
            return nil
        }
        return path
    }

    func ended(_ path: String?) {
        if let path { unlink(path) }
    }

    /// Ends what an earlier daemon's commands left running.
    func endLeftovers(logger: Logger) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(".json") {
            let path = folder + "/" + name
            defer { unlink(path) }
            guard let data = try? Data(contentsOf: URL(filePath: path)),
                let record = try? JSONDecoder().decode(Record.self, from: data),
                record.processGroup > 1, Self.startTicks(of: record.processGroup) == record.startTicks
            else { continue }
            logger.notice(
                "ending a command that an interrupted daemon left running",
                metadata: [
                    "job": "\(record.job)", "occurrence": "\(record.occurrence)", "process": "\(record.processGroup)",
                ])
            kill(-record.processGroup, SIGKILL)
        }
    }

    /// Field 22 of `/proc/PID/stat` (proc(5)): when the process started, in clock ticks since boot. `nil` where there
    /// is no such process.
    static func startTicks(of pid: Int32) -> UInt64? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        // The second field is the program's name in parentheses, and can hold anything.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}
