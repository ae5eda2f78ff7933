#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The JSON form of bytes that are usually text.
struct BytesText {
    /// The text, with U+FFFD in place of bytes that are not UTF-8.
    var text: String
    /// The bytes in base64, if they are not UTF-8.
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
    /// The number of the occurrence.
    public var occurrence: Int
    /// The number of the attempt, from 1.
    public var attempt: Int
    /// The number of bytes that the attempt had printed before this piece.
    ///
    /// If it differs from the end of the previous piece, the difference is the size of the output that is missing
    /// between the two pieces.
    @EmptyIfAbsent public var offset: Int
    /// The text of a piece of the command's output, with U+FFFD in place of bytes that are not valid UTF-8 within the
    /// piece.
    public var text: String
    /// The bytes of the piece in base64, if they are not valid UTF-8: they are binary data, or the piece ends within a
    /// character.
    public var base64: String?
    /// Whether a run in progress had printed the piece before the client began to listen.
    @EmptyIfAbsent public var replayed: Bool

    package init(job: String, occurrence: Int, attempt: Int, offset: Int, bytes: [UInt8], isReplayed: Bool) {
        (self.job, self.occurrence, self.attempt, self.offset) = (job, occurrence, attempt, offset)
        let piece = BytesText(bytes)
        (text, base64) = (piece.text, piece.base64)
        replayed = isReplayed
    }

    /// The bytes of the piece.
    public var bytes: [UInt8] { BytesText.bytes(text: text, base64: base64) }
}

/// The data of the `lost` event of `GET /v1/events`, which takes the place of omitted events.
public struct WireLost: Codable, Hashable, Sendable {
    /// The number of omitted events of jobs and runs; if it is not 0, a client must read the jobs again.
    public var events: Int
    /// The approximate size of the omitted output of all jobs, in bytes; ``WireOutput/offset`` gives the exact size for
    /// each attempt.
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
    /// The text to show.
    public var text: String

    package init(job: String, text: String) {
        self.job = job
        self.text = text
    }
}
