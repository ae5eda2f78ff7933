import ApusDevice

/// What a log says about background tasks, counted by name.
struct ClaimBalance {
    var began: [String: Int] = [:]
    var ended: [String: Int] = [:]
    var refused = 0
    /// How many background tasks had their expiration handler called.
    var expired = 0
    /// Ends of background tasks that were not open.
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
