import ApusClient
import CApus
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Computes how many jobs the available descriptors and processes allow to run at the same time.
struct Parallelism: Sendable {
    /// The maximum number by default.
    static let standard = 256

    /// The descriptors and processes that the process may use.
    struct Means: Sendable {
        /// The limit of open files.
        var files: UInt64
        /// The number of open files that the process needs before any job runs or client connects.
        var filesInUse: UInt64
        /// The number of further processes that each of the limits allows.
        var processesLeft: [UInt64]
    }

    /// The number of descriptors for each job.
    ///
    /// A job needs one descriptor for the output of its command, and one for a webhook or a desktop notification. A
    /// descriptor may stay open for a while after a run, because `HTTPTransport` keeps up to 16 webhook connections
    /// open for later webhooks.
    static let filesForEach: UInt64 = 2
    /// The number of descriptors for starts of commands: four for each start in progress, and some for reading the
    /// process table and writing the record of a running command.
    static let filesForStarts = UInt64(CommandStarts.width) * 4 + 4
    /// The maximum number of descriptors for clients of the socket and of the HTTP listener.
    ///
    /// The clients get a third of the free descriptors, up to this number.
    static let filesForClients: UInt64 = 512
    /// The number of processes for each job: a shell, its children, and some for the user's other programs.
    static let processesForEach: UInt64 = 4

    /// Returns the wanted number of concurrent jobs, or fewer if the means do not allow that many, but at least 1.
    static func most(asked: Int?, means: Means) -> Int {
        let free = means.files - min(means.files, means.filesInUse + filesForStarts)
        let byFiles = (free - min(free / 3, filesForClients)) / filesForEach
        let byProcesses = means.processesLeft.map { $0 / processesForEach }.min() ?? .max
        return max(1, min(asked ?? standard, Int(clamping: min(byFiles, byProcesses))))
    }
}

extension Parallelism.Means {
    /// Returns the means that this process has now.
    ///
    /// The folders `proc` and `sys` are read below `root`, which is the file system's root except in tests.
    static func current(root: String = "") -> Self {
        var soft: UInt64 = 0
        var hard: UInt64 = 0
        if capus_file_limit(&soft, &hard) != 0 { soft = 1_024 }
        return Self(
            files: soft, filesInUse: openFiles(root: root) + toOpen,
            processesLeft: [userLimit(), groupLimit(root: root)].compactMap { $0 }.map { $0 - min($0, toStart) })
    }

    /// The number of threads that a daemon starts after this reading; the limits count them as processes.
    private static var toStart: UInt64 { 12 + 4 * cores }

    private static var cores: UInt64 { UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// The number of descriptors that a daemon opens after this reading.
    ///
    /// The database, its readers and the listeners need descriptors. For each core, an event loop and a shard of the
    /// timer engine need about three descriptors each.
    static var toOpen: UInt64 { 32 + 6 * cores }

    private static func openFiles(root: String) -> UInt64 {
        UInt64((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/proc/self/fd"))?.count ?? 16)
    }

    /// Returns the number of further processes that the user's limit allows.
    ///
    /// The limit counts the threads of all processes of the user. The number is `nil` for root, which has no limit.
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

    /// Returns the number of further processes that the pids controllers allow (cgroup v2, or v1).
    ///
    /// The controllers are those of this process's control group and of the groups above it.
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
            "this process may open \(limits.soft) files, and \(subject) needs \(needed) on this machine: raise the limit, as with ulimit -n 1024"
        )
    }

    /// Raises the soft limit of this process to the hard limit.
    ///
    /// Commands get the former limit, because programs that use select(2) must not get descriptors above 1,023 unless
    /// their user wants them.
    ///
    /// - Returns: the limits before the call; `nil` if they cannot be read.
    static func raise() -> Self? {
        var limits = Self(soft: 0, hard: 0)
        guard capus_file_limit(&limits.soft, &limits.hard) == 0 else { return nil }
        // The call fails if the hard limit is infinite and the kernel has a limit of its own. The soft limit then stays
        // the same.
        if limits.soft < limits.hard { _ = capus_set_file_limit(limits.hard) }
        return limits
    }
}
