import ApusBackground
import ApusTimers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DeviceTimeline {
    /// The timeline as a page: above, in words, what each background job has waited for; below, the lanes, which the
    /// wheel and the keys `+`, `-`, left and right magnify and move. The page loads nothing and needs no server.
    public var html: String {
        let lanes = lanes.map { lane in
            PageLane(
                name: lane.name,
                spans: lane.spans.map { PageSpan(s: $0.start.inSeconds, e: $0.end.inSeconds, l: $0.label, k: $0.kind) },
                marks: lane.marks.map { PageMark(t: $0.position.inSeconds, l: $0.label, k: $0.kind) })
        }
        let page = Page(
            start: Double(start.nanoseconds) / 1e9, duration: duration.inSeconds, lanes: lanes)
        // Inside of a script element, "</" would end it.
        let data = Self.json(page).replacing("</", with: "<\\/")
        return TimelinePage.text(title: "Timeline from \(start.iso8601)", waits: waitTable, data: data)
    }

    private var waitTable: String {
        guard !waits.isEmpty else { return "<p>No background job has waited.</p>" }
        let rows = waits.map { wait in
            "<tr><td>\(Self.escaped(wait.identifier))</td><td>\(Self.escaped(wait.reason))</td>"
                + "<td class=\"number\">\(Self.words(for: wait.duration))</td></tr>"
        }
        return """
            <table><thead><tr><th>Job</th><th>waited</th><th class="number">all together</th></tr></thead>
            <tbody>\(rows.joined(separator: "\n"))</tbody></table>
            """
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    /// A duration in its two largest units: "3 d 4 h".
    static func words(for duration: Duration) -> String {
        let seconds = duration.components.seconds
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
        if days > 0 { return "\(days) d \(hours) h" }
        if hours > 0 { return "\(hours) h \(minutes) min" }
        return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
    }

    // Short names, because a month has tens of thousands of them.
    private struct Page: Encodable {
        let start: Double
        let duration: Double
        let lanes: [PageLane]
    }

    private struct PageLane: Encodable {
        let name: String
        let spans: [PageSpan]
        let marks: [PageMark]
    }

    private struct PageSpan: Encodable {
        let s: Double
        let e: Double
        let l: String
        let k: Kind
    }

    private struct PageMark: Encodable {
        let t: Double
        let l: String
        let k: Kind
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        let (seconds, attoseconds) = components
        return (Double(seconds) * 1_000 + (Double(attoseconds) / 1e15).rounded()) / 1_000
    }
}
