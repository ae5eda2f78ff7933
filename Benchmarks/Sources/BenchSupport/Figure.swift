/// One line of the result.
package struct Figure: Sendable {
    /// What a figure is held against.
    package enum Target: Sendable {
        /// The value, at most.
        case atMost(Double)
        /// The multiple of the peer, at least.
        case ratioAtLeast(Double)
    }

    package var name: String
    package var unit: String
    package var value: Double
    /// The same of what it is compared with, measured in the same run.
    package var peer: Double?
    /// The value as a multiple of the peer's. Given apart from it where it is the median of several turns.
    package var ratio: Double?
    package var target: Target?

    package init(
        _ name: String, _ value: Double, _ unit: String, peer: Double? = nil, ratio: Double? = nil,
        target: Target? = nil
    ) {
        self.name = name
        self.unit = unit
        self.value = value
        self.peer = peer
        self.ratio = ratio ?? peer.flatMap { $0 > 0 ? value / $0 : nil }
        self.target = target
    }

    /// Whether the target holds; `nil` without one.
    package var holds: Bool? {
        switch target {
        case .atMost(let limit): value <= limit
        case .ratioAtLeast(let limit): (ratio ?? 0) >= limit
        case nil: nil
        }
    }

    private static let widths = (name: 60, number: 11, unit: 7, ratio: 8, target: 13)

    static let header =
        pad("figure", widths.name) + padLeft("ours", widths.number) + " " + pad("", widths.unit)
        + padLeft("peer", widths.number) + padLeft("ratio", widths.ratio) + "  " + pad("target", widths.target)

    /// A row of the table.
    var line: String {
        func number(_ value: Double) -> String { fixed(value, abs(value) < 100 ? 2 : 0) }
        let aim =
            switch target {
            case .atMost(let limit): "<= " + number(limit)
            case .ratioAtLeast(let limit): ">= " + fixed(limit, 1) + " x"
            case nil: ""
            }
        let verdict = holds.map { $0 ? "holds" : "MISSED" } ?? ""
        return pad(name, Self.widths.name) + padLeft(number(value), Self.widths.number) + " "
            + pad(unit, Self.widths.unit)
            + padLeft(peer.map(number) ?? "-", Self.widths.number)
            + padLeft(ratio.map { fixed($0, 2) } ?? "-", Self.widths.ratio)
            + "  " + pad(aim, Self.widths.target) + verdict
    }

    var json: String {
        func field(_ name: String, _ value: Double?) -> String { value.map { ", \"\(name)\": \(fixed($0, 3))" } ?? "" }
        var text = "{\"name\": \"\(name)\", \"unit\": \"\(unit)\", \"value\": \(fixed(value, 3))"
        text += field("peer", peer) + field("ratio", ratio)
        switch target {
        case .atMost(let limit): text += field("atMost", limit)
        case .ratioAtLeast(let limit): text += field("ratioAtLeast", limit)
        case nil: break
        }
        return text + (holds.map { ", \"holds\": \($0)" } ?? "") + "}"
    }
}

/// Prints the figures as a table, with what became of the targets, or as JSON.
package func report(_ figures: [Figure], json: Bool) {
    if json { return print("[\n" + figures.map { "  \($0.json)" }.joined(separator: ",\n") + "\n]") }
    print(Figure.header)
    for figure in figures { print(figure.line) }
    let missed = figures.filter { $0.holds == false }
    let aimed = figures.count { $0.holds != nil }
    print(
        missed.isEmpty
            ? "\nAll \(aimed) targets hold."
            : "\n\(missed.count) of \(aimed) targets are missed: " + missed.map(\.name).joined(separator: "; ") + ".")
}

func fixed(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && whole > 0 ? "-" : ""
    if digits == 0 { return sign + "\(whole)" }
    let fraction = "\(whole % Int64(scale))"
    return sign + "\(whole / Int64(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}

func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
func padLeft(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
