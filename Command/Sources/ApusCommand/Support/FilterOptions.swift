import ApusClient
import ArgumentParser

/// The options that select jobs, for subcommands that concern many jobs.
struct FilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only jobs with this label; if it is given several times, only jobs with all of the labels.",
            valueName: "key=value"))
    var label: [String] = []

    @Option(help: ArgumentHelp("Only jobs of this queue; can be given several times.", valueName: "name"))
    var queue: [String] = []

    @Option(help: ArgumentHelp("Only jobs with this fairness key; can be given several times.", valueName: "key"))
    var fairnessKey: [String] = []

    /// The given options with their values.
    private var given: [(option: String, value: String)] {
        label.map { ("--label", $0) } + queue.map { ("--queue", $0) } + fairnessKey.map { ("--fairness-key", $0) }
    }

    var isEmpty: Bool { given.isEmpty }

    /// The options as arguments for the shell, with a space before each.
    var text: String { given.map { " \($0.option) '\($0.value)'" }.joined() }

    /// Throws an error if one of the options is given, for a subcommand that accepts them only with another option.
    func refuse(_ remedy: String) throws {
        if let first = given.first { throw ValidationError("\(first.option): \(remedy)") }
    }

    func filter() throws -> JobFilter {
        _ = try JobOptions.pairs(label, option: "--label")
        return JobFilter(queues: queue, fairnessKeys: fairnessKey, labels: label)
    }
}
