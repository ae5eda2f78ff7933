import BenchSupport

/// The names of the columns, ours and the peers'.
enum Name {
    static let ours = "ours"
    /// The timers of Apus with a shared handler and a token.
    static let handler = "ours, handler"
    /// The timers of Apus with a shared handler and a token, due at known instants.
    static let handlerAtInstants = "ours, handler, at instants"
    static let source = "DispatchSourceTimer"
    static let after = "asyncAfter"
    static let timer = "Timer"
    static let taskSleep = "Task.sleep"
    static let continuation = "continuation"
    static let nioTask = "NIO task"
    static let nioCallback = "NIO callback"
    static let timerSequence = "AsyncTimerSequence"
    static let timerfd = "timerfd"
    static let bound = "bound"
    static let bareLoop = "bare loop"

    static let peers = [
        source, after, timer, taskSleep, nioTask, nioCallback, timerSequence, timerfd, bound, bareLoop, continuation,
    ]
}

/// The results of the rounds, by figure and contestant.
struct Samples: Codable {
    private var values: [String: [String: [Double]]] = [:]

    mutating func add(_ value: Double, _ figure: String, _ contestant: String) {
        values[figure, default: [:]][contestant, default: []].append(value)
    }

    mutating func add(_ other: Samples) {
        for (figure, contestants) in other.values {
            values[figure, default: [:]].merge(contestants) { $0 + $1 }
        }
    }

    /// Returns the median of the rounds.
    func value(_ figure: String, _ contestant: String = Name.ours) -> Double? {
        values[figure]?[contestant].map(median)
    }

    /// Returns a row with every contestant that has the figure; `ours` is the name of our contestant.
    func row(
        _ figure: String, _ unit: String, as name: String? = nil, ours: String = Name.ours,
        peers: [String] = Name.peers,
        mainPeer: String? = nil, target: Comparison.Target? = nil
    ) -> Comparison {
        Comparison(
            name ?? figure, value(figure, ours), unit,
            peers: peers.compactMap { peer in value(figure, peer).map { (name: peer, value: $0) } },
            mainPeer: mainPeer, target: target)
    }
}

/// Returns a count in a short form: 1 k, 10 M.
func short(_ count: Int) -> String {
    count % 1_000_000 == 0 ? "\(count / 1_000_000) M" : count % 1_000 == 0 ? "\(count / 1_000) k" : "\(count)"
}
