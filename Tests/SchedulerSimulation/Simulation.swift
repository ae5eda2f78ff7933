/// The deterministic simulation of the whole scheduler: one seed decides everything.
package enum Simulation {
    /// A broken promise, with the shortest history that was found to break it.
    package struct Failure: Sendable, CustomStringConvertible {
        /// What made the history.
        package var seed: UInt64
        /// The broken promise, by the shortest history.
        package var violation: Violation
        /// Its steps, one a line.
        package var history: String
        /// How many steps are left, of how many.
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
    /// - Parameters:
    ///   - seed: decides everything.
    ///   - excluded: kinds of trouble that do not occur.
    ///   - shrinks: whether to look for a shorter history, which runs hundreds of others.
    /// - Returns: what broke; `nil` if nothing did.
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

    /// What happens in the history of a seed, line by line: the same in each run.
    package static func trace(
        seed: UInt64, without excluded: Set<Generator.Trouble> = [], _ line: @escaping (String) -> Void
    ) {
        let violation = World(Generator.history(of: seed, without: excluded), trace: line).run(rowsEvery: 8)
        line(violation.map { "\($0)" } ?? "every promise was kept")
    }
}
