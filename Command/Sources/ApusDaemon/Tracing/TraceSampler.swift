import ApusClient

/// Which traces are recorded (`OTEL_TRACES_SAMPLER`).
struct TraceSampler: Hashable, Sendable {
    /// How it decides about a trace that begins here.
    enum Root: Hashable, Sendable {
        case always, never
        /// A share of all traces, from 0 to 1. Programs with the same share choose the same traces.
        case ratio(Double)
    }

    var root: Root
    /// Whether a span with a parent is recorded if its parent is.
    var followsParent: Bool

    /// `parentbased_always_on`
    static let standard = TraceSampler(root: .always, followsParent: true)

    func samples(_ trace: TraceID, below parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        switch root {
        case .always: return true
        case .never: return false
        case .ratio(let share):
            // The 63 bits that OpenTelemetry's other libraries compare.
            return share >= 1 || trace.low >> 1 < UInt64(share * 0x1p63)
        }
    }
}

extension TraceSampler {
    /// The samplers of the specification, without those that ask a server.
    private static let names: KeyValuePairs<String, (root: Root, followsParent: Bool)> = [
        "always_on": (.always, false), "always_off": (.never, false), "traceidratio": (.ratio(1), false),
        "parentbased_always_on": (.always, true), "parentbased_always_off": (.never, true),
        "parentbased_traceidratio": (.ratio(1), true),
    ]

    static var allNames: [String] { names.map(\.key) }

    /// The sampler of that name, with the share of a ratio; `nil` for an unknown name.
    init?(named name: String, share: Double) {
        guard let found = Self.names.first(where: { $0.key == name })?.value else { return nil }
        if case .ratio = found.root {
            self.init(root: .ratio(share), followsParent: found.followsParent)
        } else {
            self.init(root: found.root, followsParent: found.followsParent)
        }
    }
}
