import BenchSupport

/// A group of figures that can be measured separately.
enum Subject: String, CaseIterable {
    case operations
    case fire
    case sleep
    case ticks
    case memory
    case lateness
    case wakeups
    case producers
    case idle
    case pause

    func measure(quick: Bool) throws -> ComparisonTable {
        switch self {
        case .operations: try Operations(quick: quick).table()
        case .fire: try Fire(quick: quick).table()
        case .sleep: try Sleeping(quick: quick).table()
        case .ticks: try Ticking(quick: quick).table()
        case .memory: try Memory(quick: quick).table()
        case .lateness: try Lateness(quick: quick).table()
        case .wakeups: try WakeUps(quick: quick).table()
        case .producers: try Producers(quick: quick).table()
        case .idle: try Idle(quick: quick).table()
        case .pause: try Pause(quick: quick).table()
        }
    }

    /// The type that measures the contestants in separate processes; `nil` for other subjects.
    var inTurns: (any MeasuredInTurns.Type)? {
        let all: [any MeasuredInTurns.Type] = [Fire.self, Sleeping.self, Ticking.self, Lateness.self]
        return all.first { $0.subject == self }
    }

    static var namesInTurns: String { allCases.filter { $0.inTurns != nil }.map(\.rawValue).joined(separator: ", ") }
}
