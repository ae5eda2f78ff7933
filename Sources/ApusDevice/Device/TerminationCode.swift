/// The number in a crash report that says why the system ended an app.
///
/// The meanings are those of Apple, developer.apple.com/documentation/xcode/sigkill, if nothing else is said.
public struct TerminationCode: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let value: UInt32
    /// What it stands for, in a word or two.
    public let name: String

    /// A code of your own.
    public init(_ value: UInt32, _ name: String) {
        self.value = value
        self.name = name
    }

    /// The main thread was blocked for too long, or a background task was leaked (Apple, Xcode, “Addressing watchdog
    /// terminations”; Apple DTS, developer.apple.com/forums/thread/85066).
    public static let watchdog = TerminationCode(0x8bad_f00d, "watchdog")
    /// A background task was not completed in time.
    public static let taskTimeout = TerminationCode(0x2182_bad2, "task timeout")
    /// The events of a background URL session were not handled in time.
    public static let sessionTimeout = TerminationCode(0x2182_bad3, "session timeout")
    /// A background fetch was not completed in time.
    public static let fetchTimeout = TerminationCode(0x2182_bad4, "fetch timeout")
    /// A file or a database was locked when the app was about to be suspended.
    public static let fileLock = TerminationCode(0xdead_10cc, "file lock")
    /// The device was too hot.
    public static let thermal = TerminationCode(0xc000_10ff, "thermal")
    /// The process had too many background tasks (Apple DTS, developer.apple.com/forums/thread/85066).
    public static let tooManyBackgroundTasks = TerminationCode(0xbada_5e47, "too many background tasks")

    /// The number and the name: "0x8badf00d watchdog".
    public var description: String { "0x\(String(value, radix: 16)) \(name)" }
}
