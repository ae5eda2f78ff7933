import ApusBackground
import ApusTimers

/// Updates from gpsd, from their start to their end, as a pure state machine.
///
/// ```text
///   connecting --connected--> watching --closed--> waiting --retry--> connecting …
///            \________________closed___________/
/// ```
struct GPSDMachine {
    enum Action: Equatable {
        case connect
        case send(String)
        case retry(after: Duration)
        case report(LocationUpdate)
        /// For the log.
        case unreachable(reason: String, nextAttempt: Duration)
        case reachable
        case complaint(String)
    }

    private enum Link {
        case connecting, watching, waiting
    }

    private let firstPause: Duration
    private let longestPause: Duration
    private var link = Link.connecting
    private var nextPause: Duration
    /// The log says once that gpsd cannot be reached, and once that it can again.
    private var isKnownUnreachable = false
    private var devicesWithFix: Set<String> = []
    /// What was reported last.
    private var knowsPosition = false

    /// - Parameters:
    ///   - firstPause: How long to wait after a connection has failed; each further failure doubles it.
    ///   - longestPause: The longest wait.
    init(firstPause: Duration, longestPause: Duration) {
        self.firstPause = firstPause
        self.longestPause = longestPause
        nextPause = firstPause
    }

    /// The first update comes at once: the position is not known yet.
    func start() -> [Action] { [.report(.noFix), .connect] }

    mutating func connected() -> [Action] {
        link = .watching
        let wasUnreachable = isKnownUnreachable
        isKnownUnreachable = false
        return (wasUnreachable ? [.reachable] : []) + [.send(GPSDReport.watch)]
    }

    /// gpsd is not there, or not any more.
    mutating func closed(_ reason: String) -> [Action] {
        guard link != .waiting else { return [] }
        link = .waiting
        let pause = nextPause
        nextPause = min(longestPause, nextPause * 2)
        var actions = isKnownUnreachable ? [] : [Action.unreachable(reason: reason, nextAttempt: pause)]
        isKnownUnreachable = true
        devicesWithFix = []
        actions += positionLost()
        return actions + [.retry(after: pause)]
    }

    mutating func retryDue() -> [Action] {
        guard link == .waiting else { return [] }
        link = .connecting
        return [.connect]
    }

    /// A report, and `now`, which stands for the instant of a position that came without one.
    mutating func received(_ report: GPSDReport, now: WallInstant) -> [Action] {
        guard link == .watching else { return [] }
        // Only now is it known that the peer speaks gpsd's protocol.
        nextPause = firstPause
        switch report {
        case .fix(let device, let fix?):
            devicesWithFix.insert(device)
            knowsPosition = true
            let position = Position(
                latitude: fix.latitude, longitude: fix.longitude, accuracy: fix.accuracy, instant: fix.instant ?? now)
            return [.report(.position(position))]
        case .fix(let device, nil), .deviceGone(let device):
            devicesWithFix.remove(device)
            // Another receiver may know.
            return devicesWithFix.isEmpty ? positionLost() : []
        case .error(let message): return [.complaint(message)]
        }
    }

    private mutating func positionLost() -> [Action] {
        defer { knowsPosition = false }
        return knowsPosition ? [.report(.noFix)] : []
    }
}
