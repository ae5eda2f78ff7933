import BenchSupport
import Foundation

/// `timer-bench [--quick] [--only SUBJECT,...] [--json FILE]`: what timers cost and how exact they are, beside the
/// timers of Dispatch, Foundation, the Swift runtime, SwiftNIO and the kernel, in turns in one run.
@main
enum TimerBench {
    static func main() throws {
        let options: Options
        do {
            options = try Options(CommandLine.arguments.dropFirst())
        } catch {
            note("timer-bench: \(error.reason)\n\n\(Options.usage)", terminator: "")
            exit(64)
        }
        // A file that cannot be written is said at the beginning, not after minutes.
        if let path = options.json, !FileManager.default.createFile(atPath: path, contents: nil) {
            note("timer-bench: --json \(path): the file cannot be written")
            exit(73)
        }
        if let child = options.child {
            alarm(400)
            do {
                return print(try child.measure(seed: options.seed, quick: options.quick))
            } catch {
                note("timer-bench: \(error)")
                exit(70)
            }
        }
        var comparisons: [Comparison] = []
        var failures: [String] = []
        for subject in options.subjects {
            let start = monotonicNanoseconds()
            // What hangs ends the process: the subject was named, and the tables before it are out.
            alarm(400)
            note("\(subject.rawValue)")
            do {
                let table = try subject.measure(quick: options.quick)
                comparisons += table.rows.map { row in
                    var row = row
                    row.name = "\(subject.rawValue): \(row.name)"
                    return row
                }
                print(table.text)
            } catch {
                failures.append("\(subject.rawValue): \(error)")
                print("\(subject.rawValue) FAILED: \(error)\n")
            }
            fflush(nil)
            note("\(subject.rawValue) took \(Int(Double(monotonicNanoseconds() - start) / 1e9)) s")
        }
        alarm(0)
        print(verdict(comparisons))
        if let path = options.json { try Data(json(comparisons).utf8).write(to: URL(filePath: path)) }
        if !failures.isEmpty {
            print("\nFailed: " + failures.joined(separator: "; "))
            exit(70)
        }
    }
}

/// Says something beside the result.
func note(_ text: String, terminator: String = "\n") {
    FileHandle.standardError.write(Data((text + terminator).utf8))
}
