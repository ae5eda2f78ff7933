#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DeviceTimeline {
    /// The timeline in Chrome's trace format ("Trace Event Format", JSON object form).
    ///
    /// Lanes become threads, spans become complete events, and marks become instant events. Times are in microseconds
    /// since the first event.
    public var chromeTrace: String {
        var events = [TraceEvent(ph: "M", name: "process_name", tid: 0, args: ["name": "simulated device"])]
        for (index, lane) in lanes.enumerated() {
            let thread = index + 1
            events.append(TraceEvent(ph: "M", name: "thread_name", tid: thread, args: ["name": lane.name]))
            events.append(TraceEvent(ph: "M", name: "thread_sort_index", tid: thread, order: thread))
            for span in lane.spans {
                events.append(
                    TraceEvent(
                        ph: "X", name: span.label, cat: span.kind.rawValue, tid: thread, ts: span.start.microseconds,
                        dur: span.duration.microseconds))
            }
            for mark in lane.marks {
                events.append(
                    TraceEvent(
                        ph: "i", name: mark.label, cat: mark.kind.rawValue, tid: thread, ts: mark.position.microseconds,
                        s: "t"))
            }
        }
        return Self.json(Trace(traceEvents: events))
    }

    static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, numbers and arrays of them can always be encoded.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private struct Trace: Encodable {
        let traceEvents: [TraceEvent]
        let displayTimeUnit = "ms"
    }

    /// An event whose properties have the names of the format.
    private struct TraceEvent: Encodable {
        struct Arguments: Encodable {
            var name: String?
            var sortIndex: Int?

            enum CodingKeys: String, CodingKey {
                case name
                case sortIndex = "sort_index"
            }
        }

        let ph: String
        let name: String
        var cat: String?
        let pid = 1
        let tid: Int
        var ts: Int64?
        var dur: Int64?
        var s: String?
        var args: Arguments?

        init(
            ph: String, name: String, cat: String? = nil, tid: Int, ts: Int64? = nil, dur: Int64? = nil,
            s: String? = nil, args: [String: String]? = nil, order: Int? = nil
        ) {
            (self.ph, self.name, self.cat, self.tid, self.ts, self.dur, self.s) = (ph, name, cat, tid, ts, dur, s)
            if args != nil || order != nil { self.args = Arguments(name: args?["name"], sortIndex: order) }
        }
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
