import ApusClient
import ApusJobs
import ArgumentParser

/// The options for a job's queue and uniqueness, which `after`, `every`, `at` and `cron` share.
struct PlaceOptions: ParsableArguments {
    /// The effect of a submission on an existing job that counts as the same.
    enum Conflict: String, EnumerableFlag {
        case update, keep, replace

        static func help(for value: Conflict) -> ArgumentHelp? {
            switch value {
            case .update: "Update the open job with this --name, or submit this one if there is none."
            case .keep: "Keep the open job with this --name as it is, or submit this one if there is none."
            case .replace: "Cancel the open job with this --name, and submit this one in its place."
            }
        }
    }

    @Option(
        help: ArgumentHelp("The queue in which it waits for a place (default: \"default\").", valueName: "queue"))
    var queue: String?

    @Option(
        help: ArgumentHelp(
            "The priority in the queue: low, normal (default), high, urgent.", valueName: "priority"))
    var priority: String?

    @Option(
        help: ArgumentHelp(
            "Whose work it is, such as a customer: jobs of a queue with different keys take turns.",
            valueName: "key"))
    var fairnessKey: String?

    @Flag(
        help: ArgumentHelp(
            "Submit no job while an identical unique job is open.",
            discussion: "Identical jobs have the same command, folder, variables and everything else that they do. "
                + "With --update, the open job is updated, and runs once more if its last run is in progress; "
                + "with --replace, it is replaced; otherwise it is kept."))
    var unique = false

    @Option(
        help: ArgumentHelp(
            "Like --unique, but compare this key instead of what the jobs do: at most one open job has it.",
            valueName: "key"))
    var uniqueKey: String?

    @Option(
        help: ArgumentHelp(
            "With --unique or --unique-key: ended jobs count too, for this long after their submission.",
            valueName: "duration"))
    var uniqueWithin: String?

    @Flag(exclusivity: .exclusive)
    var conflict: Conflict?

    private var isUnique: Bool { unique || uniqueKey != nil }

    /// Adds the values of the options to a submission.
    func add(to submission: inout WireSubmission) throws {
        if let priority { _ = try PolicyText.priority(priority) }
        if let uniqueWithin {
            guard isUnique else {
                throw ValidationError("--unique-within: can only be used with --unique or --unique-key")
            }
            _ = try DurationText.parse(uniqueWithin, argument: "--unique-within")
        }
        if let conflict, submission.name == nil, !isUnique {
            throw ValidationError(
                "--\(conflict.rawValue): give --name, --unique or --unique-key, which say what counts as the same job")
        }
        submission.queue = queue
        submission.priority = priority
        submission.fairnessKey = fairnessKey
        submission.unique = isUnique ? WireUniqueness(within: uniqueWithin, key: uniqueKey) : nil
        submission.conflict = conflict?.rawValue
    }
}
