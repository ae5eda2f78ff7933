#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes that are a text as a rule, for JSON.
struct BytesText {
    /// The text; U+FFFD is in the place of what is not UTF-8.
    var text: String
    /// The bytes, if they are not UTF-8.
    var base64: String?

    init(_ bytes: [UInt8]) {
        text = String(decoding: bytes, as: UTF8.self)
        base64 = String(validating: bytes, as: UTF8.self) == nil ? Data(bytes).base64EncodedString() : nil
    }

    static func bytes(text: String, base64: String?) -> [UInt8] {
        base64.flatMap { Data(base64Encoded: $0) }.map(Array.init) ?? Array(text.utf8)
    }
}

/// The data of the `output` event of `GET /v1/events`.
public struct WireOutput: Codable, Hashable, Sendable {
    /// The job's identifier.
    public var job: String
    /// The occurrence.
    public var occurrence: Int
    /// The attempt.
    public var attempt: Int
    /// How many bytes the attempt had printed before: a piece that begins elsewhere than the one before it ended follows a
    /// gap of just that size.
    @EmptyIfAbsent public var offset: Int
    /// A piece of what the command printed. Where it is not UTF-8 as it stands, U+FFFD is in the place of what is not.
    public var text: String
    /// The piece's bytes in base64, if it is not UTF-8 as it stands: it is none, or a character continues in the next
    /// piece.
    public var base64: String?
    /// Whether a run in progress had printed it before the listening began.
    @EmptyIfAbsent public var replayed: Bool

    package init(job: String, occurrence: Int, attempt: Int, offset: Int, bytes: [UInt8], isReplayed: Bool) {
        (self.job, self.occurrence, self.attempt, self.offset) = (job, occurrence, attempt, offset)
        let piece = BytesText(bytes)
        (text, base64) = (piece.text, piece.base64)
        replayed = isReplayed
    }

    /// The bytes that the command printed.
    public var bytes: [UInt8] { BytesText.bytes(text: text, base64: base64) }
}

/// The data of the `lost` event of `GET /v1/events`: what was left out at this place of the stream.
public struct WireLost: Codable, Hashable, Sendable {
    /// How many events of jobs and runs: if any, what is known of jobs is to be read again.
    public var events: Int
    /// About how much output, of all jobs that the stream is about; ``WireOutput/offset`` says exactly how much of which.
    public var outputBytes: Int

    package init(events: Int, outputBytes: Int) {
        self.events = events
        self.outputBytes = outputBytes
    }
}

/// The data of the `notification` event of `GET /v1/events`.
public struct WireNotification: Codable, Hashable, Sendable {
    /// The job's identifier.
    public var job: String
    /// The text.
    public var text: String

    package init(job: String, text: String) {
        self.job = job
        self.text = text
    }
}
