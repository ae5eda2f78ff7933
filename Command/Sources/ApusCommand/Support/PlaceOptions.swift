import ApusClient
import ApusJobs
import ArgumentParser

/// The options for a job's queue and uniqueness, which `after`, `every`, `at` and `cron` share.
struct PlaceOptions: ParsableArguments {
    /// The effect on a job that counts as the same.
    enum Conflict: String, EnumerableFlag {
        case update, keep, replace

        static func help(for value: Conflict) -> ArgumentHelp? {
            switch value {
            case .update: "Update the open job of that --name; without one, submit it."
            case .keep: "Keep the open job of that --name as it is; without one, submit it."
            case .replace: "Cancel the open job of that --name, and submit this one in its place."
            }
        }
    }

    @Option(
        help: ArgumentHelp("The queue in which it waits for a place (default: \"default\").", valueName: "queue"))
    var queue: String?

    @Option(
        help: ArgumentHelp(
            "The order of jobs in a queue: low, normal (default), high, urgent.", valueName: "priority"))
    var priority: String?

    @Option(
        help: ArgumentHelp(
            "Jobs of a queue with different keys take turns; a customer or an account, for example.",
            valueName: "key"))
    var fairnessKey: String?

    @Flag(
        help: ArgumentHelp(
            "Submit no job while an identical unique job is open.",
            discussion: "The same are command, folder, variables and everything else that is done. "
                + "With --update, that job is updated, and runs once more if its last run is in progress; "
                + "with --replace, it is replaced; else it is kept."))
    var unique = false

    @Option(
        help: ArgumentHelp(
            "Like --unique, by this key, whatever the jobs do: at most one job with the key is open.",
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
            guard isUnique else { throw ValidationError("--unique-within: goes with --unique or --unique-key") }
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
