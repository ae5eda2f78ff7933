import PlatformC

/// The work of a daemon's job, which is stored as JSON in the job's payload.
///
/// The command runs first, and then the webhook is posted. If one of them fails, the attempt ends, and its outcome has
/// that failure as the reason. The next attempt begins with the command again. The notification and the hooks follow
/// once per occurrence, after its outcome is decided: not after an attempt that is followed by another one, and not if
/// the run was cancelled.
public struct Action: Codable, Hashable, Sendable {
    /// A program to start.
    public struct Command: Codable, Hashable, Sendable {
        /// The program and its arguments; with `shell`, the only element is the line for `/bin/sh -c`.
        public var argv: [String]
        /// Whether `argv[0]` is a line for the shell.
        @EmptyIfAbsent public var shell: Bool
        /// The absolute path of the working directory; the default is `/`.
        public var cwd: String?
        /// The variables of the command's environment.
        ///
        /// `HOME`, `USER`, `LOGNAME`, `SHELL` and `PATH` have the values of the user's login by default. No other
        /// variables are added, except those that describe the run (`APUS_JOB` and others).
        @EmptyIfAbsent public var env: [String: String]
        /// The file mode creation mask, in three octal digits; the default is `022`.
        public var umask: String?
        /// Creates a command.
        public init(
            argv: [String], shell: Bool = false, cwd: String? = nil, env: [String: String] = [:], umask: String? = nil
        ) {
            self.argv = argv
            self.shell = shell
            self.cwd = cwd
            self.env = env
            self.umask = umask
        }
        /// The mask of a command without ``umask``.
        package static let defaultMask: UInt32 = 0o022

        /// The mask as a number; `nil` if the text is not a mask.
        package var mask: UInt32? {
            guard let umask else { return Self.defaultMask }
            let digits = umask.utf8
            guard digits.count == 3 || digits.count == 4 && umask.hasPrefix("0") else { return nil }
            guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }) else { return nil }
            return UInt32(umask, radix: 8)
        }
        /// The command as it would be typed into a shell.
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
    /// A step after the outcome of an occurrence, with exactly one of the three properties.
    public struct Hook: Codable, Hashable, Sendable {
        /// A program to start, with `APUS_OUTCOME`, `APUS_REASON` and `APUS_EXIT_CODE` in its environment.
        public var command: Command?
        /// A URL to which a JSON body with the outcome is posted.
        public var webhook: String?
        /// The text of a notification.
        public var notify: String?
        /// Creates a hook.
        public init(command: Command? = nil, webhook: String? = nil, notify: String? = nil) {
            self.command = command
            self.webhook = webhook
            self.notify = notify
        }
        /// A short description of the hook.
        public var text: String {
            [command?.text, webhook.map { "POST \(URLText.shown($0))" }, notify.map { "notify \($0)" }].compactMap {
                $0
            }.joined(
                separator: ", ")
        }
    }
    /// The program to start, if there is one.
    public var command: Command?
    /// The URL to which a JSON body is posted, if there is one.
    public var webhook: String?
    /// The additional headers of the webhook, by name.
    public var webhookHeaders: [String: String]?
    /// The absolute path of the file with the secret that signs the job's webhooks; the file is read at each post.
    public var webhookSecretFile: String?
    /// The text of the notification after a success, if there is one; after a failure, the job's name and the reason
    /// are shown instead.
    public var notify: String?
    /// The hooks that run after a success.
    public var onSuccess: [Hook]?
    /// The hooks that run after a failure.
    public var onFailure: [Hook]?

    /// Creates an action.
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

    /// Whether there is no command, webhook or notification, as for a countdown that only counts.
    public var isEmpty: Bool { command == nil && webhook == nil && notify == nil }

    /// Sets or removes the URL of the webhook.
    ///
    /// If the scheme, host or port changes, the headers are removed, because they may be credentials.
    ///
    /// - Returns: the names of the removed headers.
    package mutating func setWebhook(_ url: String?) -> [String] {
        let keeps = webhook.flatMap { old in url.map { WebhookRoute.haveSameOrigin(old, $0) } } ?? false
        let removed = keeps ? [] : (webhookHeaders ?? [:]).keys.sorted()
        webhook = url
        if !keeps { webhookHeaders = nil }
        return removed
    }

    /// Removes the secret's path if no webhook is left to sign.
    package mutating func removeUnusedSecret() {
        if webhook == nil, hooks.allSatisfy({ $0.webhook == nil }) { webhookSecretFile = nil }
    }

    /// The hooks of both outcomes.
    public var hooks: [Hook] { (onSuccess ?? []) + (onFailure ?? []) }

    /// Whether the action only shows texts: it starts no program, posts nothing and reads no file.
    public var onlyShowsTexts: Bool {
        command == nil && webhook == nil && webhookSecretFile == nil
            && hooks.allSatisfy { $0.command == nil && $0.webhook == nil }
    }

    /// A short description of the action.
    public var text: String {
        [command?.text, webhook.map { "POST \(URLText.shown($0))" }, notify.map { "notify \($0)" }].compactMap { $0 }
            .joined(
                separator: ", then ")
    }
}

/// The parts of a command's surroundings that its job does not set, from the user's entry in the password database.
///
/// The daemon's own environment is not used, because it depends on the shell that happened to start the daemon.
package struct CommandSurroundings: Sendable {
    /// The `PATH` of a command whose job sets none.
    package static let defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    /// The working directory of a command whose job sets none.
    package static let defaultFolder = "/"

    /// The default variables: `PATH`, and `HOME`, `USER`, `LOGNAME` and `SHELL` as far as they are known.
    package var variables: [String: String]

    /// Returns the surroundings for the user of this process.
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
