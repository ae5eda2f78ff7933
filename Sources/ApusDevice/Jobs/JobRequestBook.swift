import ApusBackground
import ApusTimers

/// The requests that wait, in the order of their submission: a pure value.
struct JobRequestBook {
    struct Entry: Sendable {
        let request: BackgroundJobRequest
        let submitted: WallInstant
        /// Why the system put it off at its last look.
        var lastReasons: [String] = []

        /// From when on it may run.
        var due: WallInstant {
            guard !request.isContinued, let begin = request.earliestBegin else { return submitted }
            return max(submitted, begin)
        }
    }

    private(set) var entries: [Entry] = []

    func entry(_ identifier: String) -> Entry? { entries.first { $0.request.identifier == identifier } }

    /// The entries that wait for an opportunity.
    var opportunistic: [Entry] { entries.filter { !$0.request.isContinued } }
    /// The continued work that waits for a place.
    var queued: [Entry] { entries.filter(\.request.isContinued) }

    /// How many requests of that kind would be there beside one with that identifier.
    func count(beside identifier: String, where isOfKind: (BackgroundJobRequest.Kind) -> Bool) -> Int {
        entries.count { isOfKind($0.request.kind) && $0.request.identifier != identifier }
    }

    /// Adds a request in place of one with the same identifier. True when there was one.
    mutating func submit(_ request: BackgroundJobRequest, now: WallInstant) -> Bool {
        let replaced = remove(request.identifier) != nil
        entries.append(Entry(request: request, submitted: now))
        return replaced
    }

    mutating func remove(_ identifier: String) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.request.identifier == identifier }) else { return nil }
        return entries.remove(at: index)
    }

    /// Puts an entry back that could not begin, if nothing has taken its place.
    mutating func restore(_ entry: Entry) {
        guard self.entry(entry.request.identifier) == nil else { return }
        let index = entries.firstIndex { $0.submitted > entry.submitted } ?? entries.endIndex
        entries.insert(entry, at: index)
    }

    /// Notes why an entry was postponed. False when it was for the same reasons the last time.
    mutating func putOff(_ identifier: String, _ reasons: [String]) -> Bool {
        guard let index = entries.firstIndex(where: { $0.request.identifier == identifier }),
            entries[index].lastReasons != reasons
        else { return false }
        entries[index].lastReasons = reasons
        return true
    }

    /// Takes all requests away, or those of continued work. Gives the identifiers.
    mutating func removeAll(where isRemoved: (BackgroundJobRequest) -> Bool) -> [String] {
        let removed = entries.filter { isRemoved($0.request) }.map(\.request.identifier)
        entries.removeAll { isRemoved($0.request) }
        return removed
    }
}

extension BackgroundJobRequest {
    var isContinued: Bool { kind.isContinued }
}

extension BackgroundJobRequest.Kind {
    var isContinued: Bool { if case .continued = self { true } else { false } }
    var isRefresh: Bool { if case .refresh = self { true } else { false } }
    var isProcessing: Bool { if case .processing = self { true } else { false } }
    /// Whether the CPU monitor is off while it runs (BGTaskRequest.h).
    var isComputingFreely: Bool { if case .processing(_, true) = self { true } else { false } }
}
