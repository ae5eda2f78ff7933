package import ApusJobs

/// The words of ``WireRun/outcome``.
public enum OutcomeText {
    /// All of them, in the order of a run's life.
    public static let words: [String] = RunState.allCases.map(format)

    static func format(_ state: RunState) -> String { state == .running ? "running" : state.rawValue }

    /// - Throws: `invalid`, with all words.
    package static func parse(_ word: String) throws -> RunState {
        guard let state = RunState.allCases.first(where: { format($0) == word }) else {
            throw DaemonError(.invalid, "outcome: \"\(word)\" is not one of \(words.joined(separator: ", "))")
        }
        return state
    }

    /// Throws the same for a word that is not one of them.
    public static func check(_ word: String) throws { _ = try parse(word) }
}
