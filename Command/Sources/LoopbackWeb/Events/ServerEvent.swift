import ApusJSON
import Hummingbird

/// A server-sent event (html.spec.whatwg.org, 9.2): its name, and its data as JSON.
public struct ServerEvent: Sendable {
    /// The event's name.
    public let name: String
    /// What it is about, for listeners that want only the events about one subject.
    public let subject: String?
    /// Whether it is dropped before others when a listener is too slow.
    public let isBulk: Bool
    /// The event as it is sent.
    let bytes: ByteBuffer

    /// An event.
    /// - Parameters:
    ///   - name: its name; without line ends.
    ///   - subject: what it is about.
    ///   - isBulk: whether it is one of many that only accompany others, such as a command's output: dropped first when
    ///     a listener is too slow.
    ///   - value: its data. A value that JSON cannot express (a number that is not finite) is sent as `{}`.
    public init(_ name: String, subject: String? = nil, isBulk: Bool = false, _ value: some Encodable) {
        self.name = name
        self.subject = subject
        self.isBulk = isBulk
        var bytes = ByteBuffer(string: "event: \(name)\ndata: ")
        bytes.writeBytes((try? JSONText.bytes(of: value)) ?? Array("{}".utf8))
        bytes.writeString("\n\n")
        self.bytes = bytes
    }

    private struct Lost: Encodable {
        var events: Int
        var outputBytes: Int
    }

    /// The event `lost`: here, that much was left out, and what the listener shows is to be read again if `events` is
    /// not 0.
    public static func lost(events: Int, outputBytes: Int) -> ServerEvent {
        ServerEvent("lost", Lost(events: events, outputBytes: outputBytes))
    }
}
