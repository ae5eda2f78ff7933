import ApusClient
import ArgumentParser

/// The value of `--on-success` and `--on-failure`.
enum HookText: Hashable {
    case notify(String)
    case webhook(String)
    /// A line for `/bin/sh`.
    case command(String)

    /// Reads `notify:TEXT`, `webhook:URL` or `command:LINE`; a bare URL is a webhook, and any other text a
    /// notification.
    init(_ text: String, option: String) throws {
        let forms: [(String, (String) -> HookText)] = [
            ("notify:", HookText.notify), ("webhook:", HookText.webhook), ("command:", HookText.command),
        ]
        self =
            if let (prefix, make) = forms.first(where: { text.hasPrefix($0.0) }) {
                make(String(text.dropFirst(prefix.count)))
            } else if text.hasPrefix("http://") || text.hasPrefix("https://") {
                .webhook(text)
            } else {
                .notify(text)
            }
        guard !value.isEmpty else {
            throw ValidationError(
                "\(option): \"\(text)\" has no content; give notify:TEXT, webhook:URL, command:LINE, a URL or a text")
        }
    }

    var isCommand: Bool { if case .command = self { true } else { false } }
    var isWebhook: Bool { if case .webhook = self { true } else { false } }

    private var value: String {
        switch self {
        case .notify(let value), .webhook(let value), .command(let value): value
        }
    }

    /// Returns the hook; `make` gives a command the surroundings of the job's own command.
    func hook(command make: (String) -> Action.Command) -> Action.Hook {
        switch self {
        case .notify(let text): .init(notify: text)
        case .webhook(let url): .init(webhook: url)
        case .command(let line): .init(command: make(line))
        }
    }
}
