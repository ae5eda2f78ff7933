import ApusTimers

/// Shows a line every two seconds.
final class Ticker: Sendable {
    private let timer: RepeatingTimer

    init(engine: TimerEngine = .shared, show: @escaping @Sendable (String) -> Void) throws {
        timer = try RepeatingTimer(every: .seconds(2), engine: engine) { tick in
            show("tick \(tick.number), \(tick.missedCount) missed before it")
        }
        timer.resume()
    }

    func stop() { timer.cancel() }
}
