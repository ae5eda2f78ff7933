import BenchSupport
import Foundation

/// The time that a subcommand takes from its start to its end, while the daemon is running.
struct Prompt {
    var daemon: DaemonProcess
    var runs: Int

    /// Returns the minimum, median and maximum time of a subcommand and of a program that does nothing, measured in
    /// turns.
    func rows(_ arguments: [String], name: String, medianAtMost limit: Double) throws -> [Comparison] {
        let nothing = ["/usr/bin/true", "/bin/true"].first { FileManager.default.isExecutableFile(atPath: $0) }
        var ours: [Double] = []
        var peer: [Double] = []
        for run in -3..<runs {
            let time = try milliseconds(daemon.apus, arguments)
            let floor = try nothing.map { try milliseconds($0, []) }
            // The first runs load the files into the cache.
            guard run >= 0 else { continue }
            ours.append(time)
            if let floor { peer.append(floor) }
        }
        func row(
            _ what: String, _ pick: ([Double]) -> Double, _ target: Comparison.Target? = nil
        ) -> Comparison {
            Comparison(
                "\(name): \(what)", pick(ours), "ms", peers: peer.isEmpty ? [] : [("true", pick(peer))],
                target: target)
        }
        return [
            row("least", { $0.min() ?? 0 }),
            row("median", median, .atMost(limit)),
            row("most", { $0.max() ?? 0 }),
        ]
    }

    /// Returns the processor time of a subcommand, of task-spooler's list of jobs and of a program that does nothing.
    ///
    /// They are measured in turns.
    func processorTime(_ arguments: [String], name: String, medianAtMost limit: Double) throws -> Comparison {
        let programs = [("tsp", "/usr/bin/tsp"), ("true", "/bin/true")]
            .filter { FileManager.default.isExecutableFile(atPath: $0.1) }
        var times: [[Double]] = Array(repeating: [], count: programs.count + 1)
        for run in -3..<runs {
            let turn = [(daemon.apus, arguments)] + programs.map { ($0.1, []) }
            for (index, (path, arguments)) in turn.enumerated() {
                let time = try Program(path, arguments, environment: daemon.environment).wait().processorTime
                if run >= 0 { times[index].append(time / .milliseconds(1)) }
            }
        }
        return Comparison(
            "\(name): processor time, median", median(times[0]), "ms",
            peers: zip(programs, times.dropFirst()).map { (name: $0.0, value: median($1)) }, target: .atMost(limit))
    }

    private func milliseconds(_ path: String, _ arguments: [String]) throws -> Double {
        let start = ContinuousClock.now
        try Program(path, arguments, environment: daemon.environment).wait()
        return start.duration(to: .now) / .milliseconds(1)
    }
}
