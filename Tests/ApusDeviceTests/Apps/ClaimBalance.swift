import ApusDevice

/// The background tasks in a log, counted by name.
struct ClaimBalance {
    var began: [String: Int] = [:]
    var ended: [String: Int] = [:]
    var refused = 0
    /// The number of background tasks whose expiration handlers were called.
    var expired = 0
    /// The names of the background tasks that ended more often than they had begun.
    var strayEnds: [String] = []

    init(_ log: [DeviceEvent]) {
        for event in log {
            switch event.what {
            case .backgroundTaskBegan(let name): began[name, default: 0] += 1
            case .backgroundTaskEnded(let name):
                ended[name, default: 0] += 1
                if ended[name, default: 0] > began[name, default: 0] { strayEnds.append(name) }
            case .backgroundTaskRefused: refused += 1
            case .backgroundTasksExpired(let count): expired += count
            default: break
            }
        }
    }
}
