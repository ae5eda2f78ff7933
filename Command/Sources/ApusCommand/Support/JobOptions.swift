import ApusClient
import ApusJobs
import ApusTimers
import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options for a job's work and policies, which `after`, `every`, `at` and `cron` share.
struct JobOptions: ParsableArguments {
    /// The options, keyed by the names of the submission's fields, because an error begins with the name of a field.
    static let fields = [
        "name": "--name", "labels": "--label", "idempotencyKey": "--idempotency-key", "queue": "--queue",
        "count": "--count", "fairnessKey": "--fairness-key",
        "priority": "--priority", "missed": "--missed", "overlap": "--overlap", "when": "--when",
        "action.webhook": "--webhook", "action.notify": "--notify", "action.webhookHeaders": "--webhook-header",
        "action.webhookSecretFile": "--webhook-secret-file", "action.onSuccess": "--on-success",
        "action.onFailure": "--on-failure", "action.command": "the command",
    ]

    @Option(help: ArgumentHelp("A name, which can be used instead of the identifier.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("How much later it may start, so that wake-ups can be shared.", valueName: "duration"))
    var tolerance: String?

    @Option(
        help: ArgumentHelp(
            "What happens to occurrences that no daemon could run in time: run-once (default), skip, run-all[:N].",
            valueName: "policy"))
    var missed: String?

    @Option(
        help: ArgumentHelp(
            "What happens while an earlier occurrence runs: skip (default), queue[:N], allow[:N], replace.",
            valueName: "policy"))
    var overlap: String?

    @Option(help: ArgumentHelp("How many more attempts after a failed one, with growing pauses.", valueName: "n"))
    var retry: String?

    @Option(
        help: ArgumentHelp(
            "How long an attempt may take; after that, it is ended and counts as failed.", valueName: "duration"))
    var timeout: String?

    @Option(
        help: ArgumentHelp(
            "How late an occurrence may begin; if it waits longer, it is skipped.", valueName: "duration"))
    var expiry: String?

    @Option(
        help: ArgumentHelp(
            "When due, wait until all of these hold, separated by commas: network, power (plugged in), idle (no effect on Linux, which does not report it).",
            valueName: "conditions"))
    var when: String?

    @Option(
        help: ArgumentHelp(
            "How long the job is kept after its end (default: 30 days, or 180 after a failure).",
            valueName: "duration"))
    var retention: String?

    @OptionGroup var place: PlaceOptions

    @Option(help: ArgumentHelp("A label; can be given several times.", valueName: "key=value"))
    var label: [String] = []

    @Option(help: ArgumentHelp("The command's working directory (default: the current one).", valueName: "folder"))
    var cwd: String?

    @Option(help: ArgumentHelp("A variable for the command; can be given several times.", valueName: "key=value"))
    var env: [String] = []

    @Option(
        help: ArgumentHelp(
            "A variable of this shell that the command gets too; can be given several times.",
            discussion:
                "The command always gets \(CallersSurroundings.names.joined(separator: ", ")), if they are set.",
            valueName: "name"))
    var inheritEnv: [String] = []

    @Flag(help: "Pass the command to /bin/sh -c as one line.")
    var shell = false

    @Option(help: ArgumentHelp("Post a JSON body to this URL.", valueName: "url"))
    var webhook: String?

    @Option(
        name: .customLong("webhook-header"),
        help: ArgumentHelp(
            "A header for the webhook, which is stored in the database; can be given several times.",
            valueName: "name: value"))
    var webhookHeaders: [String] = []

    @Option(
        help: ArgumentHelp(
            "Sign webhooks (standardwebhooks.com) with the secret in this file, which is read for each request.",
            valueName: "path"))
    var webhookSecretFile: String?

    @Option(
        help: ArgumentHelp(
            "Show this text after a success, and the reason after a failure: as a desktop notification, or else at attached terminals and in the log.",
            valueName: "text"))
    var notify: String?

    @Option(
        help: ArgumentHelp(
            "Do this after an occurrence has succeeded: notify:TEXT, webhook:URL or command:LINE (for /bin/sh); can be given several times.",
            valueName: "hook"))
    var onSuccess: [String] = []

    @Option(
        help: ArgumentHelp(
            "Do this after the last attempt at an occurrence has failed; the forms are those of --on-success.",
            valueName: "hook"))
    var onFailure: [String] = []

    @Option(
        help: ArgumentHelp(
            "An idempotency key: another submission with the same key adds no job.", valueName: "key"))
    var idempotencyKey: String?

    @Flag(help: "Print the job as JSON.")
    var json = false

    @Argument(parsing: .postTerminator, help: ArgumentHelp("What to run, after `--`.", valueName: "command"))
    var command: [String] = []

    func submission(trigger: WireTrigger, kind: String? = nil) throws -> WireSubmission {
        let action = try action()
        guard !action.isEmpty || kind == "countdown" else {
            throw ValidationError("there is nothing to do; give a command after `--`, --webhook URL or --notify TEXT")
        }
        // The values are parsed here too, so that the message names the option, and no daemon is started for an invalid
        // request.
        if let tolerance { _ = try DurationText.parse(tolerance, argument: "--tolerance") }
        if let timeout { _ = try DurationText.parse(timeout, argument: "--timeout") }
        if let expiry { _ = try DurationText.parse(expiry, argument: "--expiry") }
        if let retention { _ = try DurationText.parse(retention, argument: "--retention") }
        if let missed { _ = try PolicyText.missedRuns(missed) }
        if let overlap { _ = try PolicyText.overlap(overlap) }
        // An empty text is split into one empty word, which is not a condition.
        let conditions = when.map {
            $0.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        if let conditions { _ = try PolicyText.conditions(conditions) }
        let retry = try retry.map(RetryText.parse)
        var submission = WireSubmission(
            name: name, kind: kind, trigger: trigger, action: action,
            policies: WirePolicies(
                tolerance: tolerance, missed: missed, overlap: overlap, retry: retry, timeout: timeout,
                expiry: expiry, when: conditions, retention: retention),
            labels: try Self.pairs(label, option: "--label"),
            // The key is made here, so that it stays the same if a daemon has to be started first.
            idempotencyKey: idempotencyKey ?? WireSubmission.newIdempotencyKey(SystemRandom()))
        try place.add(to: &submission)
        return submission
    }

    private func action() throws -> Action {
        let hooks = (
            success: try onSuccess.map { try HookText($0, option: "--on-success") },
            failure: try onFailure.map { try HookText($0, option: "--on-failure") }
        )
        let allHooks = hooks.success + hooks.failure
        guard notify?.isEmpty != true else { throw ValidationError("--notify: the text is empty") }
        var action = Action(webhook: webhook, notify: notify)
        try addWebhookOptions(to: &action, hasHook: allHooks.contains(where: \.isWebhook))
        let hasCommand = !command.isEmpty || allHooks.contains(where: \.isCommand)
        if shell, command.isEmpty {
            throw ValidationError("--shell is for a command; give one after `--`")
        }
        if !hasCommand, cwd != nil || !env.isEmpty || !inheritEnv.isEmpty {
            throw ValidationError("--cwd, --env and --inherit-env are for a command; give one after `--`")
        }
        let surroundings = hasCommand ? try surroundings() : (folder: "/", variables: [:])
        func make(_ argv: [String], shell: Bool) -> Action.Command {
            .init(
                argv: argv, shell: shell, cwd: surroundings.folder, env: surroundings.variables,
                umask: CallersSurroundings.mask())
        }
        func list(_ hooks: [HookText]) -> [Action.Hook]? {
            hooks.isEmpty ? nil : hooks.map { $0.hook { make([$0], shell: true) } }
        }
        (action.onSuccess, action.onFailure) = (list(hooks.success), list(hooks.failure))
        guard !command.isEmpty else { return action }
        if shell {
            action.command = make([command.joined(separator: " ")], shell: true)
        } else {
            try Self.checkProgram(command[0], folder: surroundings.folder, path: surroundings.variables["PATH"] ?? "")
            action.command = make(command, shell: false)
        }
        return action
    }

    private func addWebhookOptions(to action: inout Action, hasHook: Bool) throws {
        if !webhookHeaders.isEmpty {
            guard webhook != nil else { throw ValidationError("--webhook-header: can only be used with --webhook URL") }
            action.webhookHeaders = [:]
            for text in webhookHeaders {
                let (name, value) = try WebhookHeaders.parse(text, argument: "--webhook-header")
                guard action.webhookHeaders?.updateValue(value, forKey: name) == nil else {
                    throw ValidationError("--webhook-header: \(name) is given twice")
                }
            }
        }
        if let file = webhookSecretFile {
            guard webhook != nil || hasHook else {
                throw ValidationError("--webhook-secret-file: there is no webhook to sign; give --webhook URL")
            }
            let path = file.unicodeScalars.first == "/" ? file : try ProcessEnvironment.workingDirectory() + "/" + file
            _ = try InputFile(path, argument: "--webhook-secret-file").contents()
            action.webhookSecretFile = path
        }
    }

    private func surroundings() throws -> (folder: String, variables: [String: String]) {
        var variables = try CallersSurroundings.variables(inheriting: inheritEnv)
        variables.merge(try Self.pairs(env, option: "--env")) { _, new in new }
        if let cwd { return (try Self.folder(cwd), variables) }
        return (try ProcessEnvironment.workingDirectory(), variables)
    }

    /// Returns the absolute path of the value of `--cwd`.
    static func folder(_ cwd: String) throws -> String {
        guard !cwd.isEmpty else { throw ValidationError("--cwd: the path is empty; name a folder") }
        let folder =
            cwd.unicodeScalars.first == "/" ? cwd : try ProcessEnvironment.workingDirectory() + "/" + cwd
        guard isFolder(folder) else { throw ValidationError("--cwd: \(folder) is not a folder") }
        return folder
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    /// Checks that a program can be run, so that a misspelt name is refused now and not only at the first run.
    static func checkProgram(_ program: String, folder: String, path: String) throws {
        guard !program.isEmpty else {
            throw ValidationError("the program is an empty text; name a program after `--`")
        }
        let candidates =
            program.unicodeScalars.contains("/")
            ? [program.unicodeScalars.first == "/" ? program : folder + "/" + program]
            : path.unicodeScalars.split(separator: ":").map { "\(String($0))/\(program)" }
        guard candidates.contains(where: { FileManager.default.isExecutableFile(atPath: $0) && !isFolder($0) }) else {
            if program.unicodeScalars.contains("/"), isFolder(candidates[0]) {
                throw ValidationError("\(program) is a folder; name a program in it")
            }
            throw ValidationError(
                "\(program) is not an executable program\(program.unicodeScalars.contains("/") ? "" : " (searched in PATH)"); for a line of the shell, use --shell"
            )
        }
    }

    /// Reads the words before the options.
    ///
    /// If the `--` before a command is missing, the command's words are among these words. An error therefore says that
    /// a command follows `--`.
    ///
    /// - Parameters:
    ///   - subcommand: The words that precede a suggested text, so that it is a command to copy.
    ///   - body: Reads the words.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, with commands as suggestions.
    func reading<Value>(_ subcommand: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch var error as TextError {
            if command.isEmpty, error.given.contains(" ") { error.message += " (write the command after --)" }
            error.suggestions = error.suggestions.map { text in
                let isCommand = ["at ", "every "].contains { text.utf8.starts(with: $0.utf8) }
                return "apus \(isCommand ? "" : subcommand)\(text.quotedForShells)"
            }
            throw error
        }
    }

    static func pairs(_ texts: [String], option: String) throws -> [String: String] {
        var pairs: [String: String] = [:]
        for text in texts {
            let scalars = text.unicodeScalars
            guard let separator = scalars.firstIndex(of: "="), separator != scalars.startIndex else {
                throw ValidationError("\(option): \"\(text)\" is not KEY=VALUE, such as team=web")
            }
            let (key, value) = (String(scalars[..<separator]), String(scalars[scalars.index(after: separator)...]))
            guard pairs.updateValue(value, forKey: key) == nil else {
                throw ValidationError("\(option): \(key) is given twice")
            }
        }
        return pairs
    }
}

/// Submits a job, and prints it.
func submit(_ submission: WireSubmission, json: Bool) async throws {
    let session = try Session()
    let job = try await session.call { try await $0.submit(submission) }
    if json { return try Terminal.json(job) }
    Terminal.out("\(job.id)\(job.name.map { " (\($0))" } ?? "")  \(When.due(job))  \(Colour.dim(job.action.text))")
    // A daemon of an earlier version sends no outcome.
    switch job.outcome.flatMap(SubmissionOutcome.init(rawValue:)) {
    case .inserted, nil: break
    case .updated: Terminal.note("the open job was updated")
    case .rescheduled: Terminal.note("the job was updated, and runs once more after the run in progress")
    case .replaced: Terminal.note("the open job was cancelled, and the new job takes its place")
    case .kept: Terminal.note("the open job was kept as it is")
    case .joined: Terminal.note("an earlier submission was the same; its job was kept as it is")
    }
}

/// The value of `--retry`.
enum RetryText {
    /// Returns the number of further attempts.
    ///
    /// - Throws: `TextError` if the text is not a whole number from 0 to 1,000.
    static func parse(_ text: String) throws(TextError) -> Int {
        func refusal(_ message: String) -> TextError {
            TextError(
                argument: "--retry", given: text, message: message,
                acceptedForms: ["a whole number from 0 to 1000, such as 3"])
        }
        guard let number = Int(text) else { throw refusal("it is not a whole number") }
        guard (0...1_000).contains(number) else { throw refusal("it is not between 0 and 1000") }
        return number
    }
}

extension String {
    /// The text as an argument to copy, in quotes if a shell would expand it, such as the stars of a cron expression.
    var quotedForShells: String { unicodeScalars.contains("*") || unicodeScalars.contains("?") ? "'\(self)'" : self }
}
