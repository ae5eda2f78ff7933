/// The deterministic simulation of several schedulers over one database, in which one seed determines everything.
package enum ClusterSimulation {
    /// A broken promise, with the shortest history that was found to break it.
    package struct Failure: Sendable, CustomStringConvertible {
        package var seed: UInt64
        package var violation: ClusterViolation
        /// The steps that remained after the history was shortened.
        package var history: String
        package var description: String {
            "seed \(seed) breaks the promise: \(violation)\nthe shortest history found:\n\(history)"
        }
    }

    /// The counts of events in a history, which show that the history tests something.
    package struct Counts: Sendable {
        package var starts = 0
        package var overlaps = 0
        package var forwarded = 0
        package var takenOver = 0
        package var promotions = 0
        package var snoozes = 0
        package var effects = 0
        /// The number of starts that took the last place of a queue.
        package var limited = 0
        /// The number of starts that took the last place of a key.
        package var limitedByKey = 0
        /// The number of jobs that were made because their names were free.
        ///
        /// `namesTaken` is the number of the submissions that were refused because their names were not free.
        package var named = 0
        package var namesTaken = 0
        /// The number of jobs that moved to a node that can run them.
        ///
        /// `placed` is the number of new jobs that were put in another node's shard.
        package var moved = 0
        package var placed = 0
        /// The longest delay of a run after the end of a process, in nanoseconds.
        package var longestTakeOver: Int64 = 0

        package init() {}

        package static func += (lhs: inout Counts, rhs: Counts) {
            lhs.starts += rhs.starts
            lhs.overlaps += rhs.overlaps
            lhs.forwarded += rhs.forwarded
            lhs.takenOver += rhs.takenOver
            lhs.promotions += rhs.promotions
            lhs.snoozes += rhs.snoozes
            lhs.effects += rhs.effects
            lhs.limited += rhs.limited
            lhs.limitedByKey += rhs.limitedByKey
            lhs.named += rhs.named
            lhs.namesTaken += rhs.namesTaken
            lhs.moved += rhs.moved
            lhs.placed += rhs.placed
            lhs.longestTakeOver = max(lhs.longestTakeOver, rhs.longestTakeOver)
        }
    }

    /// Runs the history of a seed.
    ///
    /// - Parameters:
    ///   - seed: The seed, which determines everything.
    ///   - mutant: The rule that is left out.
    ///   - shrinks: Whether to search for a shorter history.
    ///   - counts: The counts to which those of this history are added.
    /// - Returns: The broken promise; `nil` if every promise was kept.
    package static func run(
        seed: UInt64, mutant: ClusterMutant? = nil, shrinks: Bool = true, counts: inout Counts
    ) -> Failure? {
        var history = ClusterHistory(seed: seed)
        let world = ClusterWorld(history, mutant: mutant)
        let found = world.run()
        counts += world.checker.counts
        guard var violation = found else { return nil }
        if shrinks { shrink(&history, &violation, mutant) }
        return Failure(seed: seed, violation: violation, history: "\(history)")
    }

    /// Removes steps for as long as the same promise is broken.
    private static func shrink(
        _ history: inout ClusterHistory, _ violation: inout ClusterViolation, _ mutant: ClusterMutant?
    ) {
        var size = max(1, history.steps.count / 2)
        while true {
            var index = 0
            while index < history.steps.count {
                var shorter = history
                shorter.steps.removeSubrange(index..<min(index + size, history.steps.count))
                if let other = ClusterWorld(shorter, mutant: mutant).run(), other.promise == violation.promise {
                    (history, violation) = (shorter, other)
                } else {
                    index += size
                }
            }
            if size == 1 { return }
            size = max(1, size / 2)
        }
    }

    /// Traces the events in the history of a seed line by line, identically in each run.
    ///
    /// With `shrinks`, the history is the shortest one that breaks the same promise.
    package static func trace(
        seed: UInt64, mutant: ClusterMutant? = nil, shrinks: Bool = false, _ line: @escaping (String) -> Void
    ) {
        var history = ClusterHistory(seed: seed)
        if shrinks, var violation = ClusterWorld(history, mutant: mutant).run() {
            shrink(&history, &violation, mutant)
        }
        line("\(history)")
        let violation = ClusterWorld(history, mutant: mutant, trace: line).run()
        line(violation.map { "\($0)" } ?? "every promise was kept")
    }
}
