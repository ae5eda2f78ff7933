import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("The W3C's trace context")
struct TraceContextTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test(
        "a valid parent is read, and written as version 00 with the flags that version knows",
        arguments: [
            (parent, parent), ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", nil),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03", nil),
            (
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03"
            ),
            ("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", parent),
            ("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-follows", parent),
            ("00-00000000000000000000000000000001-0000000000000001-01", nil),
        ] as [(String, String?)])
    func valid(text: String, written: String?) throws {
        let context = try #require(TraceContext(traceparent: text, tracestate: nil))
        #expect(context.traceparent == written ?? text && context.isRemote && context.state.isEmpty)
    }

    @Test(
        "anything else is no parent",
        arguments: [
            "", "00", parent + "-", parent + " ", " " + parent, parent.uppercased(), parent + "-00",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333-01",
            "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
            "00-0af7651916cd43dd8448eb211c80319c-+7ad6b7169203331-01", "\(parent), \(parent)",
        ])
    func invalid(text: String) { #expect(TraceContext(traceparent: text, tracestate: nil) == nil) }

    @Test(
        "a valid state is passed on as it is, and another one is left out",
        arguments: [
            ("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", true), ("a@b=c", true), ("a=b, c=d", true), ("a=b,,c=d", true),
            ("", false), (",", false), ("a", false), ("=b", false), ("a=", false), ("A=b", false), ("a=b=c", false),
            ("a=b\n", false), ("a=\u{E9}", false), ("a=" + String(repeating: "b", count: 510), true),
            ("a=" + String(repeating: "b", count: 511), false),
            ((1...33).map { "k\($0)=v" }.joined(separator: ","), false),
        ])
    func states(text: String, isValid: Bool) throws {
        let context = try #require(TraceContext(traceparent: Self.parent, tracestate: text))
        #expect(context.state == (isValid ? text : ""))
    }

    @Test("a process has its parent in variables with capitals, and passes it on in the same form")
    func environment() throws {
        let variables = ["TRACEPARENT": Self.parent, "TRACESTATE": "a=b"]
        let context = try #require(TraceContext(environment: variables.merging(["PATH": "/bin"]) { _, new in new }))
        #expect(context.environment == variables)
        #expect(context.headers.map { "\($0.0): \($0.1)" } == ["traceparent: \(Self.parent)", "tracestate: a=b"])
        #expect(TraceContext(environment: ["traceparent": Self.parent]) == nil)
        let stateless = try #require(TraceContext(environment: ["TRACEPARENT": Self.parent]))
        #expect(stateless.environment.keys.sorted() == ["TRACEPARENT"])
    }

    @Test("a share of traces is chosen by the identifier alone, whatever the machine")
    func ratio() throws {
        func samples(_ low: UInt64, _ share: Double) throws -> Bool {
            let trace = try #require(TraceID(high: 1, low: low))
            return TraceSampler(root: .ratio(share), followsParent: false).samples(trace, below: nil)
        }
        #expect(try samples(.max, 1) && !samples(0, 0))
        #expect(try samples(0x7FFF_FFFF_FFFF_FFFF, 0.5) && !samples(0x8000_0000_0000_0000, 0.5))
        #expect(try samples(0x3FFF_FFFF_FFFF_FFFF, 0.25) && !samples(0x4000_0000_0000_0000, 0.25))
    }

    @Test("a sampler that follows the parent decides only about traces that begin here")
    func parents() throws {
        let sampled = try #require(TraceContext(traceparent: Self.parent, tracestate: nil))
        var other = sampled
        other.isSampled = false
        for root in [TraceSampler.Root.always, .never, .ratio(0.5)] {
            let following = TraceSampler(root: root, followsParent: true)
            #expect(following.samples(sampled.trace, below: sampled) && !following.samples(sampled.trace, below: other))
        }
        #expect(TraceSampler(root: .always, followsParent: false).samples(other.trace, below: other))
        #expect(!TraceSampler(root: .never, followsParent: false).samples(sampled.trace, below: sampled))
        #expect(!TraceSampler(root: .never, followsParent: true).samples(sampled.trace, below: nil))
    }
}
