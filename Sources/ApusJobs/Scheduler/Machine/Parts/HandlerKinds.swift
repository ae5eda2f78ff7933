/// The kinds that have a handler here, and the due jobs whose kind has none.
struct HandlerKinds {
    private(set) var all: Set<String> = []
    /// Kinds without a handler that were logged.
    private var reported: Set<String> = []
    private(set) var parked: Set<Int64> = []

    func hasHandler(for kind: String) -> Bool { all.contains(kind) }

    mutating func register(_ kind: String) {
        all.insert(kind)
        reported.remove(kind)
    }

    mutating func park(_ entry: LoadedJobs.Entry, _ effects: inout [SchedulerEffect]) {
        parked.insert(entry.key)
        let kind = entry.job.request.kind
        if reported.insert(kind).inserted { effects.append(.log(.parked(kind: kind))) }
    }

    mutating func unpark(_ key: Int64) { parked.remove(key) }
}
