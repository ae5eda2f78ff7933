import ApusBackground

/// The rows of the screen "Timer", and the results of the last timers, as a pure value.
struct TimerList {
    private struct Row {
        let timer: BackgroundTimers.ID
        /// The row of the screen, without the instant of the next run.
        var shown: TimerSnapshot.Row
    }

    static let rowLimit = 100
    private static let endedLimit = 20

    private var rows: [Row] = []
    private var ended: [TimerSnapshot.Ended] = []
    private var vibrations = 0
    private(set) var nextID = 1

    var isFull: Bool { rows.count >= Self.rowLimit }

    /// Returns the timer of a row; `nil` if it has ended.
    func timer(_ id: Int) -> BackgroundTimers.ID? { rows.first { $0.shown.id == id }?.timer }

    mutating func add(_ timer: BackgroundTimers.ID, delay: Double, repeat interval: Double?) {
        let shown = TimerSnapshot.Row(id: nextID, delay: delay, repeat: interval, count: 0, next: nil)
        rows.append(Row(timer: timer, shown: shown))
        nextID += 1
    }

    /// Records a run of a timer.
    mutating func ran(_ id: Int) {
        guard let index = rows.firstIndex(where: { $0.shown.id == id }) else { return }
        rows[index].shown.count += 1
        vibrations += 1
    }

    mutating func happened(_ event: BackgroundTimers.Event, at stamp: String) {
        switch event {
        case .executed(let timer, willRepeat: false): end(timer, "executed", stamp)
        case .cancelled(let timer): end(timer, "cancelled", stamp)
        // Expired timers stay in the list, because they continue when the app runs again.
        case .expired(let timers): for timer in timers { note(timer, "expired", stamp) }
        case .executed, .handedOver: break
        }
    }

    /// Returns the visible state of the screen.
    ///
    /// - Parameter next: Returns the next run of a timer as text.
    /// - Returns: The rows, in the order in which the timers were started, and the results of the last timers.
    func snapshot(next: (BackgroundTimers.ID) -> String?) -> TimerSnapshot {
        let shown = rows.map { row in
            var shown = row.shown
            shown.next = next(row.timer)
            return shown
        }
        return TimerSnapshot(rows: shown, vibrations: vibrations, ended: ended)
    }

    private mutating func end(_ timer: BackgroundTimers.ID, _ what: String, _ stamp: String) {
        note(timer, what, stamp)
        rows.removeAll { $0.timer == timer }
    }

    private mutating func note(_ timer: BackgroundTimers.ID, _ what: String, _ stamp: String) {
        guard let row = rows.first(where: { $0.timer == timer }) else { return }
        ended.append(TimerSnapshot.Ended(id: row.shown.id, what: what, at: stamp))
        if ended.count > Self.endedLimit { ended.removeFirst() }
    }
}
