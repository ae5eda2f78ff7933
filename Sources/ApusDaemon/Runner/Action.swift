/// What a daemon's job does when it is due: kept as JSON in the job's payload.
///
/// Any of the three; a command first, then the webhook, then the notification. The first failure is the outcome. The
/// notification is shown after a failure too, at each attempt, but not when the run was told to end.
public struct Action: Codable, Hashable, Sendable {
    /// A program to start.
    public struct Command: Codable, Hashable, Sendable {
        /// The program and its arguments. With `shell`, one element: the line for `/bin/sh -c`.
        public var argv: [String]
        /// Whether `argv[0]` is a line for the shell.
        @EmptyIfAbsent public var shell: Bool
        /// The working directory, absolute.
        public var cwd: String?
        /// Variables to set in the command's environment, beside the daemon's own.
        @EmptyIfAbsent public var env: [String: String]
        /// A command.
        public init(argv: [String], shell: Bool = false, cwd: String? = nil, env: [String: String] = [:]) {
            self.argv = argv
            self.shell = shell
            self.cwd = cwd
            self.env = env
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
                : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
        }
    }
    /// The program to start, if any.
    public var command: Command?
    /// A URL to which a JSON body is posted, if any.
    public var webhook: String?
    /// A text to show to the person, if any.
    public var notify: String?

    /// An action.
    public init(command: Command? = nil, webhook: String? = nil, notify: String? = nil) {
        self.command = command
        self.webhook = webhook
        self.notify = notify
    }

    /// Whether there is nothing to do (a countdown without a notification).
    public var isEmpty: Bool { command == nil && webhook == nil && notify == nil }

    /// The action in a few words.
    public var text: String {
        [command?.text, webhook.map { "POST \($0)" }, notify.map { "notify \($0)" }].compactMap { $0 }.joined(
            separator: ", then ")
    }
}
