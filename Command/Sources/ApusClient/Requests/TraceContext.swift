/// The position of a span in its trace, as the W3C's Trace Context carries it: `traceparent` and `tracestate`.
package struct TraceContext: Hashable, Sendable {
    /// The names of the two fields as headers. In the environment of a process they are in capitals.
    package static let fields = ["traceparent", "tracestate"]

    package var trace: TraceID
    package var span: SpanID
    package var isSampled: Bool
    /// Whether the trace's identifier is random in its last seven bytes (Trace Context, level 2). Passed on as received.
    package var isRandom = false
    /// The value of `tracestate`, passed on as received; empty for none.
    package var state = ""
    /// Whether it comes from another process.
    package var isRemote = false

    package init(
        trace: TraceID, span: SpanID, isSampled: Bool, isRandom: Bool = false, state: String = "",
        isRemote: Bool = false
    ) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
        self.isRandom = isRandom
        self.state = state
        self.isRemote = isRemote
    }

    /// `00-…-…-01`
    package var traceparent: String { "00-\(trace)-\(span)-\(Hexadecimal.text(UInt64(flags), digits: 2))" }

    /// The flags of version 00 of `traceparent`.
    package var flags: UInt8 { (isSampled ? 1 : 0) | (isRandom ? 2 : 0) }

    /// The headers of a request whose spans belong below this one.
    package var headers: [(String, String)] {
        [(Self.fields[0], traceparent)] + (state.isEmpty ? [] : [(Self.fields[1], state)])
    }

    /// The variables of a process whose spans belong below this one.
    package var environment: [String: String] {
        var variables = ["TRACEPARENT": traceparent]
        if !state.isEmpty { variables["TRACESTATE"] = state }
        return variables
    }
}

extension TraceContext {
    /// A context of another process; `nil` without a valid `traceparent`. A `tracestate` that is not valid counts as none.
    package init?(traceparent: String?, tracestate: String?) {
        guard
            let parts = traceparent?.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false).map(
                Substring.init), parts.count >= 4,
            let version = Hexadecimal.number(parts[0], digits: 2), version != 0xFF,
            // Later versions may have more parts.
            version > 0 || parts.count == 4,
            let trace = TraceID(parts[1]), let span = SpanID(parts[2]),
            let flags = Hexadecimal.number(parts[3], digits: 2)
        else { return nil }
        self.init(
            trace: trace, span: span, isSampled: flags & 1 != 0, isRandom: flags & 2 != 0,
            state: tracestate.flatMap { Self.isValid(state: $0) ? $0 : nil } ?? "", isRemote: true)
    }

    /// The context in the environment of a process.
    package init?(environment: [String: String]) {
        self.init(traceparent: environment["TRACEPARENT"], tracestate: environment["TRACESTATE"])
    }

    /// Members with commas between, at most 32 and 512 bytes in all; a member is a key, `=` and a value.
    private static func isValid(state: String) -> Bool {
        guard state.utf8.count <= 512 else { return false }
        let members = state.unicodeScalars.split(separator: ",").map { Substring($0.drop { $0 == " " || $0 == "\t" }) }
            .filter { !$0.isEmpty }
        guard members.count <= 32, !members.isEmpty else { return false }
        return members.allSatisfy { member in
            guard let separator = member.utf8.firstIndex(of: UInt8(ascii: "=")) else { return false }
            let key = member.utf8[..<separator]
            let value = member.utf8[member.utf8.index(after: separator)...]
            return !key.isEmpty && key.allSatisfy(Self.isKey) && !value.isEmpty
                && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
        }
    }

    private static func isKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "_-*/@".utf8.contains(byte)
        }
    }
}

/// 16 bytes that all spans of a trace have in common; never all zero.
package struct TraceID: Hashable, Sendable, CustomStringConvertible {
    package var high: UInt64
    package var low: UInt64

    /// An identifier of those bits; `nil` if all are zero.
    package init?(high: UInt64, low: UInt64) {
        guard high | low != 0 else { return nil }
        (self.high, self.low) = (high, low)
    }

    /// 32 lowercase hexadecimal digits.
    package init?(_ text: Substring) {
        guard text.utf8.count == 32, let high = Hexadecimal.number(text.prefix(16), digits: 16),
            let low = Hexadecimal.number(text.suffix(16), digits: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    package var description: String { Hexadecimal.text(high, digits: 16) + Hexadecimal.text(low, digits: 16) }
}

/// 8 bytes that distinguish the spans of a trace; never all zero.
package struct SpanID: Hashable, Sendable, CustomStringConvertible {
    package var bits: UInt64

    /// An identifier of those bits; `nil` if all are zero.
    package init?(bits: UInt64) {
        guard bits != 0 else { return nil }
        self.bits = bits
    }

    /// 16 lowercase hexadecimal digits.
    package init?(_ text: Substring) {
        guard let bits = Hexadecimal.number(text, digits: 16) else { return nil }
        self.init(bits: bits)
    }

    package var description: String { Hexadecimal.text(bits, digits: 16) }
}

/// Lowercase hexadecimal digits: capitals are not valid in Trace Context.
private enum Hexadecimal {
    static func text(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    static func number(_ text: Substring, digits: Int) -> UInt64? {
        guard text.utf8.count == digits,
            text.utf8.allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            })
        else { return nil }
        return UInt64(text, radix: 16)
    }
}
