import Foundation

/// The figures of one run of a benchmark.
///
/// Each table is printed as soon as its subject is measured; the targets that hold and those that are missed follow at
/// the end.
package struct Report {
    private let json: String?
    private var comparisons: [Comparison] = []
    private var failures: [String] = []
    /// The subjects during whose measurement other programs were running.
    private var disturbed: [String] = []

    /// Creates a report.
    ///
    /// If the file cannot be written, the program ends now, and not only after minutes of measurement.
    ///
    /// - Parameters:
    ///   - program: The name of the benchmark.
    ///   - json: The path of a file for the figures.
    package init(program: String, json: String?) {
        self.json = json
        if let json, !FileManager.default.createFile(atPath: json, contents: nil) {
            note("\(program): --json \(json): the file cannot be written")
            exit(73)
        }
    }

    /// Measures a subject and prints its table.
    ///
    /// A failure is printed and reported again at the end; the next subjects are still measured.
    nonisolated(nonsending) package mutating func add(
        _ subject: String, _ measure: nonisolated(nonsending) () async throws -> ComparisonTable
    ) async {
        let (start, before) = begin(subject)
        let result: Result<ComparisonTable, any Error>
        do { result = .success(try await measure()) } catch { result = .failure(error) }
        end(subject, result, start, before)
    }

    /// Measures a subject without suspension, for subjects that are measured on the main thread.
    package mutating func add(_ subject: String, _ measure: () throws -> ComparisonTable) {
        let (start, before) = begin(subject)
        end(subject, Result(catching: measure), start, before)
    }

    /// Prints the subject's name and measures the load by other programs.
    ///
    /// - Returns: The start of the measurement, and the share of the processors that other programs used just before.
    private func begin(_ subject: String) -> (start: UInt64, busy: Double) {
        note(subject)
        let busy = busyShare()
        return (monotonicNanoseconds(), busy)
    }

    private mutating func end(
        _ subject: String, _ result: Result<ComparisonTable, any Error>, _ start: UInt64, _ before: Double
    ) {
        let seconds = (monotonicNanoseconds() - start) / 1_000_000_000
        let busy = max(before, busyShare())
        if busy > 0.1 {
            disturbed.append(subject)
            note("\(subject): other programs took \(Int(busy * 100)) % of the processors; measure again without them")
        }
        switch result {
        case .success(let table):
            print(table.text)
            comparisons += table.rows.map { row in
                var row = row
                row.name = "\(subject): \(row.name)"
                return row
            }
        case .failure(let error):
            failures.append("\(subject): \(error)")
            print("\(subject) FAILED: \(error)\n")
        }
        fflush(nil)
        note("\(subject) took \(seconds) s")
    }

    /// Prints the verdict on the targets, and writes the file.
    ///
    /// - Parameter hint: The subjects or peers that were not measured, with the reason.
    /// - Returns: The exit status of the program: 70 if a subject failed.
    /// - Throws: An error of writing the file.
    package func finish(hint: String? = nil) throws -> Int32 {
        print(verdict(comparisons))
        if let json { try Data(BenchSupport.json(comparisons).utf8).write(to: URL(filePath: json)) }
        if let hint { print("\nNot measured: \(hint)") }
        if !disturbed.isEmpty {
            print("\nMeasured beside other programs, so not comparable: \(disturbed.joined(separator: ", "))")
        }
        if failures.isEmpty { return 0 }
        print("\nFailed: " + failures.joined(separator: "; "))
        return 70
    }
}

/// Writes a line to standard error.
package func note(_ text: String, terminator: String = "\n") {
    FileHandle.standardError.write(Data((text + terminator).utf8))
}
