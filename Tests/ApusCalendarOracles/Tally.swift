import Foundation

/// The numbers of a run.
struct Tally {
    var comparisons: [Oracle: Int] = [:]
    var refused: [Oracle: Int] = [:]
    var verdicts: [Verdict: Int] = [:]
    var unexplained: [Oracle: Int] = [:]

    var total: Int { comparisons.values.reduce(0, +) }
    var unexplainedTotal: Int { unexplained.values.reduce(0, +) }

    func disagreements(_ oracle: Oracle) -> Int {
        verdicts.filter { $0.key.oracle == oracle }.values.reduce(0, +) + (unexplained[oracle] ?? 0)
    }

    func report() {
        print("oracle      comparisons  disagreements  unexplained  not answered")
        for oracle in Oracle.allCases {
            let numbers = [
                comparisons[oracle] ?? 0, disagreements(oracle), unexplained[oracle] ?? 0, refused[oracle] ?? 0,
            ]
            let cells = zip(numbers, [13, 15, 13, 14]).map { number, width in
                String(repeating: " ", count: max(1, width - "\(number)".count)) + "\(number)"
            }
            print(oracle.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0) + cells.joined())
        }
        if verdicts.isEmpty { return }
        print("\nverdicts:")
        for (verdict, count) in verdicts.sorted(by: { $0.value > $1.value }) {
            print("- \(verdict.oracle.rawValue), \(count) times: \(verdict.says)")
            print("  right: \(verdict.right)")
            print("  source: \(verdict.source)")
        }
    }
}
