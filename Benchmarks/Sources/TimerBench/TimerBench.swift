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
        var report = Report(program: "timer-bench", json: options.json)
        if let child = options.child {
            alarm(400)
            do {
                return print(try child.measure(seed: options.seed, quick: options.quick))
            } catch {
                note("timer-bench: \(error)")
                exit(70)
            }
        }
        for subject in options.subjects {
            // What hangs ends the process: the subject was named, and the tables before it are out.
            alarm(400)
            report.add(subject.rawValue) { try subject.measure(quick: options.quick) }
        }
        alarm(0)
        exit(try report.finish())
    }
}
