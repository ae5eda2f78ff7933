import Hummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A server-sent event (html.spec.whatwg.org, 9.2): its name, and its data as JSON.
public struct ServerEvent: Sendable {
    /// The event's name.
    public let name: String
    /// What it is about, for those who want only the events about one thing.
    public let subject: String?
    /// The event as it is sent.
    let bytes: ByteBuffer

    /// An event.
    /// - Parameters:
    ///   - name: its name; without line ends.
    ///   - subject: what it is about.
    ///   - value: its data. A value that JSON cannot express (a number that is not finite) is sent as `{}`.
    public init(_ name: String, subject: String? = nil, _ value: some Encodable) {
        self.name = name
        self.subject = subject
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let data = (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        bytes = ByteBuffer(string: "event: \(name)\ndata: \(data)\n\n")
    }

    /// Tells the listener that events were left out, and that it has to ask for the state anew.
    static let lost = ServerEvent("lost", [String: String]())
}
