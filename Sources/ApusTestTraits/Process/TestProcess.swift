import ApusTimers
import Foundation
import Testing

/// Which of the two processes this one is, and how the other is started.
enum TestProcess {
    /// Set to 1 in processes in which the tests with the trait run. A developer sets it to have a test in a debugger.
    static let variable = "APUS_VIRTUAL_CLOCK_PROCESS"
    /// The number of the descriptor that connects such a process with the test run.
    static let controlVariable = "APUS_VIRTUAL_CLOCK_CONTROL"
    private static let backtraceVariable = "SWIFT_BACKTRACE"

    enum Role: Equatable {
        /// Starts a process for each test.
        case runner
        /// Runs the test itself. The descriptor is missing when it was started by hand.
        case virtual(control: Int32?)
    }

    static let role = role(in: ProcessInfo.processInfo.environment)

    static func role(in environment: [String: String]) -> Role {
        guard environment[variable] == "1" else { return .runner }
        return .virtual(control: environment[controlVariable].flatMap { Int32($0) })
    }

    /// As many processes at once as there are processors: in more, tests would reach their limits without being slow.
    static let turns = Turnstile(limit: max(1, ProcessInfo.processInfo.activeProcessorCount))

    /// This program again, with one test, silent, and with its events in descriptor 3.
    static func command(forTest id: String) -> ChildCommand {
        var environment = ProcessInfo.processInfo.environment
        environment[variable] = "1"
        environment[controlVariable] = String(ChildProcess.controlDescriptor)
        // What of a crash is worth reading in an issue.
        if environment[backtraceVariable] == nil {
            environment[backtraceVariable] = "threads=crashed,registers=none,images=none,color=no,interactive=no"
        }
        return ChildCommand(
            path: "/proc/self/exe",
            arguments: [
                CommandLine.arguments.first ?? "tests", "--testing-library", "swift-testing", "--no-parallel",
                "--filter", filter(forTest: id),
                // Nothing on the console: the run of the tests has its own lines.
                "--verbosity", String(Int.min),
                "--event-stream-version", "6.3",
                "--event-stream-output-path", "/proc/self/fd/\(ChildProcess.eventsDescriptor)",
            ] + attachmentsOption(in: CommandLine.arguments),
            environment: environment)
    }

    /// The option of the test run that says where attachments are saved; they are saved there by the process.
    static func attachmentsOption(in arguments: [String]) -> [String] {
        let name = "--attachments-path"
        if let whole = arguments.last(where: { $0.hasPrefix(name + "=") }) { return [whole] }
        guard let index = arguments.lastIndex(of: name), index + 1 < arguments.count else { return [] }
        return [name, arguments[index + 1]]
    }

    /// A regular expression that matches this identifier only.
    static func filter(forTest id: String) -> String {
        let escaped = id.map { character in
            let isSpecial = character.isASCII && !character.isLetter && !character.isNumber && character != "_"
            return isSpecial ? "\\\(character)" : String(character)
        }
        return "^\(escaped.joined())$"
    }

    enum Claim: Equatable {
        case first, again
        case taken(by: String)
    }

    private static let owner = Locked<Test.ID?>(nil)

    /// Gives the time of this process to a test.
    static func claim(_ test: Test.ID) -> Claim {
        owner.withLock { owner in
            if owner == nil { owner = test } else if owner == test { return .again }
            return owner == test ? .first : .taken(by: owner.map(String.init(describing:)) ?? "")
        }
    }
}
