import ApusClient
import ApusJSON
import LoopbackWeb
import Tracing

/// The body of a request of OTLP over HTTP in its JSON form (`ExportTraceServiceRequest`).
///
/// JSON of protocol buffers, with the differences of OTLP: identifiers are hexadecimal, and enumerations are numbers. Numbers
/// of 64 bits are strings. What has its default is left out.
struct SpanMessage: Encodable {
    var resourceSpans: [ResourceSpans]

    struct ResourceSpans: Encodable {
        var resource: Resource
        var scopeSpans: [ScopeSpans]
    }
    struct Resource: Encodable { var attributes: [Attribute] }
    struct ScopeSpans: Encodable {
        var scope: Scope
        var spans: [Span]
    }
    struct Scope: Encodable {
        var name: String
        var version: String
    }
    struct Span: Encodable {
        var traceId: String
        var spanId: String
        var traceState: String?
        var parentSpanId: String?
        var flags: UInt32
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [Attribute]?
        var events: [Event]?
        var links: [Link]?
        var status: Status?
    }
    struct Event: Encodable {
        var timeUnixNano: String
        var name: String
        var attributes: [Attribute]?
    }
    struct Link: Encodable {
        var traceId: String
        var spanId: String
        var traceState: String?
        var attributes: [Attribute]?
        var flags: UInt32
    }
    struct Status: Encodable {
        var message: String?
        var code: Int
    }
    struct Attribute: Encodable {
        var key: String
        var value: Value
    }
    /// `AnyValue`: an object with one field.
    struct Value: Encodable {
        var stringValue: String?
        var boolValue: Bool?
        var intValue: String?
        var doubleValue: Number?
        var arrayValue: Values?
    }
    struct Values: Encodable { var values: [Value] }
    /// A number of protocol buffers, which may be no number of JSON.
    struct Number: Encodable {
        var value: Double

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if value.isFinite {
                try container.encode(value)
            } else {
                try container.encode(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
            }
        }
    }

    /// The message with those spans, all of one process.
    init(_ spans: [SpanRecord], resource: [TracingSettings.Pair], version: String) {
        resourceSpans = [
            ResourceSpans(
                resource: Resource(
                    attributes: resource.map { Attribute(key: $0.name, value: Value(stringValue: $0.value)) }),
                scopeSpans: [ScopeSpans(scope: Scope(name: "apus", version: version), spans: spans.map { Span($0) })])
        ]
    }

    /// The JSON. Equal messages have equal texts.
    var bytes: [UInt8] {
        get throws { try JSONText.bytes(of: self) }
    }
}

extension SpanMessage.Span {
    init(_ record: SpanRecord) {
        self.init(
            traceId: "\(record.context.trace)", spanId: "\(record.context.span)",
            traceState: record.context.state.isEmpty ? nil : record.context.state,
            parentSpanId: record.parent.map { "\($0.span)" },
            flags: SpanMessage.flags(record.context, isRemote: record.parent?.isRemote ?? false),
            name: record.name, kind: SpanMessage.number(record.kind), startTimeUnixNano: String(record.start),
            endTimeUnixNano: String(record.end), attributes: SpanMessage.attributes(record.attributes),
            events: SpanMessage.nilIfEmpty(
                record.events.map {
                    SpanMessage.Event(
                        timeUnixNano: String($0.nanosecondsSinceEpoch), name: $0.name,
                        attributes: SpanMessage.attributes($0.attributes))
                }),
            links: SpanMessage.nilIfEmpty(
                record.links.map {
                    SpanMessage.Link(
                        traceId: "\($0.context.trace)", spanId: "\($0.context.span)",
                        traceState: $0.context.state.isEmpty ? nil : $0.context.state,
                        attributes: SpanMessage.attributes($0.attributes),
                        flags: SpanMessage.flags($0.context, isRemote: $0.context.isRemote))
                }),
            status: record.status.map {
                switch $0.code {
                case .ok: SpanMessage.Status(message: $0.message, code: 1)
                case .error: SpanMessage.Status(message: $0.message, code: 2)
                }
            })
    }
}

extension SpanMessage {
    /// `Span.flags`: those of the trace, and whether the parent, or the link's target, is of another process.
    fileprivate static func flags(_ context: TraceContext, isRemote: Bool) -> UInt32 {
        UInt32(context.flags) | 0x100 | (isRemote ? 0x200 : 0)
    }

    /// `Span.SpanKind`
    fileprivate static func number(_ kind: SpanKind) -> Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    fileprivate static func nilIfEmpty<Element>(_ elements: [Element]) -> [Element]? {
        elements.isEmpty ? nil : elements
    }

    fileprivate static func attributes(_ attributes: SpanAttributes) -> [Attribute]? {
        var found: [Attribute] = []
        func add(_ key: String, _ value: SpanAttribute) { found.append(Attribute(key: key, value: Value(value))) }
        attributes.forEach(add)
        return nilIfEmpty(found.sorted { $0.key < $1.key })
    }
}

extension SpanMessage.Value {
    fileprivate init(_ attribute: SpanAttribute) {
        func values<Element>(_ elements: [Element], _ value: (Element) -> Self) -> SpanMessage.Values {
            SpanMessage.Values(values: elements.map(value))
        }
        switch attribute {
        case .int32(let value): self.init(intValue: String(value))
        case .int64(let value): self.init(intValue: String(value))
        case .double(let value): self.init(doubleValue: .init(value: value))
        case .bool(let value): self.init(boolValue: value)
        case .string(let value): self.init(stringValue: value)
        case .stringConvertible(let value): self.init(stringValue: "\(value)")
        case .int32Array(let all): self.init(arrayValue: values(all) { Self(intValue: String($0)) })
        case .int64Array(let all): self.init(arrayValue: values(all) { Self(intValue: String($0)) })
        case .doubleArray(let all): self.init(arrayValue: values(all) { Self(doubleValue: .init(value: $0)) })
        case .boolArray(let all): self.init(arrayValue: values(all) { Self(boolValue: $0) })
        case .stringArray(let all): self.init(arrayValue: values(all) { Self(stringValue: $0) })
        case .stringConvertibleArray(let all): self.init(arrayValue: values(all) { Self(stringValue: "\($0)") })
        // The library says that no switch of others may be without one.
        default: self.init(stringValue: "\(attribute)")
        }
    }
}
