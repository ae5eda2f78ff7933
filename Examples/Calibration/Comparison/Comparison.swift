import Foundation

/// A phone's recording beside that of the simulated phone, question by question.
struct Comparison {
    enum Verdict: String {
        case agrees
        case differs
        case notRecorded = "not recorded"
    }

    struct Row {
        let question: Question
        let phone: Answer?
        let simulation: Answer?

        var verdict: Verdict {
            switch (phone, simulation) {
            case (.seconds(let phone), .seconds(let simulation)):
                abs(phone - simulation) <= question.tolerance ? .agrees : .differs
            case (let phone?, let simulation?): phone == simulation ? .agrees : .differs
            case (nil, _), (_, nil): .notRecorded
            }
        }
    }

    let system: String
    let rows: [Row]

    init(_ phone: Recording, with simulation: Recording) {
        system = phone.system
        rows = Question.allCases.map { question in
            Row(
                question: question, phone: phone.answers[question.rawValue],
                simulation: simulation.answers[question.rawValue])
        }
    }

    func count(_ verdict: Verdict) -> Int { rows.count { $0.verdict == verdict } }

    /// The table, and how many answers agree.
    var table: String {
        let cells =
            [["", "question", "phone", "simulation", "rule"]]
            + rows.map { row in
                [
                    row.verdict.rawValue, row.question.rawValue, row.phone?.description ?? "-",
                    row.simulation?.description ?? "-", row.question.rule,
                ]
            }
        let widths = (0..<4).map { column in cells.map { $0[column].count }.max() ?? 0 }
        let lines = cells.map { row in
            (zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) } + [row[4]])
                .joined(separator: "  ")
        }
        let counts = [Verdict.agrees, .differs, .notRecorded].map { "\(count($0)) \($0.rawValue)" }
        return (lines + ["", "\(system): \(counts.joined(separator: ", "))"]).joined(separator: "\n")
    }
}
