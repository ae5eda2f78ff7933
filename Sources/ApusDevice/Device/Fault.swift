/// A mistake for which a real system ends the app, or which makes a simulated result worthless.
///
/// A fault fails the test, unless the test expects faults of the same rule.
public struct Fault: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The rule that was broken; later versions may add rules.
    public struct Rule: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The rule's name, as it is written in tests and logs.
        public let name: String

        /// Creates a rule with a name of its own.
        public init(_ name: String) { self.name = name }

        /// The rule's name.
        public var description: String { name }

        /// Whether a phone raises an exception if the rule is broken; an exception that is not caught ends the app.
        var isException: Bool { name.hasPrefix("NS") && name.contains("Exception.") }
    }

    /// The rule that was broken.
    public var rule: Rule
    /// What happened, and the remedy.
    public var message: String
    /// The place in the app that caused it, as `Module/File.swift:12`, if it is known.
    public var place: String?

    /// Creates a fault.
    public init(_ rule: Rule, _ message: String, place: String? = nil) {
        self.rule = rule
        self.message = message
        self.place = place
    }

    /// The rule, the message and the place in one line.
    public var description: String { "\(rule): \(message)" + (place.map { " (\($0))" } ?? "") }
}

extension Fault.Rule {
    /// A background task was still open when its expiration handler had returned, or when the time was over.
    public static let backgroundTaskNotEnded = Fault.Rule("backgroundTaskNotEnded")
    /// The last reference to a background task was released before it was ended.
    public static let backgroundTaskDropped = Fault.Rule("backgroundTaskDropped")
    /// A process began more background tasks than the system keeps.
    public static let tooManyBackgroundTasks = Fault.Rule("tooManyBackgroundTasks")
    /// An expiration handler requested a background task, and the handler of each refused request made the next
    /// request, without end.
    public static let backgroundTaskInHandler = Fault.Rule("backgroundTaskInHandler")
    /// The process executed a million pieces of work at one instant, and did not stop.
    public static let neverAtRest = Fault.Rule("neverAtRest")
    /// The expiration handlers took too long.
    public static let slowHandlers = Fault.Rule("slowHandlers")
    /// The code that creates the app threw an error.
    public static let crashAtLaunch = Fault.Rule("crashAtLaunch")
    /// The app took too long to start.
    public static let slowLaunch = Fault.Rule("slowLaunch")
    /// The app worked for too long when it came to the foreground, or was about to leave it.
    public static let slowSceneUpdate = Fault.Rule("slowSceneUpdate")
    /// The app worked for too long on the way to the background.
    public static let slowBackgroundEntry = Fault.Rule("slowBackgroundEntry")
    /// The app held a lock on a file of an app group when it was about to be suspended.
    ///
    /// Apple, documentation/xcode/sigkill, 0xdead10cc
    public static let fileLockHeld = Fault.Rule("fileLockHeld")
    /// The app worked for too long before its end.
    public static let slowTermination = Fault.Rule("slowTermination")
    /// The app object still exists although its process has ended.
    public static let leakedApp = Fault.Rule("leakedApp")
    /// A test tried to start an app without having installed one.
    public static let noApp = Fault.Rule("noApp")
}

/// The number in a crash report that gives the reason for which the system ended an app.
///
/// The meanings are those of Apple, developer.apple.com/documentation/xcode/sigkill, unless another source is given.
public struct TerminationCode: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let value: UInt32
    /// The meaning of the number, in a word or two.
    public let name: String

    /// Creates a code that is not among those below.
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

/// The reason for which a test on a simulated device fails: unexpected faults, or expected faults that did not occur.
public struct DeviceError: Error, Sendable, CustomStringConvertible {
    /// The faults that were not expected.
    public let unexpectedFaults: [Fault]
    /// The rules of the expected faults that did not occur.
    public let missingFaults: [Fault.Rule]
    /// The seed of the device, with which it can be run again.
    public let seed: UInt64

    /// A heading, and one line for each unexpected or missing fault.
    public var description: String {
        var lines = ["the faults of the simulated device (seed \(seed)) differ from what the test expects:"]
        lines += unexpectedFaults.map { "  unexpected fault: \($0)" }
        lines += missingFaults.map { "  expected fault that did not occur: \($0)" }
        return lines.joined(separator: "\n")
    }
}
