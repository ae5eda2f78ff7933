import ApusJobs
import ApusTimers

/// A machine with a process that may be stopped, cut off, killed and restarted.
final class ClusterProcess {
    struct Link {
        /// The time until which the connection is broken, and its requests fail.
        var brokenUntil: Int64 = 0
        /// The number of times that the connection was broken.
        var breaks = 0
        var lastArrival: Int64 = 0
        var lastAnswer: Int64 = 0
    }

    let number: Int
    let role: ClusterRole
    let uptimeOffset: Int64
    let continuousOffset: Int64
    let wallOffset: Int64
    /// The node that has the store open, or is opening it.
    var node: ClusterNode?
    var nodes: [ClusterNode] = []
    var isWanted = true
    /// The time until which the process is stopped.
    var pausedUntil: Int64 = 0
    var isPaused = false
    /// The events that are deferred until the process continues.
    var deferred: [(kind: ClusterWorld.Kind, action: () -> Void)] = []
    var links: [Link] = Array(repeating: Link(), count: ClusterWorld.Link.allCases.count)
    var noRequestsUntil: Int64 = 0
    var noAnswersUntil: Int64 = 0
    var slow: (until: Int64, upTo: Int, link: Int) = (0, 0, 0)
    var lossy: (until: Int64, percent: Int) = (0, 0)

    init(_ number: Int, _ role: ClusterRole, _ pick: (Int) -> Int) {
        (self.number, self.role) = (number, role)
        uptimeOffset = .ms(1_000 + pick(1_000_000))
        continuousOffset = uptimeOffset + .ms(pick(1_000_000))
        wallOffset = .ms((pick(11) - 5) * 3_600_000)
    }
}
