import ApusJobs
import ApusTimers
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

/// A file for each command that runs, so that a daemon that was killed can end at its next start what it left behind: an
/// interrupted attempt is tried again, and must not meet its own leftovers.
///
/// The file is there before the command is, and gone after it. Its name is a token that the command, and whatever it
/// starts, has in its environment (`APUS_RUN`): process numbers would be known too late, and are used again. Processes
/// are found in `/proc`; on systems without it, leftovers run to their end.
struct RunningRecords: Sendable {
    /// The variable that holds a run's token.
    static let variable = "APUS_RUN"

    var folder: String
    var random: any RandomSource

    /// Notes that a command is about to run.
    /// - Returns: its token.
    func begin(_ context: RunContext) -> String {
        let token = String(random.next(), radix: 36) + String(random.next(), radix: 36)
        let text = "\(context.job.id) \(context.occurrence) \(context.attempt)\n"
        // Without the file, a crash of the daemon may leave the command running; that is no reason not to run it.
        try? Data(text.utf8).write(to: URL(filePath: path(token)))
        return token
    }

    /// Notes that a command has ended.
    func end(_ token: String) { unlink(path(token)) }

    private func path(_ token: String) -> String { "\(folder)/\(token)" }

    /// Ends what an earlier daemon's commands left running.
    func endLeftovers(logger: Logger) {
        let tokens = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard !tokens.isEmpty else { return }
        let marks = Set(tokens.map { "\(Self.variable)=\($0)" })
        // Again until nothing is found, since a process can start another while the list is read.
        for _ in 0..<10 {
            let leftovers = Self.processes(markedBy: marks)
            if leftovers.isEmpty { break }
            logger.notice(
                "ending what commands of an interrupted daemon left running", metadata: ["processes": "\(leftovers)"])
            for process in leftovers { kill(process, SIGKILL) }
        }
        for token in tokens { end(token) }
    }

    /// The processes whose environment has one of these marks; zombies have none.
    static func processes(markedBy marks: Set<String>) -> [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init).filter {
            process in
            guard process != getpid(), let data = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            else {
                return false
            }
            return data.split(separator: 0).contains { marks.contains(String(decoding: $0, as: UTF8.self)) }
        }
    }
}
