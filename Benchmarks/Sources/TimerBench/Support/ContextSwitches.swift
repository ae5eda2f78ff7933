import Foundation

/// Counts the voluntary context switches of threads, which are as many as their wake-ups.
enum ContextSwitches {
    /// Returns the number of voluntary context switches of the engines' threads, which it finds by their name.
    static func ofEngines() -> Int { ofThreads(named: "apus-timers") }

    /// Returns the number of voluntary context switches of the threads whose name begins with this text.
    static func ofThreads(named name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.filter { text("/proc/self/task/\($0)/comm").hasPrefix(name) }
            .reduce(0) { $0 + voluntary("/proc/self/task/\($1)/status") }
    }

    /// Returns the number of voluntary context switches of all threads, including ended ones, except the main thread,
    /// which measures.
    static func ofOthers() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_nvcsw - voluntary("/proc/self/task/\(ProcessInfo.processInfo.processIdentifier)/status")
    }

    /// Returns the number of times that the kernel preempted this thread.
    static func involuntaryOfThisThread() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(rusageOfThread), &usage)
        return usage.ru_nivcsw
    }

    /// `RUSAGE_THREAD`, whose name requires GNU's extensions.
    private static let rusageOfThread = 1

    private static func voluntary(_ path: String) -> Int {
        let line = text(path).split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
    }

    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
