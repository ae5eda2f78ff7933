import ApusClient
import ApusJobs
import ArgumentParser

/// The subcommands for queues, whose limits are stored in the database and apply to runs that begin later.
struct Queue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Show the queues, and limit how many of their runs are in progress at once.",
        discussion: """
            A queue need not be created: a job names its queue with --queue.
            Examples:
              apus queue limit builds 2
              apus queue limit mail 1 --per-key
              apus queue rate mail 100/1m
              apus queue pause builds
            """,
        subcommands: [QueueList.self, QueueLimit.self, QueueRateCommand.self, QueuePause.self, QueueResume.self])
}

struct QueueList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the queues that have limits, or running or waiting jobs.")

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let answer = try await Session().call { try await $0.queues() }
            if json { return try Terminal.json(answer) }
            guard !answer.queues.isEmpty else {
                return Terminal.note("no queue has limits, or running or waiting jobs")
            }
            var table = Table(
                ["QUEUE", "LIMIT", "PER KEY", "RATE", "RUNNING", "WAITING", "STATE"], rightAligned: [1, 2, 4, 5])
            for queue in answer.queues {
                table.add([
                    (queue.name, .bold), (queue.concurrency.map(String.init) ?? "-", nil),
                    (queue.concurrencyPerKey.map(String.init) ?? "-", nil),
                    (queue.rate.map(Self.text) ?? "-", nil), (String(queue.running), nil), (String(queue.waiting), nil),
                    (queue.paused ? "paused" : "open", queue.paused ? .yellow : nil),
                ])
            }
            table.print()
        }
    }

    /// Returns a rate such as `100/1m`.
    static func text(_ rate: WireRate) -> String { "\(rate.runs)/\(When.duration(rate.per))" }
}

struct QueueLimit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "Limit how many runs of a queue are in progress at once.")

    @Argument(help: "The name of the queue.")
    var name: String

    @Argument(help: ArgumentHelp("How many runs, 1 to 100000; or none, for no limit.", valueName: "limit"))
    var limit: String

    @Flag(help: "Limit the runs of each fairness key separately, instead of all runs together.")
    var perKey = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let limit = try parsed()
            let limits = perKey ? WireQueueChange(concurrencyPerKey: limit) : WireQueueChange(concurrency: limit)
            try await change(name, limits, json: json)
        }
    }

    private func parsed() throws -> FieldChange<Int> {
        if limit == "none" { return .removed }
        guard let number = Int(limit), (1...100_000).contains(number), !limit.hasPrefix("+") else {
            throw ValidationError("limit: \"\(limit)\" is not a whole number from 1 to 100000, or none")
        }
        return .set(number)
    }
}

struct QueueRateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate", abstract: "Limit how many runs of a queue begin within a duration.")

    @Argument(help: "The name of the queue.")
    var name: String

    @Argument(
        help: ArgumentHelp(
            "How many runs in which duration, such as 100/1m; or none, for no limit.", valueName: "n/duration"))
    var rate: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            try await change(name, WireQueueChange(rate: try parsed()), json: json)
        }
    }

    private func parsed() throws -> FieldChange<WireRate> {
        if rate == "none" { return .removed }
        let parts = rate.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let runs = Int(parts[0]), (1...100_000).contains(runs), !rate.hasPrefix("+")
        else {
            throw ValidationError(
                "rate: \"\(rate)\" is not N/DURATION with N from 1 to 100000, such as 100/1m, or none")
        }
        return .set(WireRate(runs: runs, per: DurationText.iso8601(try DurationText.parse(parts[1], argument: "rate"))))
    }
}

struct QueuePause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a queue: no run begins, and runs in progress continue.")

    @Argument(help: "The name of the queue.")
    var name: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting { try await change(name, WireQueueChange(paused: true), json: json) }
    }
}

struct QueueResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume a paused queue: runs begin again.")

    @Argument(help: "The name of the queue.")
    var name: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reporting { try await change(name, WireQueueChange(paused: false), json: json) }
    }
}

/// Changes a queue, and prints it.
private func change(_ name: String, _ change: WireQueueChange, json: Bool) async throws {
    let queue = try await Session().call { try await $0.change(queue: name, change) }
    if json { return try Terminal.json(queue) }
    let limits = [
        queue.paused ? "paused" : nil, queue.concurrency.map { "at most \($0) at once" },
        queue.concurrencyPerKey.map { "at most \($0) at once per fairness key" },
        queue.rate.map { "at most \($0.runs) in \(When.duration($0.per))" },
    ].compactMap { $0 }
    Terminal.out("\(queue.name): \(limits.isEmpty ? "no limits" : limits.joined(separator: ", "))")
}
