import BenchSupport
import Foundation

/// The benchmark of the costs and the precision of timers.
///
/// `timer-bench [--quick] [--only SUBJECT,...] [--json FILE]` compares them with the timers of Dispatch, Foundation,
/// the Swift runtime, SwiftNIO and the kernel, in turns in one run.
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
            // A subject that hangs ends the process; its name and the earlier tables are already printed.
            alarm(400)
            report.add(subject.rawValue) { try subject.measure(quick: options.quick) }
        }
        alarm(0)
        exit(try report.finish())
    }
}
