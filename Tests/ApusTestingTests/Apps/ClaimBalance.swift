import ApusTesting

/// What a log says about claims, counted by name.
struct ClaimBalance {
    var began: [String: Int] = [:]
    var ended: [String: Int] = [:]
    var refused = 0
    /// How many claims were told that the time is over.
    var expired = 0
    /// Ends of claims that were not open.
    var strayEnds: [String] = []

    init(_ log: [DeviceEvent]) {
        for event in log {
            switch event.what {
            case .claimBegan(let name): began[name, default: 0] += 1
            case .claimEnded(let name):
                ended[name, default: 0] += 1
                if ended[name, default: 0] > began[name, default: 0] { strayEnds.append(name) }
            case .claimRefused: refused += 1
            case .claimsExpired(let count): expired += count
            default: break
            }
        }
    }
}
