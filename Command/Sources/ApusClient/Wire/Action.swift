import PlatformC

/// What a daemon's job does when it is due: kept as JSON in the job's payload.
///
/// A command first, then the webhook. The first of them that fails ends the attempt and is its reason; the next attempt
/// begins with the command again. The notification and the hooks come once per occurrence, after its outcome is decided:
/// not after an attempt that is followed by another, and not when the run was cancelled.
public struct Action: Codable, Hashable, Sendable {
    /// A program to start.
    public struct Command: Codable, Hashable, Sendable {
        /// The program and its arguments. With `shell`, one element: the line for `/bin/sh -c`.
        public var argv: [String]
        /// Whether `argv[0]` is a line for the shell.
        @EmptyIfAbsent public var shell: Bool
        /// The working directory, absolute; `/` unless given.
        public var cwd: String?
        /// The command's environment. Of `HOME`, `USER`, `LOGNAME`, `SHELL` and `PATH`, what is left out has the value of
        /// the user's login; nothing else is added but the variables that describe the run (`APUS_JOB` and others).
        @EmptyIfAbsent public var env: [String: String]
        /// The mask of file creation in three octal digits, such as `022`, which it is unless given.
        public var umask: String?
        /// A command.
        public init(
            argv: [String], shell: Bool = false, cwd: String? = nil, env: [String: String] = [:], umask: String? = nil
        ) {
            self.argv = argv
            self.shell = shell
            self.cwd = cwd
            self.env = env
            self.umask = umask
        }
        /// The mask of file creation unless ``umask`` is given.
        package static let defaultMask: UInt32 = 0o022

        /// The mask as a number; `nil` if the text is not one.
        package var mask: UInt32? {
            guard let umask else { return Self.defaultMask }
            let digits = umask.utf8
            guard digits.count == 3 || digits.count == 4 && umask.hasPrefix("0") else { return nil }
            guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }) else { return nil }
            return UInt32(umask, radix: 8)
        }
        /// The command as one would type it.
        public var text: String { shell ? argv.joined(separator: " ") : argv.map(Self.quoted).joined(separator: " ") }

        private static func quoted(_ word: String) -> String {
            let plain = word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_./=:,@%+".utf8.contains(byte)
                }
            }
            return plain && !word.isEmpty
                ? word
                : "'"
                    + word.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
                    .joined(separator: #"'\''"#) + "'"
        }
    }
    /// What is done once, when an occurrence has its outcome: exactly one of the three.
    public struct Hook: Codable, Hashable, Sendable {
        /// A program to start, with `APUS_OUTCOME`, `APUS_REASON` and `APUS_EXIT_CODE` in its environment.
        public var command: Command?
        /// A URL to which a JSON body with the outcome is posted.
        public var webhook: String?
        /// A text to show.
        public var notify: String?
        /// A hook.
        public init(command: Command? = nil, webhook: String? = nil, notify: String? = nil) {
            self.command = command
            self.webhook = webhook
            self.notify = notify
        }
        /// The hook in a few words.
        public var text: String {
            [command?.text, webhook.map { "POST \(URLText.shown($0))" }, notify.map { "notify \($0)" }].compactMap {
                $0
            }.joined(
                separator: ", ")
        }
    }
    /// The program to start, if any.
    public var command: Command?
    /// A URL to which a JSON body is posted, if any.
    public var webhook: String?
    /// Headers for the webhook, by name.
    public var webhookHeaders: [String: String]?
    /// The absolute path of a file with the secret that signs the job's webhooks. It is read when one is posted.
    public var webhookSecretFile: String?
    /// A text to show after a success, if any; after a failure, the job's name and the reason are shown instead.
    public var notify: String?
    /// What is done after a success.
    public var onSuccess: [Hook]?
    /// What is done after a failure.
    public var onFailure: [Hook]?

    /// An action.
    public init(
        command: Command? = nil, webhook: String? = nil, webhookHeaders: [String: String]? = nil,
        webhookSecretFile: String? = nil, notify: String? = nil, onSuccess: [Hook]? = nil, onFailure: [Hook]? = nil
    ) {
        self.command = command
        self.webhook = webhook
        self.webhookHeaders = webhookHeaders
        self.webhookSecretFile = webhookSecretFile
        self.notify = notify
        self.onSuccess = onSuccess
        self.onFailure = onFailure
    }

    /// Whether there is nothing to do (a countdown without a notification).
    public var isEmpty: Bool { command == nil && webhook == nil && notify == nil }

    /// Takes another URL, or none, and removes the headers, which may be credentials, if the scheme, host or port is
    /// another.
    /// - Returns: the names of the headers that are removed.
    package mutating func setWebhook(_ url: String?) -> [String] {
        let keeps = webhook.flatMap { old in url.map { WebhookRoute.haveSameOrigin(old, $0) } } ?? false
        let removed = keeps ? [] : (webhookHeaders ?? [:]).keys.sorted()
        webhook = url
        if !keeps { webhookHeaders = nil }
        return removed
    }

    /// Removes the secret if nothing is left to sign.
    package mutating func removeUnusedSecret() {
        if webhook == nil, hooks.allSatisfy({ $0.webhook == nil }) { webhookSecretFile = nil }
    }

    /// The hooks of both outcomes.
    public var hooks: [Hook] { (onSuccess ?? []) + (onFailure ?? []) }

    /// Whether all it does is to show texts: it starts no program, posts nothing and reads no file.
    public var onlyShowsTexts: Bool {
        command == nil && webhook == nil && webhookSecretFile == nil
            && hooks.allSatisfy { $0.command == nil && $0.webhook == nil }
    }

    /// The action in a few words.
    public var text: String {
        [command?.text, webhook.map { "POST \(URLText.shown($0))" }, notify.map { "notify \($0)" }].compactMap { $0 }
            .joined(
                separator: ", then ")
    }
}

/// What a command has around it when its job does not say: the user's entry in the password database, and nothing of the
/// daemon's own environment, which holds whatever the shell had that happened to start it.
package struct CommandSurroundings: Sendable {
    /// The `PATH` of a command whose job names none.
    package static let defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    /// The working directory.
    package static let defaultFolder = "/"

    /// `HOME`, `USER`, `LOGNAME` and `SHELL`, as far as they are known, and `PATH`.
    package var variables: [String: String]

    /// The surroundings of the user of this process.
    package static func ofThisUser() -> Self {
        var variables = ["PATH": defaultPath]
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 64 * 1024)
        guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            return Self(variables: variables)
        }
        variables["HOME"] = text(entry.pw_dir)
        variables["USER"] = text(entry.pw_name)
        variables["LOGNAME"] = text(entry.pw_name)
        variables["SHELL"] = text(entry.pw_shell)
        return Self(variables: variables)
    }

    private static func text(_ field: UnsafeMutablePointer<CChar>?) -> String? {
        guard let field, field.pointee != 0 else { return nil }
        return String(cString: field)
    }
}
