/// Which headers a job may add to its webhook.
public enum WebhookHeaders {
    /// Set by the request itself, or meant for one connection only.
    private static let refused: Set<String> = [
        "connection", "content-length", "expect", "host", "idempotency-key", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "webhook-id",
        "webhook-signature", "webhook-timestamp",
    ]

    /// Reads `Name: value`.
    /// - Throws: ``DaemonError`` with `invalid`, which names the argument.
    public static func parse(_ text: String, argument: String) throws -> (name: String, value: String) {
        let scalars = text.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else {
            throw DaemonError(.invalid, "\(argument): \"\(PrintableText.escaped(text))\" is not \"Name: value\"")
        }
        let name = String(scalars[..<colon])
        let value = String(scalars[scalars.index(after: colon)...].drop { $0 == " " })
        try check(name, value, argument: argument)
        return (name, value)
    }

    package static func check(_ name: String, _ value: String, argument: String) throws(DaemonError) {
        // RFC 9110, 5.6.2: the characters of a token.
        let isToken = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        guard isToken, !name.isEmpty else {
            throw DaemonError(
                .invalid,
                "\(argument): \"\(PrintableText.escaped(name))\" is not the name of a header (letters, digits and hyphens)"
            )
        }
        guard !refused.contains(name.lowercased()) else {
            throw DaemonError(.invalid, "\(argument): the header \(name) is set by apus, or is for one connection only")
        }
        guard PrintableText.firstUnprintable(in: value, allowing: ["\t"]) == nil else {
            throw DaemonError(
                .invalid, "\(argument): the value of \(name) has a line break or another control character")
        }
    }
}
