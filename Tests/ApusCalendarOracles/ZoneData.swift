import ApusCalendar

/// Compares the changes that Apus finds in all zones with the changes that two other readers find.
///
/// Python's zoneinfo reads the same files; the JDK has its own zones.
struct ZoneData {
    private(set) var tally = Tally()
    /// The zones for which the JDK has different data.
    private(set) var different: [String] = []

    mutating func compare(_ name: String, _ rules: TimeZoneRules, python: LineOracle, java: LineOracle) throws {
        var instants: [Int64] = [0]
        var locals: [Int64] = []
        for change in rules.transitions(in: 0..<Round.end) {
            instants += [change.at - 1, change.at, (instants[instants.count - 1] + change.at) / 2]
            let shown = [change.at - 1 + Int64(change.before), change.at + Int64(change.after)].sorted()
            locals += [shown[0] - 1, shown[0], (shown[0] + shown[1]) / 2, shown[1], shown[1] + 1]
        }
        let offsets = ["offsets", name, instants.map(String.init).joined(separator: " ")]
        python.send(offsets)
        java.send(offsets)
        let ours = instants.map { Int64(rules.offset(at: $0)) }
        guard let read = python.receive(), let known = java.receive() else { throw OracleError.ended(.zoneinfo) }
        tally.comparisons[.zoneinfo, default: 0] += instants.count
        if Answer(line: read) != .instants(ours) {
            print("unexplained: the offsets of \(name) differ from zoneinfo's")
            tally.unexplained[.zoneinfo, default: 0] += 1
        }
        guard Answer(line: known) == .instants(ours) else {
            different.append(name)
            return
        }
        tally.comparisons[.java, default: 0] += instants.count + locals.count
        guard !locals.isEmpty else { return }
        let answer = java.ask(["locals", name, locals.map(String.init).joined(separator: " ")])
        let resolved = locals.map { local in
            switch rules.localToInstants(CivilDateTime(localSeconds: local)) {
            case .one(let instant): "\(instant)"
            case .repeated(let first, let second): "\(first),\(second)"
            case .gap(_, let after): "gap,\(after)"
            }
        }
        if answer != resolved.joined(separator: " ") {
            print("unexplained: java.time resolves local times of \(name) in another way")
            tally.unexplained[.java, default: 0] += 1
        }
    }
}
