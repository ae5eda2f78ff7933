import ApusTimers
import Foundation
import Testing

/// The role of this process in a test run, and the command with which the runner starts the process of a test.
enum TestProcess {
    /// The environment variable that is 1 in the processes in which tests with the trait run.
    ///
    /// A developer sets it to run a test in a debugger.
    static let variable = "APUS_VIRTUAL_CLOCK_PROCESS"
    /// The environment variable with the number of the descriptor that connects a test's process with the test run.
    static let controlVariable = "APUS_VIRTUAL_CLOCK_CONTROL"
    private static let backtraceVariable = "SWIFT_BACKTRACE"

    enum Role: Equatable {
        /// This process starts another process for each test.
        case runner
        /// This process runs the test itself; `control` is `nil` if the process was started by hand.
        case virtual(control: Int32?)
    }

    static let role = role(in: ProcessInfo.processInfo.environment)

    static func role(in environment: [String: String]) -> Role {
        guard environment[variable] == "1" else { return .runner }
        return .virtual(control: environment[controlVariable].flatMap { Int32($0) })
    }

    /// Limits the number of processes that run at once to the number of processors.
    ///
    /// With more processes, tests would reach their time limits although they are not slow.
    static let turns = Turnstile(limit: max(1, ProcessInfo.processInfo.activeProcessorCount))

    /// Returns the command that runs one test of this program, prints nothing, and writes the events to descriptor 3.
    static func command(forTest id: String) -> ChildCommand {
        var environment = ProcessInfo.processInfo.environment
        environment[variable] = "1"
        environment[controlVariable] = String(ChildProcess.controlDescriptor)
        // These are the parts of a crash's report that are worth reading in an issue.
        if environment[backtraceVariable] == nil {
            environment[backtraceVariable] = "threads=crashed,registers=none,images=none,color=no,interactive=no"
        }
        return ChildCommand(
            path: "/proc/self/exe",
            arguments: [
                CommandLine.arguments.first ?? "tests", "--testing-library", "swift-testing", "--no-parallel",
                "--filter", filter(forTest: id),
                // The process prints nothing, because the test run prints lines of its own.
                "--verbosity", String(Int.min),
                "--event-stream-version", "6.3",
                "--event-stream-output-path", "/proc/self/fd/\(ChildProcess.eventsDescriptor)",
            ] + attachmentsOption(in: CommandLine.arguments),
            environment: environment)
    }

    /// Returns the test run's option for the folder in which the process must save attachments.
    static func attachmentsOption(in arguments: [String]) -> [String] {
        let name = "--attachments-path"
        if let whole = arguments.last(where: { $0.hasPrefix(name + "=") }) { return [whole] }
        guard let index = arguments.lastIndex(of: name), index + 1 < arguments.count else { return [] }
        return [name, arguments[index + 1]]
    }

    /// Returns a regular expression that matches only this identifier.
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

    /// Assigns the virtual time of this process to a test, unless another test has it.
    static func claim(_ test: Test.ID) -> Claim {
        owner.withLock { owner in
            if owner == nil { owner = test } else if owner == test { return .again }
            return owner == test ? .first : .taken(by: owner.map(String.init(describing:)) ?? "")
        }
    }
}
