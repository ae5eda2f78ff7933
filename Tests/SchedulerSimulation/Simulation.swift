/// The deterministic simulation of the whole scheduler, in which one seed determines everything.
package enum Simulation {
    /// A broken promise, with the shortest history that was found to break it.
    package struct Failure: Sendable, CustomStringConvertible {
        package var seed: UInt64
        /// The promise that the shortest history breaks.
        package var violation: Violation
        /// The steps of the shortest history, one in each line.
        package var history: String
        /// The number of steps of the shortest history, and of the whole history.
        package var steps: (left: Int, of: Int)

        package var description: String {
            """
            seed \(seed) breaks the promise: \(violation)
            the shortest history found, \(steps.left) of \(steps.of) steps:
            \(history)
            """
        }
    }

    /// Runs the history of a seed.
    ///
    /// - Parameters:
    ///   - seed: The seed, which determines everything.
    ///   - excluded: The kinds of trouble that do not occur.
    ///   - shrinks: Whether to search for a shorter history, which runs hundreds of others.
    /// - Returns: The broken promise; `nil` if every promise was kept.
    package static func run(
        seed: UInt64, without excluded: Set<Generator.Trouble> = [], shrinks: Bool = true
    ) -> Failure? {
        let history = Generator.history(of: seed, without: excluded)
        guard let violation = World(history).run(rowsEvery: 8) else { return nil }
        var best = Shrinker.Found(history: history, violation: violation)
        if shrinks, var shrinker = Shrinker(history) {
            shrinker.shrink()
            best = shrinker.best
        }
        return Failure(
            seed: seed, violation: best.violation, history: "\(best.history)",
            steps: (best.history.steps.count, history.steps.count))
    }

    /// Traces the events in the history of a seed line by line, identically in each run.
    package static func trace(
        seed: UInt64, without excluded: Set<Generator.Trouble> = [], _ line: @escaping (String) -> Void
    ) {
        let violation = World(Generator.history(of: seed, without: excluded), trace: line).run(rowsEvery: 8)
        line(violation.map { "\($0)" } ?? "every promise was kept")
    }
}
