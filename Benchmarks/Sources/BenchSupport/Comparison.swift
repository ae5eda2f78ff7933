/// A figure of ours, with the same figure of several peers, which were measured in the same run.
package struct Comparison: Sendable {
    package enum Target: Sendable {
        /// Our value must be at most this.
        case atMost(Double)
        /// Our value must be at least this.
        case atLeast(Double)
        /// Our value must be at most this multiple of the named peer's.
        case ratioAtMost(Double, of: String)
        /// Our value must be at least this multiple of the named peer's.
        case ratioAtLeast(Double, of: String)
    }

    package var name: String
    package var unit: String
    package var ours: Double?
    /// The peers' values in the order of the columns; a peer that was not measured is left out.
    package var peers: [(name: String, value: Double)]
    package var target: Target?
    /// The peer to which the table shows our ratio: the peer of the target, or else the first peer.
    package var mainPeer: String?
    /// The ratio to the main peer, if the ratio itself was measured; it is the median of the ratios of several turns.
    private var measuredRatio: Double?

    package init(
        _ name: String, _ ours: Double?, _ unit: String, peers: [(name: String, value: Double)] = [],
        mainPeer: String? = nil, measuredRatio: Double? = nil, target: Target? = nil
    ) {
        self.name = name
        self.unit = unit
        self.ours = ours
        self.peers = peers
        self.target = target
        self.measuredRatio = measuredRatio
        self.mainPeer =
            switch target {
            case .ratioAtMost(_, let peer), .ratioAtLeast(_, let peer): peer
            case .atMost, .atLeast, nil: mainPeer ?? peers.first?.name
            }
    }

    /// Returns our value as a multiple of a peer's; `nil` if either was not measured or the peer's is zero.
    package func ratio(to peer: String) -> Double? {
        if peer == mainPeer, let measuredRatio { return measuredRatio }
        guard let ours, let value = peers.first(where: { $0.name == peer })?.value, value > 0 else { return nil }
        return ours / value
    }

    /// Whether the target holds; `nil` without a target, or if its values were not measured.
    package var holds: Bool? {
        switch target {
        case .atMost(let limit): ours.map { $0 <= limit }
        case .atLeast(let limit): ours.map { $0 >= limit }
        case .ratioAtMost(let limit, let peer): ratio(to: peer).map { $0 <= limit }
        case .ratioAtLeast(let limit, let peer): ratio(to: peer).map { $0 >= limit }
        case nil: nil
        }
    }

    var aim: String {
        switch target {
        case .atMost(let limit): "<= " + Self.limit(limit) + " " + unit
        case .atLeast(let limit): ">= " + Self.limit(limit) + " " + unit
        case .ratioAtMost(let limit, let peer): "<= " + fixed(limit, 2) + " x " + peer
        case .ratioAtLeast(let limit, let peer): ">= " + fixed(limit, 2) + " x " + peer
        case nil: ""
        }
    }

    private static func limit(_ limit: Double) -> String { fixed(limit, limit == limit.rounded() ? 0 : 2) }

    var json: String {
        func object(_ fields: [(name: String, value: Double)]) -> String {
            "{" + fields.map { "\"\($0.name)\": \(fixed($0.value, 4))" }.joined(separator: ", ") + "}"
        }
        let ratios = peers.compactMap { peer in ratio(to: peer.name).map { (name: peer.name, value: $0) } }
        let target = target == nil ? "null" : "\"\(aim)\""
        return "{\"name\": \"\(name)\", \"unit\": \"\(unit)\", \"ours\": \(ours.map { fixed($0, 4) } ?? "null"), "
            + "\"peers\": \(object(peers)), \"ratios\": \(object(ratios)), \"target\": \(target), "
            + "\"holds\": \(holds.map { "\($0)" } ?? "null")}"
    }
}

/// The comparisons of one table, with its footnotes.
package struct ComparisonTable: Sendable {
    package var title: String
    package var rows: [Comparison]
    package var footnotes: [String]

    package init(_ title: String, _ rows: [Comparison], footnotes: [String] = []) {
        self.title = title
        self.rows = rows
        self.footnotes = footnotes
    }

    /// The table as text, with a column for each peer that any row has, and `-` for a missing value.
    package var text: String {
        var columns: [String] = []
        for peer in rows.flatMap(\.peers) where !columns.contains(peer.name) { columns.append(peer.name) }
        let nameWidth = (rows.map(\.name.count).max() ?? 0) + 2
        let unitWidth = (rows.map(\.unit.count).max() ?? 0) + 1
        let aimWidth = (rows.map(\.aim.count).max() ?? 0) + 2
        let widths = columns.map { max($0.count, 8) + 2 }

        var header = pad("  figure", nameWidth + 2) + pad("unit", unitWidth) + padLeft("ours", 10)
        for (column, width) in zip(columns, widths) { header += padLeft(column, width) }
        header += padLeft("ratio", 8) + "  target"
        var lines = [title, header]
        for row in rows {
            var line = "  " + pad(row.name, nameWidth) + pad(row.unit, unitWidth) + padLeft(Self.number(row.ours), 10)
            for (column, width) in zip(columns, widths) {
                line += padLeft(Self.number(row.peers.first { $0.name == column }?.value), width)
            }
            line += padLeft(Self.number(row.mainPeer.flatMap(row.ratio)), 8) + "  " + pad(row.aim, aimWidth)
            line += row.holds.map { $0 ? "holds" : "MISSED" } ?? ""
            while line.last == " " { line.removeLast() }
            lines.append(line)
        }
        return (lines + footnotes.map { "  * " + $0 }).joined(separator: "\n") + "\n"
    }

    private static func number(_ value: Double?) -> String {
        guard let value else { return "-" }
        return fixed(value, abs(value) < 10 ? 2 : abs(value) < 100 ? 1 : 0)
    }
}

/// Returns the comparisons as a JSON array.
package func json(_ comparisons: [Comparison]) -> String {
    "[\n" + comparisons.map { "  \($0.json)" }.joined(separator: ",\n") + "\n]\n"
}

/// Returns a text with the targets that hold and those that are missed.
package func verdict(_ comparisons: [Comparison]) -> String {
    func list(_ holds: Bool) -> String {
        comparisons.filter { $0.holds == holds }.map { "  \(holds ? "holds " : "MISSED")  \($0.name): \($0.aim)" }
            .joined(separator: "\n")
    }
    let aimed = comparisons.count { $0.holds != nil }
    let missed = comparisons.count { $0.holds == false }
    let summary = missed == 0 ? "All \(aimed) targets hold." : "\(missed) of \(aimed) targets are missed."
    return ["Targets", list(true), list(false), "  " + summary].filter { !$0.isEmpty }.joined(separator: "\n")
}
