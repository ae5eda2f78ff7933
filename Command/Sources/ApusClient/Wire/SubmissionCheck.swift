#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks that every submission must pass, whether it comes from the command, the API or the dashboard.
///
/// The message of an error names the field.
enum SubmissionCheck {
    static func check(_ submission: WireSubmission, kind: ActionKind) throws {
        if let name = submission.name { try check(line: name, "name") }
        if let key = submission.fairnessKey { try check(line: key, "fairnessKey") }
        if let key = submission.unique?.key { try check(line: key, "unique.key") }
        for (key, value) in (submission.labels ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard !key.isEmpty, !key.unicodeScalars.contains("=") else {
                throw DaemonError(
                    .invalid, "labels: \"\(PrintableText.escaped(key))\" is not the key of a label; give one without =")
            }
            try check(printable: key, "labels: the key \"\(PrintableText.escaped(key))\"")
            try check(printable: value, "labels: the value of \"\(key)\"")
        }
        if let key = submission.idempotencyKey {
            guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw DaemonError(
                    .invalid, "idempotencyKey: must have 1 to 255 characters, all of them printable ASCII")
            }
        }
        try check(submission.action, kind: kind)
    }

    private static func check(_ action: Action, kind: ActionKind) throws {
        if action.isEmpty, kind == .action {
            throw DaemonError(.invalid, "action: there is nothing to do; give a command, a webhook or a notification")
        }
        if let command = action.command { try check(command, "action.command") }
        if let webhook = action.webhook { try check(url: webhook, "action.webhook") }
        if let headers = action.webhookHeaders, !headers.isEmpty {
            guard action.webhook != nil else {
                throw DaemonError(.invalid, "action.webhookHeaders: can only be given with action.webhook")
            }
            for (name, value) in headers {
                try WebhookHeaders.check(name, value, argument: "action.webhookHeaders")
            }
        }
        if let file = action.webhookSecretFile {
            try check(printable: file, "action.webhookSecretFile")
            guard file.unicodeScalars.first == "/" else {
                throw DaemonError(.invalid, "action.webhookSecretFile: \"\(file)\" is not an absolute path")
            }
            guard action.webhook != nil || action.hooks.contains(where: { $0.webhook != nil }) else {
                throw DaemonError(
                    .invalid, "action.webhookSecretFile: there is no webhook to sign; give action.webhook")
            }
        }
        if let text = action.notify { try check(lines: text, "action.notify") }
        try check(action.onSuccess, "action.onSuccess")
        try check(action.onFailure, "action.onFailure")
    }

    private static func check(_ hooks: [Action.Hook]?, _ field: String) throws {
        guard let hooks else { return }
        guard hooks.count <= 16 else {
            throw DaemonError(.invalid, "\(field): at most 16 hooks are accepted, not \(hooks.count)")
        }
        for (index, hook) in hooks.enumerated() {
            let field = "\(field)[\(index)]"
            switch (hook.command, hook.webhook, hook.notify) {
            case (let command?, nil, nil): try check(command, field + ".command")
            case (nil, let webhook?, nil): try check(url: webhook, field + ".webhook")
            case (nil, nil, let text?): try check(lines: text, field + ".notify")
            default: throw DaemonError(.invalid, "\(field): give exactly one of command, webhook and notify")
            }
        }
    }

    private static func check(_ command: Action.Command, _ field: String) throws {
        guard let program = command.argv.first, !program.isEmpty else {
            throw DaemonError(.invalid, "\(field).argv: the program is missing")
        }
        if let cwd = command.cwd, cwd.unicodeScalars.first != "/" {
            throw DaemonError(.invalid, "\(field).cwd: \"\(cwd)\" is not an absolute path")
        }
        for name in command.env.keys.sorted() where name.isEmpty || name.unicodeScalars.contains("=") {
            throw DaemonError(
                .invalid,
                "\(field).env: \"\(PrintableText.escaped(name))\" is not a variable's name; give one without =")
        }
        let texts = command.argv + [command.cwd ?? ""] + command.env.flatMap { [$0.key, $0.value] }
        guard texts.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw DaemonError(.invalid, "\(field): contains the character U+0000, which no program can receive")
        }
        guard command.mask != nil else {
            throw DaemonError(
                .invalid,
                "\(field).umask: \"\(command.umask ?? "")\" is not a mask of three octal digits, such as 022")
        }
    }

    private static func check(url text: String, _ field: String) throws {
        try check(printable: text, field)
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false else {
            throw DaemonError(.invalid, "\(field): \"\(text)\" is not an http:// or https:// URL")
        }
    }

    private static func check(line text: String, _ field: String) throws {
        guard (1...255).contains(text.unicodeScalars.count) else {
            throw DaemonError(.invalid, "\(field): must have 1 to 255 characters, not \(text.unicodeScalars.count)")
        }
        try check(printable: text, field)
    }

    static func check(printable text: String, _ field: String) throws {
        guard let scalar = PrintableText.firstUnprintable(in: text) else { return }
        throw DaemonError(
            .invalid,
            "\(field): contains the character \(PrintableText.codePoint(scalar)); "
                + "control characters, line breaks and bidirectional overrides are not accepted")
    }

    private static func check(lines text: String, _ field: String) throws {
        guard let scalar = PrintableText.firstUnprintable(in: text, allowing: PrintableText.lineCharacters) else {
            return
        }
        throw DaemonError(
            .invalid,
            "\(field): contains the character \(PrintableText.codePoint(scalar)); the only accepted control characters are line "
                + "feeds and tabs, and bidirectional overrides are not accepted")
    }
}
