import Foundation

/// How often threads went to sleep by themselves, which is how often something woke them.
enum ContextSwitches {
    /// Of the threads with the name that the engines give theirs.
    static func ofEngines() -> Int { ofThreads(named: "apus-timers") }

    /// Of the threads whose name begins so.
    static func ofThreads(named name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.filter { text("/proc/self/task/\($0)/comm").hasPrefix(name) }
            .reduce(0) { $0 + voluntary("/proc/self/task/\($1)/status") }
    }

    /// Of all threads, those that ended too, but the main one, which measures.
    static func ofOthers() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_nvcsw - voluntary("/proc/self/task/\(ProcessInfo.processInfo.processIdentifier)/status")
    }

    /// How often the kernel took the processor from this thread.
    static func involuntaryOfThisThread() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(rusageOfThread), &usage)
        return usage.ru_nivcsw
    }

    /// It has no name without GNU's extensions.
    private static let rusageOfThread = 1

    private static func voluntary(_ path: String) -> Int {
        let line = text(path).split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
    }

    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
