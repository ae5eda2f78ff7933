import ApusClient
import CApus
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How many jobs may run at once: as many as were asked for, and no more than the descriptors and processes that there
/// are.
struct Parallelism: Sendable {
    /// As many as run at once unless a number is asked for.
    static let standard = 256

    /// What the process may use.
    struct Means: Sendable {
        /// The limit of open files, and how many the process needs before any job runs or client connects.
        var files: UInt64
        var filesInUse: UInt64
        /// How many more processes may be made, by each of the limits that there are.
        var processesLeft: [UInt64]
    }

    /// The output of a command is one descriptor; a webhook or a desktop notification is one as well. After a run it may
    /// stay a little, a webhook's for the next one: `HTTPTransport` keeps 16 at most.
    static let filesForEach: UInt64 = 2
    /// Starts under way have four descriptors each; a reading of the process table and a record have one.
    static let filesForStarts = UInt64(CommandStarts.width) * 4 + 4
    /// Clients of the socket and of the HTTP listener: a third of what is left, at most this many.
    static let filesForClients: UInt64 = 512
    /// A shell and what it starts. Others of the user need processes too.
    static let processesForEach: UInt64 = 4

    /// The number, at least 1.
    static func most(asked: Int?, means: Means) -> Int {
        let free = means.files - min(means.files, means.filesInUse + filesForStarts)
        let byFiles = (free - min(free / 3, filesForClients)) / filesForEach
        let byProcesses = means.processesLeft.map { $0 / processesForEach }.min() ?? .max
        return max(1, min(asked ?? standard, Int(clamping: min(byFiles, byProcesses))))
    }
}

extension Parallelism.Means {
    /// What this process may use now. `root` is the folder whose `proc` and `sys` are read; tests have their own.
    static func current(root: String = "") -> Self {
        var soft: UInt64 = 0
        var hard: UInt64 = 0
        if capus_file_limit(&soft, &hard) != 0 { soft = 1_024 }
        return Self(
            files: soft, filesInUse: openFiles(root: root) + toOpen,
            processesLeft: [userLimit(), groupLimit(root: root)].compactMap { $0 }.map { $0 - min($0, toStart) })
    }

    /// The threads that a daemon starts after this is asked: the limits count them as processes.
    private static var toStart: UInt64 { 12 + 4 * cores }

    private static var cores: UInt64 { UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// What a daemon opens after this is asked: the database with its readers, the listeners, and for each core an event
    /// loop and a shard of the timer engine, with some three descriptors each.
    static var toOpen: UInt64 { 32 + 6 * cores }

    private static func openFiles(root: String) -> UInt64 {
        UInt64((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/proc/self/fd"))?.count ?? 16)
    }

    /// The limit counts the threads of all processes of a user; root has none.
    private static func userLimit() -> UInt64? {
        var limit: UInt64 = .max
        guard geteuid() != 0, capus_process_limit(&limit) == 0, limit != .max else { return nil }
        var information = stat()
        let own = ProcessTable.running().filter { entry in
            stat("/proc/\(entry.process)", &information) == 0 && information.st_uid == geteuid()
        }
        let used = own.reduce(0) { $0 + UInt64(max(1, $1.threads)) }
        return limit - min(limit, used)
    }

    /// The pids controllers of this process's control group and of those above it (cgroup v2, or v1).
    static func groupLimit(root: String) -> UInt64? {
        func text(_ path: String) -> String? {
            FileManager.default.contents(atPath: root + path).map {
                String(decoding: $0, as: UTF8.self).trimmed
            }
        }
        var left: [UInt64] = []
        for scalars in (text("/proc/self/cgroup") ?? "").unicodeScalars.split(separator: "\n") {
            let parts = scalars.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(
                Substring.init)
            guard parts.count == 3 else { continue }
            let isUnified = parts[1].isEmpty
            guard isUnified || parts[1].unicodeScalars.split(separator: ",").map(String.init).contains("pids") else {
                continue
            }
            let top = isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/pids"
            var group = parts[2]
            while true {
                let folder = top + (group == "/" ? "" : group)
                if let most = text("\(folder)/pids.max").flatMap(UInt64.init),
                    let used = text("\(folder)/pids.current").flatMap(UInt64.init)
                {
                    left.append(most - min(most, used))
                }
                guard let slash = group.unicodeScalars.lastIndex(of: "/"), group != "/", !group.isEmpty else { break }
                group = group[..<slash]
            }
        }
        return left.min()
    }
}

/// The limits of open files with which the process was started.
package struct FileLimits: Sendable {
    var soft: UInt64
    var hard: UInt64

    static func check(atLeast needed: UInt64, for subject: String) throws(DaemonError) {
        var limits = Self(soft: 0, hard: 0)
        guard capus_file_limit(&limits.soft, &limits.hard) == 0, limits.soft < needed else { return }
        throw DaemonError(
            .unavailable,
            "this process may open \(limits.soft) files, and \(subject) needs \(needed) on this machine: ulimit -n 1024"
        )
    }

    /// Raises the soft limit of this process to the hard one. Commands get the former back: programs that use select(2)
    /// must not get descriptors above 1,023 unless their user wants them.
    /// - Returns: the limits before; `nil` if they cannot be read.
    static func raise() -> Self? {
        var limits = Self(soft: 0, hard: 0)
        guard capus_file_limit(&limits.soft, &limits.hard) == 0 else { return nil }
        // Refused where the hard limit is none and the kernel has one of its own: then it stays.
        if limits.soft < limits.hard { _ = capus_set_file_limit(limits.hard) }
        return limits
    }
}
