/// The keys and lanes of some jobs in memory, and the number of jobs of each lane.
struct JobsByLane {
    private var lanes: [Int64: QueueLane] = [:]
    private(set) var counts: [QueueLane: Int] = [:]

    var keys: Dictionary<Int64, QueueLane>.Keys { lanes.keys }

    var count: Int { lanes.count }

    var isEmpty: Bool { lanes.isEmpty }

    func contains(_ key: Int64) -> Bool { lanes[key] != nil }

    /// Inserts a job, or changes its lane.
    mutating func insert(_ key: Int64, _ lane: QueueLane) {
        if lanes[key] == lane { return }
        remove(key)
        lanes[key] = lane
        counts[lane, default: 0] += 1
    }

    mutating func remove(_ key: Int64) {
        guard let lane = lanes.removeValue(forKey: key) else { return }
        let count = counts[lane]! - 1
        counts[lane] = count == 0 ? nil : count
    }

    mutating func removeAll() { self = Self() }
}
