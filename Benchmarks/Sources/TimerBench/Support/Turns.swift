import Foundation

/// A subject whose contestants are measured in separate processes, in rounds.
///
/// A contestant therefore does not work in memory that another one has fragmented, or while threads of another one run.
protocol MeasuredInTurns {
    static var subject: Subject { get }
    init(quick: Bool)
    var quick: Bool { get }
    var rounds: Int { get }
    /// The contestants, in the order of their turns.
    var contestants: [String] { get }
    /// Measures a contestant in this process.
    func turn(of contestant: String, round: Int, _ samples: inout Samples) throws
}

extension MeasuredInTurns {
    func samplesOfAll() throws -> Samples {
        var samples = Samples()
        for round in 1...rounds {
            for contestant in contestants {
                let arguments = ["--seed", "\(round)", "--turn", Self.subject.rawValue, contestant]
                let output = try outputOfChild(quick ? arguments + ["--quick"] : arguments)
                samples.add(try JSONDecoder().decode(Samples.self, from: Data(output.utf8)))
            }
        }
        return samples
    }

    /// Measures a contestant in this process, and returns the text that it prints for its parent.
    static func inThisProcess(_ contestant: String, round: Int, quick: Bool) throws -> String {
        let subject = Self(quick: quick)
        try check(
            subject.contestants.contains(contestant),
            "--turn \(Self.subject.rawValue) \(contestant): the contestants are "
                + subject.contestants.map { "\"\($0)\"" }.joined(separator: ", "))
        var samples = Samples()
        try subject.turn(of: contestant, round: round, &samples)
        return String(decoding: try JSONEncoder().encode(samples), as: UTF8.self)
    }
}
