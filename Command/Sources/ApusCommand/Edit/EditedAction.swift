import ApusClient
import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options for a new action; the parts that no option names stay, such as the folder and variables of the command.
struct EditedAction: ParsableArguments {
    @Option(help: ArgumentHelp("The new folder of the command.", valueName: "folder"))
    var cwd: String?

    @Option(
        help: ArgumentHelp(
            "Set a variable of the command, and keep the others; can be given several times.", valueName: "key=value"))
    var env: [String] = []

    @Option(help: ArgumentHelp("Remove a variable of the command; can be given several times.", valueName: "name"))
    var unsetEnv: [String] = []

    @Flag(help: "Pass the new command to /bin/sh -c as one line.")
    var shell = false

    @Option(help: ArgumentHelp("Post a JSON body to this URL; or none.", valueName: "url"))
    var webhook: String?

    @Option(help: ArgumentHelp("Show this text after a success; or none.", valueName: "text"))
    var notify: String?

    @Option(
        help: ArgumentHelp(
            "The actions after a success, which replace the earlier ones: notify:TEXT, webhook:URL or command:LINE; or none; can be given several times.",
            valueName: "hook"))
    var onSuccess: [String] = []

    @Option(help: ArgumentHelp("The actions after a failure, as with --on-success.", valueName: "hook"))
    var onFailure: [String] = []

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The new command, after `--`.", valueName: "command"))
    var command: [String] = []

    /// Whether no option is given.
    var isEmpty: Bool {
        cwd == nil && env.isEmpty && unsetEnv.isEmpty && !shell && webhook == nil && notify == nil && onSuccess.isEmpty
            && onFailure.isEmpty && command.isEmpty
    }

    /// Returns the action with the change; `nil` if no option is given.
    func applied(to action: Action) throws -> Action? {
        if isEmpty { return nil }
        guard !shell || !command.isEmpty else {
            throw ValidationError("--shell is for a command; give one after `--`")
        }
        var new = action
        if let webhook {
            let removed = new.setWebhook(webhook == "none" ? nil : webhook)
            if webhook != "none", !removed.isEmpty {
                Terminal.note(
                    "apus: the headers of the former server were removed: \(removed.joined(separator: ", ")); "
                        + "apus edit --editor adds headers for the new one")
            }
        }
        guard notify?.isEmpty != true else {
            throw ValidationError("--notify: the text is empty; give a text, or none to remove it")
        }
        if let notify { new.notify = notify == "none" ? nil : notify }
        let surroundings = try surroundings(of: action)
        if !onSuccess.isEmpty { new.onSuccess = try hooks(onSuccess, "--on-success", surroundings) }
        if !onFailure.isEmpty { new.onFailure = try hooks(onFailure, "--on-failure", surroundings) }
        new.removeUnusedSecret()
        if !command.isEmpty {
            if !shell {
                try JobOptions.checkProgram(
                    command[0], folder: surroundings.cwd ?? "/", path: surroundings.env["PATH"] ?? "")
            }
            new.command = surroundings
            new.command?.argv = shell ? [command.joined(separator: " ")] : command
            new.command?.shell = shell
        } else if cwd != nil || !env.isEmpty || !unsetEnv.isEmpty {
            guard let former = action.command else {
                throw ValidationError(
                    "--cwd, --env and --unset-env are for a command, and the job has none; give one after `--`")
            }
            new.command = surroundings
            new.command?.argv = former.argv
            new.command?.shell = former.shell
        }
        return new
    }

    /// Returns the folder, the variables and the mask for a new command, with the changes of the options.
    ///
    /// Without a change, they are those of the job's command, or else of its first hook with a command, or else of the
    /// calling shell.
    private func surroundings(of action: Action) throws -> Action.Command {
        let here = try ProcessEnvironment.workingDirectory()
        let known = action.command ?? action.hooks.lazy.compactMap(\.command).first
        var command =
            try known
            ?? Action.Command(
                argv: [], cwd: here, env: try CallersSurroundings.variables(inheriting: []),
                umask: CallersSurroundings.mask())
        command.argv = []
        if let cwd { command.cwd = try JobOptions.folder(cwd) }
        command.env.merge(try JobOptions.pairs(env, option: "--env")) { _, new in new }
        for name in unsetEnv {
            guard command.env.removeValue(forKey: name) != nil else {
                throw ValidationError("--unset-env: the command has no variable \(name)")
            }
        }
        return command
    }

    private func hooks(
        _ texts: [String], _ option: String, _ surroundings: Action.Command
    ) throws -> [Action.Hook]? {
        if texts == ["none"] { return nil }
        return try texts.map { text in
            try HookText(text, option: option).hook { line in
                var command = surroundings
                (command.argv, command.shell) = ([line], true)
                return command
            }
        }
    }
}
